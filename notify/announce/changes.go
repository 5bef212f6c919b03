package announce

import (
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to an announcement.
type ChangeKind string

// The kinds of changes.
const (
	Announced ChangeKind = "announced" // it shows from the time of its ID on
	Edited    ChangeKind = "edited"
	Withdrawn ChangeKind = "withdrawn"
	Erased    ChangeKind = "erased" // with its audience
)

// Change is what a write did to an announcement.
type Change struct {
	Kind         ChangeKind          `json:"kind"`
	Announcement notify.Announcement `json:"announcement"`
	At           time.Time           `json:"at"` // of the write, in whole seconds
}

// Changes returns what a write to the table did to announcements; records of other items
// have none. An announcement whose write took so long that it got another ID is reported
// twice. The table's stream needs new and old images: without them the error is
// stream.ErrView or stream.ErrTruncated. A damaged announcement is plaza.ErrCorrupt.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	if err != nil {
		return nil, fmt.Errorf("announce: changes: %w", err)
	}
	parts := keys.Split(i.Key.PK)
	if parts[0] != partition {
		return nil, nil
	}
	changes, err := rowChanges(i, parts)
	if err != nil {
		return nil, fmt.Errorf("announce: changes: %w", err)
	}
	return changes, nil
}

func rowChanges(i images.Images, parts []string) ([]Change, error) {
	id, err := ids.Parse(i.Key.SK)
	if err != nil || len(parts) != 3 || keys.CheckName("Audience", parts[1]) != nil || i.Key != rowKey(parts[1], id) {
		return nil, i.Corrupt("no announcement has its key")
	}
	before, after, err := images.Read[row](i)
	if err != nil {
		return nil, err
	}
	change := func(kind ChangeKind, i *row) []Change {
		return []Change{{Kind: kind, Announcement: i.announcement(parts[1])}}
	}
	was, is := before.hasContent(), after.hasContent()
	var changes []Change
	switch {
	case is && !was:
		changes = change(Announced, after)
	case is && before.Withdrawn == 0 && after.Withdrawn != 0:
		changes = change(Withdrawn, after)
	case is && before.Edit.Call != after.Edit.Call:
		changes = change(Edited, after)
	case was && after == nil:
		changes = change(Erased, before)
	}
	for n := range changes {
		changes[n].At = i.At
	}
	return changes, nil
}

func (i *row) hasContent() bool { return i != nil && i.Title != "" }
