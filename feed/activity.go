package feed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// maxTo is the most outboxes that To may name.
const maxTo = 20

// MaxActivity is the largest activity, all its fields together, in bytes.
const MaxActivity = 256 << 10

// Activity says that an actor did something (the verb) to an object, and
// perhaps to a target: Chris added picture 10 to the album.
type Activity struct {
	// ID is the activity's identity in its outbox and its place in every feed.
	// If it is zero, Publish mints one. Choose one yourself with an ids.Source,
	// or with ids.Backdate for something that happened long ago.
	ID ids.ID `json:"id"`

	// Owner is the owner of the activity's outbox. Reads set it; writes may
	// leave it empty. It is not in the JSON.
	Owner string `json:"-"`

	Actor  Ref    `json:"actor"`
	Verb   string `json:"verb"`            // 1 to 256 bytes
	Object Ref    `json:"object,omitzero"` // optional
	Target Ref    `json:"target,omitzero"` // optional

	// ForeignID is the application's own name for the activity, unique within
	// its outbox; up to 256 bytes, optional.
	ForeignID string `json:"foreignId,omitzero"`

	// Time is for display; the order is that of the IDs. Defaults to the ID's
	// time.
	Time time.Time `json:"time"`

	// To names up to 20 further outboxes that the activity belongs in: a topic,
	// a place, somebody mentioned. It reaches their followers too. Clear it
	// before answering viewers who must not see whom it was addressed to.
	To []string `json:"to,omitempty"`

	// Data is the application's own JSON, optional.
	Data json.RawMessage `json:"data,omitempty"`
}

// Validate returns a plaza.InvalidError if Publish would refuse one of the
// activity's own fields. It does not check ID and Owner: the outbox does.
func (a Activity) Validate() error {
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
	if err := checkTo(a.To); err != nil {
		return err
	}
	if err := args.Count("Activity", a.Size(), "bytes", MaxActivity); err != nil {
		return err
	}
	if len(a.Data) > 0 && !jsontext.Valid(a.Data) {
		return &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	if year := a.Time.UTC().Year(); year < 1 || year > 9999 {
		return &plaza.InvalidError{Field: "Time", Reason: "is not within the years 1 to 9999"}
	}
	return nil
}

func checkTo(to []string) error {
	if err := args.Count("To", len(to), "outboxes", maxTo); err != nil {
		return err
	}
	return keys.CheckSet("To", to)
}

// clone is a copy that shares nothing with a.
func (a Activity) clone() Activity {
	a.To, a.Data = slices.Clone(a.To), slices.Clone(a.Data)
	return a
}

// timed fills in a missing time, and makes the time equal to the one that is read
// back.
func (a Activity) timed() Activity {
	if a.Time.IsZero() {
		a.Time = a.ID.Time()
	}
	a.Time = a.Time.Round(0).UTC()
	return a
}

// Size returns how many of MaxActivity's bytes the activity takes.
func (a Activity) Size() int {
	n := len(a.Verb) + len(a.ForeignID) + len(a.Data)
	for _, ref := range []Ref{a.Actor, a.Object, a.Target} {
		n += len(ref.Kind) + len(ref.ID)
	}
	for _, owner := range a.To {
		n += len(owner)
	}
	return n
}

// hash is a fingerprint of what was published. It distinguishes a late repeat
// from another activity under the same id. It is stored: a change of it makes
// repeats across an upgrade ErrConflict, so a new field counts only if it is set.
func (a Activity) hash() []byte {
	h := sha256.New()
	fields := []string{
		a.Actor.String(), a.Verb, a.Object.String(), a.Target.String(), a.ForeignID,
		a.Time.Format(time.RFC3339Nano), string(a.Data),
	}
	for _, field := range append(fields, a.To...) {
		h.Write(binary.AppendUvarint(nil, uint64(len(field))))
		h.Write([]byte(field))
	}
	return h.Sum(nil)[:16]
}
