package danmu

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// show returns what a viewer sees of comments in playing order, and how many comments
// the cap dropped. It does not change comments. It merges repeats before the cap, so
// that they do not take all places.
func (o *WindowOptions) show(comments []Comment, owner string, hideAt int64) (shown []Comment, dropped int) {
	shown = make([]Comment, 0, len(comments))
	for i := range comments {
		c := &comments[i]
		if o.Filter.Blocks(*c) || !o.WithHidden && hides(c.Reports, c.Protected, hideAt) || !c.ID.inSample(o.Sample) {
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

// hides reports whether a comment is hidden by its reports.
func hides(reports int64, protected bool, hideAt int64) bool {
	return reports >= hideAt && !protected
}

// merged keeps the first of the comments with the same mode and text, apart from white
// space around it, and counts the others within the time after it. A comment that stays
// is not merged into another.
func merged(comments []Comment, within time.Duration, stays func(*Comment) bool) []Comment {
	type sameness struct {
		text string
		mode Mode
	}
	firsts := make(map[sameness]int) // values are indexes in kept
	kept := comments[:0]
	for _, c := range comments {
		if c.Mode >= Positioned { // its text is a program
			kept = append(kept, c)
			continue
		}
		same := sameness{strings.TrimSpace(c.Text), c.Mode}
		first, ok := firsts[same]
		if ok && c.Progress-kept[first].Progress <= within && !stays(&c) {
			kept[first].Repeats++
			continue
		}
		firsts[same] = len(kept)
		kept = append(kept, c)
	}
	return kept
}

// capped keeps n comments of each second, or more if more of them stay. It also
// returns how many it drops.
func capped(comments []Comment, n int, stays func(*Comment) bool) (kept []Comment, dropped int) {
	kept = comments[:0]
	for len(comments) > 0 {
		second := comments[0].Progress / time.Second
		end := 1
		for end < len(comments) && comments[end].Progress/time.Second == second {
			end++
		}
		ranking := ranked(comments[:end], stays)
		most := n
		for most < end && ranking[most].stays {
			most++
		}
		if most < end {
			for _, p := range ranking[most:] {
				dropped += 1 + comments[p.at].Repeats
			}
			ranking = ranking[:most]
			slices.SortFunc(ranking, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
			for _, p := range ranking {
				kept = append(kept, comments[p.at]) // kept never gets ahead of p.at
			}
		} else {
			kept = append(kept, comments[:end]...)
		}
		comments = comments[end:]
	}
	return kept, dropped
}

// candidate is a comment's rank under the cap. Likes do not count, because they change.
type candidate struct {
	stays  bool
	weight int
	lot    uint64
	at     int
}

func ranked(comments []Comment, stays func(*Comment) bool) []candidate {
	ranking := make([]candidate, len(comments))
	for i := range comments {
		c := &comments[i]
		ranking[i] = candidate{stays(c), c.Weight, c.ID.lot(), i}
	}
	slices.SortFunc(ranking, func(a, b candidate) int {
		switch {
		case a.stays != b.stays && a.stays:
			return -1
		case a.stays != b.stays:
			return 1
		}
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.lot, b.lot), cmp.Compare(a.at, b.at))
	})
	return ranking
}

// maxSample is the smallest sample: 1/2^5, a 32nd.
const maxSample = hashBits

// inSample reports whether id is in the sample of 1/2^j. That sample contains the sample
// of 1/2^(j+1).
func (id ID) inSample(j int) bool { return id.hash()&(1<<j-1) == 0 }

// lot breaks ties, in the same way each time and not by age.
func (id ID) lot() uint64 {
	x := id.unique() * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}
