// Package images reads what a write did to an item of a feature's table, from the
// item's two images in a record of the table's stream.
package images

import (
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Images are an item before and after a write. Each is nil where there was no item.
type Images struct {
	Key      store.Key
	Old, New dynamo.Item
	At       time.Time // of the write

	table   string
	checked bool
}

// checked is the kind of the records that Check makes.
const checked stream.Kind = "CHECK"

// Check returns what is wrong with a stored item: what the Changes of its feature returns
// for it, or a *store.LeftError. Items that Changes does not read are right.
func Check[C any](changes func(stream.Record) ([]C, error), table string, item dynamo.Item) error {
	_, err := changes(stream.Record{Kind: checked, Table: table, Keys: item, New: item})
	return err
}

// Of returns the images of a record. Both are nil if the item expired: only what
// has ended expires. A record whose images were dropped is stream.ErrTruncated, one
// of a stream without both images is stream.ErrView, and one that contradicts itself is
// stream.ErrRecord.
func Of(r stream.Record) (Images, error) {
	i := Images{Key: store.KeyOf(r.Keys), Old: r.Old, New: r.New, At: r.At, table: r.Table, checked: r.Kind == checked}
	if err := i.check(r); err != nil {
		return Images{}, fmt.Errorf("record %q of table %q: %w", r.Seq, r.Table, err)
	}
	if r.ByTTL {
		i.Old, i.New = nil, nil
	}
	return i, nil
}

func (i Images) check(r stream.Record) error {
	switch {
	case r.Truncated:
		return stream.ErrTruncated
	case i.Key.PK == "", i.Key.SK == "":
		return stream.ErrRecord
	case r.ByTTL:
		return nil
	case i.Old == nil && (i.New == nil || r.Kind != stream.Insert && !i.checked), i.New == nil && r.Kind != stream.Remove:
		return stream.ErrView
	case i.Old != nil && store.KeyOf(i.Old) != i.Key, i.New != nil && store.KeyOf(i.New) != i.Key:
		return stream.ErrRecord
	}
	return nil
}

// Corrupt is the error for a damaged image.
func (i Images) Corrupt(reason string) error { return store.Corrupt(i.table, i.Key, reason) }

// Read decodes both images. A missing one is nil, and a damaged one is
// plaza.ErrCorrupt.
func Read[R any](i Images) (before, after *R, err error) {
	if before, err = read[R](i, i.Old); err == nil {
		after, err = read[R](i, i.New)
	}
	return before, after, err
}

func read[R any](i Images, item dynamo.Item) (*R, error) {
	if item == nil {
		return nil, nil //nolint:nilnil // as Read says
	}
	row := new(R)
	err := store.Decode(i.table, item, row)
	if err == nil && i.checked {
		err = store.CheckRemoved(item, row)
	}
	return row, err
}
