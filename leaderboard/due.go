package leaderboard

import (
	"errors"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

type dueJob = work.Job[dueItem]

// dueItem is J#0 / due#board#start: do is to be called for this period once it is due.
// The transaction that opens the period puts the item.
type dueItem struct {
	SK    string `dynamo:"sk"`
	Ver   int64  `dynamo:"ver"` // of the definition, as that transaction set it: no other item with this key ever has it
	Tries int    `dynamo:"tries,omitempty"`
	Next  int64  `dynamo:"next,omitempty"` // when it may be tried again, in Unix ms
	TTL   int64  `dynamo:"ttl"`

	board string
	start time.Time
}

// CheckItem refuses what newDue did not write.
func (d *dueItem) CheckItem() error {
	parts := keys.Split(d.SK)
	if len(parts) != 3 {
		return errors.New("its key does not have 3 parts")
	}
	_, ok := parsePeriod(parts[0])
	start, known := parsePeriod(parts[2])
	switch d.board, d.start = parts[1], start; {
	case !ok || !known || keys.CheckName("board", d.board) != nil:
		return errors.New("its key names no period")
	case d.Ver < 1:
		return errors.New("ver is below 1")
	case d.Tries < 0 || d.Next < 0:
		return errors.New("tries or next are below 0")
	}
	return nil
}

// key returns Ended.Key.
func (d dueItem) key() string {
	return keys.Join(d.board, period{start: d.start}.name(), strconv.FormatInt(d.Ver, 10))
}

// waits reports whether it failed and it is too early for the next attempt. A time that
// is later than any wait comes from a clock that is far ahead, and is ignored.
func (d dueItem) waits(now time.Time) bool {
	return d.Next > now.UnixMilli() && d.Next <= now.Add(maxWait+keys.MaxAhead).UnixMilli()
}

const (
	// dueLife is how long a period that is due waits for a worker.
	dueLife = 30 * 24 * time.Hour

	firstWait = 30 * time.Second
	maxWait   = time.Hour

	// jobLease is how long other workers leave a period to the one that took it.
	jobLease = 30 * time.Second
)

// duePK is the only partition of due items. More would be of no use: an opening also
// writes to the one partition of definitions.
var duePK = keys.Join("J", "0")

// dueSK begins with the time, in whole seconds.
func dueSK(board string, p period) string { return keys.Join(dueText(p.due()), board, p.name()) }

func newDue(board string, p period, ver int64) dueJob {
	return dueJob{
		Key:  store.Key{PK: duePK, SK: dueSK(board, p)},
		Work: dueItem{Ver: ver, TTL: p.due().Add(dueLife).Unix()},
	}
}
