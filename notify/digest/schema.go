package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// D#shard / due#slot#hash is a planned digest. N#user / D#channel is the mark: the
// spans of time that the user's digests on the channel cover, and the leases of
// workers.

type dueJob = work.Job[dueItem]

// dueItem is a planned digest. It will cover what no other digest covers between Begin
// and Slot.
type dueItem struct {
	SK      string `dynamo:"sk"`
	User    string `dynamo:"user"`
	Channel string `dynamo:"channel"`
	Slot    ids.ID `dynamo:"slot"`
	Begin   ids.ID `dynamo:"begin"`
	TTL     int64  `dynamo:"ttl"`

	// Set after a failed attempt:
	Spans spans `dynamo:"spans,omitempty"` // what it covers, if known
	Tries int   `dynamo:"tries,omitempty"`
	Since int64 `dynamo:"since,omitempty"` // when it failed first, in Unix ms

	due ids.ID
}

func (d dueItem) place() place { return place{d.User, d.Channel} }

func (d dueItem) key() string { return digestKey(d.User, d.Channel, d.Slot) }

// CheckItem refuses what cannot be delivered.
func (d *dueItem) CheckItem() error {
	parts := keys.Split(d.SK)
	if len(parts) != 3 {
		return errors.New("its key does not have 3 parts")
	}
	var err error
	if d.due, err = ids.Parse(parts[0]); err != nil {
		return err
	}
	switch {
	case keys.CheckName("user", d.User) != nil || keys.CheckName("channel", d.Channel) != nil:
		return errors.New("has no user or no channel")
	case d.Begin >= d.Slot:
		return errors.New("begins after its end")
	case d.Tries < 0 || d.Tries > 0 != (d.Since > 0):
		return errors.New("has tries without since, or since without tries")
	case d.Spans.check() != nil:
		return errList
	case jobSK(d.due, d.Slot, d.place()) != d.SK:
		return errors.New("has the key of another digest")
	}
	return nil
}

func jobPK(shard int) string { return keys.Join("D", strconv.Itoa(shard)) }

// jobShardsKey is the key of the item that holds the number of job shards.
var jobShardsKey = store.Key{PK: keys.Join("D"), SK: "shards"}

func (r *Repository) jobKey(to place, due, slot ids.ID) store.Key {
	return store.Key{PK: r.jobs.Place(to.user), SK: jobSK(due, slot, to)}
}

// jobSK sorts jobs by when they are due. The hash keeps it within DynamoDB's bound.
func jobSK(due, slot ids.ID, to place) string {
	sum := sha256.Sum256([]byte(keys.Join(to.user, to.channel)))
	return keys.Join(due.String(), slot.String(), hex.EncodeToString(sum[:16]))
}

const markPrefix = "D#"

func markKey(to place) store.Key {
	return store.Key{PK: notifytable.UserPK(to.user), SK: markPrefix + keys.Join(to.channel)}
}

// markSpan is the span of a user's marks.
func markSpan(user string) store.Span {
	return store.Span{PK: notifytable.UserPK(user), From: markPrefix, To: "D$", Consistent: true} // $ follows #
}

const (
	// jobLife is how long a planned digest is stored if no worker runs.
	jobLife = 30 * 24 * time.Hour

	// markLife is longer than a due digest could still overlap one that was sent.
	markLife = 60 * 24 * time.Hour

	// lease is how long other workers leave a digest to the one that took it.
	lease = 40 * time.Second
)
