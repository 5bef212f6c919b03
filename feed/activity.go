package feed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// MaxActivity is the largest activity, all its fields together, in bytes.
const MaxActivity = 256 << 10

// Activity says that an actor did something (the verb) to an object, and
// perhaps to a target: Chris added picture 10 to the album.
type Activity struct {
	// ID is the activity's identity and its place in every feed. Publish
	// mints one where it is zero.
	ID ids.ID

	Actor  Ref
	Verb   string // 1 to 256 bytes
	Object Ref    // optional
	Target Ref    // optional

	// ForeignID is the application's own name for the activity, unique within
	// its outbox; up to 256 bytes, optional.
	ForeignID string

	// Time is for showing; the order is the ID's. Defaults to the ID's time.
	Time time.Time

	// Data is the application's own JSON, optional.
	Data json.RawMessage
}

func (a Activity) check() error {
	if err := a.Actor.check("Actor"); err != nil {
		return err
	}
	if err := keys.CheckName("Verb", a.Verb); err != nil {
		return err
	}
	if !a.Object.IsZero() {
		if err := a.Object.check("Object"); err != nil {
			return err
		}
	}
	if !a.Target.IsZero() {
		if err := a.Target.check("Target"); err != nil {
			return err
		}
	}
	if a.ForeignID != "" {
		if err := keys.CheckName("ForeignID", a.ForeignID); err != nil {
			return err
		}
	}
	if n := a.size(); n > MaxActivity {
		return &plaza.InvalidError{Field: "Activity", Reason: fmt.Sprintf("is %d bytes large, at most %d are allowed", n, MaxActivity)}
	}
	if len(a.Data) > 0 && !(json.Valid(a.Data) && utf8.Valid(a.Data)) {
		return &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	if year := a.Time.UTC().Year(); year < 1 || year > 9999 {
		return &plaza.InvalidError{Field: "Time", Reason: "is not within the years 1 to 9999"}
	}
	return nil
}

// timed gives the activity its time, in the form in which it is read back.
func (a Activity) timed() Activity {
	if a.Time.IsZero() {
		a.Time = a.ID.Time()
	}
	a.Time = a.Time.Round(0).UTC()
	return a
}

func (a Activity) size() int {
	n := len(a.Verb) + len(a.ForeignID) + len(a.Data)
	for _, ref := range []Ref{a.Actor, a.Object, a.Target} {
		n += len(ref.Kind) + len(ref.ID)
	}
	return n
}

// hash is a fingerprint of what was published, by which a late repeat is told
// from another activity under the same id.
func (a Activity) hash() []byte {
	h := sha256.New()
	for _, field := range []string{
		a.Actor.String(), a.Verb, a.Object.String(), a.Target.String(), a.ForeignID,
		a.Time.Format(time.RFC3339Nano), string(a.Data),
	} {
		h.Write(binary.AppendUvarint(nil, uint64(len(field))))
		h.Write([]byte(field))
	}
	return h.Sum(nil)[:16]
}
