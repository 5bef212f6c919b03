package danmu

// show is what a viewer sees of comments in playing order, and how many more
// the cap left out. It does not change comments.
//
// Repeats are merged before the cap, which would else fill its places with them.
func (o *WindowOptions) show(comments []Comment, owner string, hideAt int64) (shown []Comment, dropped int) {
	shown = make([]Comment, 0, len(comments))
	for i := range comments {
		c := &comments[i]
		if o.Filter.Blocks(*c) || !o.WithHidden && hides(c.Reports, c.Protected, hideAt) || !c.ID.inShare(o.Share) {
			continue
		}
		shown = append(shown, *c)
	}
	stays := func(c *Comment) bool { return c.Protected || owner != "" && c.User == owner }
	if o.Merge > 0 {
		shown = merged(shown, o.Merge, stays)
	}
	if o.Cap > 0 {
		shown, dropped = capped(shown, o.Cap, stays)
	}
	return shown, dropped
}

// hides reports whether a comment has the reports that hide it.
func hides(reports int64, protected bool, hideAt int64) bool {
	return reports >= hideAt && !protected
}
