package danmu

import (
	"strings"
	"time"
)

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
