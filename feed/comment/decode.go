package comment

import (
	"errors"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// store adds the item's key to these.
var (
	errKey     = errors.New("its sort key has no id")
	errCount   = errors.New("a count is negative")
	errID      = errors.New("an id is missing or zero")
	errContent = errors.New("it has no user or no text")
	errData    = errors.New("data is not JSON")
	errPlace   = errors.New("its sort key is not a score and an id")
)

// CheckItem sets the ids of the address too, except the root of a row among the rest.
func (i *row) CheckItem() error {
	if err := i.readKey(); err != nil {
		return err
	}
	return i.check()
}

func (i *row) readKey() error {
	id := i.SK
	if strings.HasPrefix(i.PK, "F#") {
		root, rest, _ := strings.Cut(i.SK, "#")
		i.at.Root, _ = ids.Parse(root)
		if id = rest; i.at.Root == 0 {
			return errKey
		}
	}
	if i.at.ID, _ = ids.Parse(id); i.at.ID == 0 {
		return errKey
	}
	return nil
}

func (i *row) check() error {
	switch {
	case i.Replies < 0, i.Answers < 0, i.Rows < 0:
		return errCount
	case i.Quote != nil && i.Quote.ID == 0:
		return errID
	case i.Removed == nil && (i.User == "" || i.Text == ""):
		return errContent
	case i.Data != "" && !jsontext.Valid([]byte(i.Data)):
		return errData
	}
	for _, first := range i.First {
		if id, err := ids.Parse(first); err != nil || id == 0 {
			return errID
		}
	}
	if slices.Contains(i.Next, 0) {
		return errID
	}
	return nil
}

// CheckItem refuses an item without an address.
func (i *ownItem) CheckItem() error {
	if i.ID == 0 || i.Object == "" || i.Hash == nil && i.Removed == nil {
		return errID
	}
	return nil
}

// CheckItem refuses an item without an address.
func (i *keyItem) CheckItem() error {
	if i.ID == 0 || i.Object == "" || i.Hash == nil {
		return errID
	}
	return nil
}

// CheckItem refuses negative counts.
func (i *headerItem) CheckItem() error {
	if i.N < 0 || i.Roots < 0 {
		return errCount
	}
	return nil
}

// CheckItem refuses a sort key that is not a score and an id.
func (i *scoreItem) CheckItem() error {
	_, id, _ := strings.Cut(i.SK, "#")
	if i.id, _ = ids.Parse(id); i.id == 0 || !validPlace(i.SK) {
		return errPlace
	}
	return nil
}
