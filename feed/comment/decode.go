package comment

import (
	"errors"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/store"
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

// UnmarshalDynamoItem sets the ids of the address too, except the root of a row
// among the rest.
func (i *row) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.Fields(item, i.attribute); err != nil {
		return err
	}
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

// UnmarshalDynamoItem refuses an item without an address.
func (i *ownItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain ownItem
	if err := store.UnmarshalItem(item, (*plain)(i)); err != nil {
		return err
	}
	if i.ID == 0 || i.Object == "" || i.Hash == nil && i.Removed == nil {
		return errID
	}
	return nil
}

// UnmarshalDynamoItem refuses an item without an address.
func (i *keyItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain keyItem
	if err := store.UnmarshalItem(item, (*plain)(i)); err != nil {
		return err
	}
	if i.ID == 0 || i.Object == "" || i.Hash == nil {
		return errID
	}
	return nil
}

// UnmarshalDynamoItem refuses negative counts.
func (i *headerItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain headerItem
	if err := store.UnmarshalItem(item, (*plain)(i)); err != nil {
		return err
	}
	if i.N < 0 || i.Roots < 0 {
		return errCount
	}
	return nil
}

// UnmarshalDynamoItem refuses a sort key that is not a score and an id.
func (i *scoreItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain scoreItem
	if err := store.UnmarshalItem(item, (*plain)(i)); err != nil {
		return err
	}
	_, id, _ := strings.Cut(i.SK, "#")
	if i.id, _ = ids.Parse(id); i.id == 0 || !validPlace(i.SK) {
		return errPlace
	}
	return nil
}

func (i *row) attribute(name string) any {
	switch name {
	case "pk":
		return &i.PK
	case "sk":
		return &i.SK
	case "user":
		return &i.User
	case "text":
		return &i.Text
	case "parent":
		return &i.Parent
	case "parentRest":
		return &i.ParentRest
	case "quote":
		return &i.Quote
	case "mentions":
		return &i.Mentions
	case "data":
		return &i.Data
	case "edited":
		return &i.Edited
	case "score":
		return &i.Score
	case "hidden":
		return &i.Hidden
	case "removed":
		return &i.Removed
	case "ttl":
		return &i.TTL
	case "replies":
		return &i.Replies
	case "answers":
		return &i.Answers
	case "rows":
		return &i.Rows
	case "first":
		return &i.First
	case "more":
		return &i.More
	case "next":
		return &i.Next
	case "past":
		return &i.Past
	case "ver":
		return &i.Ver
	case "edit":
		return &i.Edit
	case "editBefore":
		return &i.EditBefore
	case "hide":
		return &i.Hide
	case "hideBefore":
		return &i.HideBefore
	case "place":
		return &i.Place
	case "placeBefore":
		return &i.PlaceBefore
	}
	return nil
}
