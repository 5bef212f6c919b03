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

	// Life is an id of the call that created the item, where that stores no first Mark. It
	// has an attribute of its own.
	Life ids.ID
}

// before ends the name of the attribute with a Last's Before.
const before = "Before"

// by reports whether the call made one of the last two changes.
func (l Last) by(call ids.ID) bool { return l.Call == call || l.Before.Call == call }

// Mark is stored as a text, its Op first, so that marks sort by it. A Call that is the Op is
// left out.
type Mark struct {
	Op   ids.ID // of the last call; greater than that of each call before
	Call ids.ID // the last call that changed something
}

// IsZero reports whether there was no call.
func (m Mark) IsZero() bool { return m == Mark{} }

// MarshalText writes the ids without a separator: all ids have one length.
func (m Mark) MarshalText() ([]byte, error) {
	if m.Call == m.Op {
		return []byte(m.Op.String()), nil
	}
	return []byte(m.Op.String() + m.Call.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (m *Mark) UnmarshalText(text []byte) (err error) {
	op, call := string(text), string(text)
	if half := len(ids.ID(0).String()); len(text) > half {
		op, call = op[:half], call[half:]
	}
	if m.Op, err = ids.Parse(op); err != nil {
		return err
	}
	if m.Call, err = ids.Parse(call); err == nil && m.Op < m.Call {
		err = errors.New("its call is later than its op")
	}
	return err
}
