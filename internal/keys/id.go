package keys

import (
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// MaxAhead is how far the clocks of two processes may differ.
const MaxAhead = 10 * time.Second

// CheckID returns a *plaza.InvalidError for field if id is zero or has more than
// 63 bits.
func CheckID(field string, id ids.ID) error {
	if id == 0 {
		return &plaza.InvalidError{Field: field, Reason: "is zero"}
	}
	if _, err := id.MarshalText(); err != nil {
		return &plaza.InvalidError{Field: field, Reason: "has more than 63 bits"}
	}
	return nil
}

// CheckNewID is CheckID for an id under which something is written. It also refuses
// ids from the future.
func CheckNewID(field string, id ids.ID, now time.Time) error {
	if err := CheckID(field, id); err != nil {
		return err
	}
	if id.Time().After(now.Add(MaxAhead)) {
		return &plaza.InvalidError{Field: field, Reason: "is more than 10 s ahead of the clock"}
	}
	return nil
}

// Older returns the error of an id that is not above end, the id of a removal: a
// *plaza.OlderError if clocks may be the reason, otherwise plaza.ErrRemoved.
func Older(id, end ids.ID, now time.Time) error {
	if id == end || end.Time().Sub(id.Time()) > MaxAhead {
		return plaza.ErrRemoved
	}
	return &plaza.OlderError{RetryAfter: max(0, end.Time().Add(time.Millisecond).Sub(now))}
}

// After returns id moved to the millisecond after other. It keeps the lower bits,
// which make it unique.
func After(id, other ids.ID) ids.ID {
	unique := id - ids.At(id.Time())
	return ids.At(other.Time().Add(time.Millisecond)) | unique
}
