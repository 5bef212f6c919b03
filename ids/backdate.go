package ids

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/plaza-sdk/plaza"
)

// Backdate returns the id of something that happened at t, for an import. Its
// lower 22 bits come from a hash of key, so a second import gives the same id.
//
// The key names the thing and its owner, such as "jack/post/10". Among 5,000 keys
// of one millisecond about three share an id: if a write returns
// plaza.ErrConflict, use t + 1 ms. An empty key, or a time before 2000 or after
// 2069, is plaza.ErrInvalid.
func Backdate(t time.Time, key string) (ID, error) {
	switch {
	case key == "":
		return 0, &plaza.InvalidError{Field: "key", Reason: "is empty"}
	case t.Before(time.UnixMilli(epochMilli)):
		return 0, &plaza.InvalidError{Field: "t", Reason: "is before 2000"}
	case !t.Before(maxID.Time().Add(time.Millisecond)):
		return 0, &plaza.InvalidError{Field: "t", Reason: "is after 2069"}
	}
	// The ids are stored: testdata/backdate.txt holds the hash.
	hash := sha256.Sum256([]byte(key))
	low := ID(binary.BigEndian.Uint32(hash[:]) >> (32 - timeShift))
	return max(At(t)|low, 1), nil // the zero ID is none
}
