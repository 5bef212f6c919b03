package store

import (
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Decode unmarshals a stored item into out. An item that cannot be decoded is a
// *plaza.CorruptError.
func (t *Table) Decode(item dynamo.Item, out any) error { return Decode(t.name, item, out) }

// Decode is Table.Decode for an item of that table which was not read by us.
func Decode(table string, item dynamo.Item, out any) error {
	err := parallel.Catch(func() error {
		switch own := out.(type) {
		case *dynamo.Item: // as it is, even if damaged
			*own = item
			return nil
		case dynamo.ItemUnmarshaler:
			return own.UnmarshalDynamoItem(item)
		}
		return UnmarshalItem(item, out)
	})
	if err == nil {
		return nil
	}
	var panicked *parallel.PanicError
	if errors.As(err, &panicked) {
		err = fmt.Errorf("%v", panicked.Value) // without its stack
	}
	return Corrupt(table, KeyOf(item), err.Error())
}

// Corrupt is the error for a damaged item.
func (t *Table) Corrupt(key Key, reason string) error { return Corrupt(t.name, key, reason) }

// Corrupt is the error for a damaged item of that table.
func Corrupt(table string, key Key, reason string) error {
	return &plaza.CorruptError{Table: table, PK: key.PK, SK: key.SK, Reason: reason}
}

// Skips reports whether err is about a damaged item, which a list then leaves
// out, and passes it to the table's hook.
func (t *Table) Skips(err error) bool {
	if err == nil { // so that only damage allocates
		return false
	}
	var corrupt *plaza.CorruptError
	if !errors.As(err, &corrupt) {
		return false
	}
	t.onCorrupt(corrupt)
	return true
}

// decodeAll leaves out damaged items.
func decodeAll[R any](t *Table, items []dynamo.Item) []R {
	rows := make([]R, len(items))
	n := 0
	for _, item := range items {
		if err := t.Decode(item, &rows[n]); t.Skips(err) {
			rows[n] = *new(R)
			continue
		}
		n++
	}
	return rows[:n]
}
