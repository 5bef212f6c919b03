package danmu

import (
	"cmp"
	"slices"
	"time"
)

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
