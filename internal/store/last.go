package store

import (
	"errors"

	"github.com/plaza-sdk/plaza/ids"
)

// Last is what an item remembers of the calls that changed one of its parts. It is stored
// as two attributes: the Mark, and Before under its name and "Before".
type Last struct {
	Mark
	Before Mark // what Mark was before its Call
}

// before ends the name of the attribute with a Last's Before.
const before = "Before"

// by reports whether the call made one of the last two changes.
func (l Last) by(call ids.ID) bool { return l.Call == call || l.Before.Call == call }

// Mark is stored as a text, its Op first, so that marks sort by it.
type Mark struct {
	Op   ids.ID // of the last call; greater than that of each call before
	Call ids.ID // the last call that changed something
}

// IsZero makes the driver's omitempty leave out a Mark of no call.
func (m Mark) IsZero() bool { return m == Mark{} }

// MarshalText writes both ids, without a separator: each has one length.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.Op.String() + m.Call.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (m *Mark) UnmarshalText(text []byte) (err error) {
	half := len(text) / 2
	if m.Op, err = ids.Parse(string(text[:half])); err != nil {
		return err
	}
	if m.Call, err = ids.Parse(string(text[half:])); err == nil && m.Op < m.Call {
		err = errors.New("its call is later than its op")
	}
	return err
}
