package danmu

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

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

// merged leaves of comments with one text and mode, white space around it
// aside, the first, which counts those within the time after it. One that
// stays is never folded into another.
func merged(comments []Comment, within time.Duration, stays func(*Comment) bool) []Comment {
	type likeness struct {
		text string
		mode Mode
	}
	firsts := make(map[likeness]int) // where in kept
	kept := comments[:0]
	for _, c := range comments {
		if c.Mode >= Positioned { // its text is a programme
			kept = append(kept, c)
			continue
		}
		like := likeness{strings.TrimSpace(c.Text), c.Mode}
		first, ok := firsts[like]
		if ok && c.Progress-kept[first].Progress <= within && !stays(&c) {
			kept[first].Repeats++
			continue
		}
		firsts[like] = len(kept)
		kept = append(kept, c)
	}
	return kept
}

// capped keeps n comments of each second, and those that stay if they are
// more. It also tells how many it drops.
func capped(comments []Comment, n int, stays func(*Comment) bool) (kept []Comment, dropped int) {
	kept = comments[:0]
	for len(comments) > 0 {
		second := comments[0].Progress / time.Second
		end := 1
		for end < len(comments) && comments[end].Progress/time.Second == second {
			end++
		}
		places := ranked(comments[:end], stays)
		most := n
		for most < end && places[most].stays {
			most++
		}
		if most < end {
			for _, p := range places[most:] {
				dropped += 1 + comments[p.at].Repeats
			}
			places = places[:most]
			slices.SortFunc(places, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
			for _, p := range places {
				kept = append(kept, comments[p.at]) // never behind p.at
			}
		} else {
			kept = append(kept, comments[:end]...)
		}
		comments = comments[end:]
	}
	return kept, dropped
}

// candidate is what a comment ranks by. Likes move, so they are not in it.
type candidate struct {
	stays  bool
	weight int
	lot    uint64
	at     int
}

func ranked(comments []Comment, stays func(*Comment) bool) []candidate {
	places := make([]candidate, len(comments))
	for i := range comments {
		c := &comments[i]
		places[i] = candidate{stays(c), c.Weight, c.ID.lot(), i}
	}
	slices.SortFunc(places, func(a, b candidate) int {
		switch {
		case a.stays != b.stays && a.stays:
			return -1
		case a.stays != b.stays:
			return 1
		}
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.lot, b.lot), cmp.Compare(a.at, b.at))
	})
	return places
}

// maxShare is the smallest share: 1/2^5, a 32nd.
const maxShare = hashBits

// inShare reports whether id is in the share of 1/2^j, which holds those of
// 1/2^(j+1).
func (id ID) inShare(j int) bool { return id.hash()&(1<<j-1) == 0 }

// lot draws a place for id among its neighbours: the same each time, and not
// by age.
func (id ID) lot() uint64 {
	x := id.unique() * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}
