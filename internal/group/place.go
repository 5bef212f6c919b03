package group

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/plaza-sdk/plaza/ids"
)

// Shelf is the list that a group is on.
type Shelf string

// The shelves, by the beginning of a place. Each is a range of the index.
const (
	Listed   Shelf = ""
	Archived Shelf = "-"
	Snoozed  Shelf = "+"
)

// Span is the range of a shelf's places: at least from, and below to.
func (s Shelf) Span() (from, to string) {
	if s == Listed {
		return "0", "~" // no id begins with ~, which is the state's place
	}
	return string(s), string(s) + "~"
}

const hashLen = 12

// Place is the sort key of the group sk on a shelf. The id is that of its last
// write, or ids.At of when it is due. The hash of sk keeps groups apart that were
// snoozed to one moment.
func Place(shelf Shelf, id ids.ID, sk string) string {
	sum := sha256.Sum256([]byte(sk))
	return string(shelf) + id.String() + "#" + hex.EncodeToString(sum[:hashLen/2])
}

// ParsePlace undoes Place.
func ParsePlace(place string) (Shelf, ids.ID, error) {
	shelf, rest := Listed, place
	for _, s := range []Shelf{Archived, Snoozed} {
		if text, ok := strings.CutPrefix(place, string(s)); ok {
			shelf, rest = s, text
		}
	}
	text, hash, _ := strings.Cut(rest, "#")
	id, err := ids.Parse(text)
	if err != nil || len(hash) != hashLen {
		return "", 0, fmt.Errorf("%q is no place of a group", place)
	}
	return shelf, id, nil
}
