package leaderboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// foldedBoard is a board whose Ranking is RankByFold.
type foldedBoard struct {
	name   string
	fold   int64
	absent map[string]bool // periods that entries name but that do not exist
}

// foldState is what a folder does with a period.
type foldState int

const (
	foldWaits    foldState = iota // keeps changes, until the index may be read
	foldReads                     // keeps changes, until the index was read
	foldFails                     // ignores it, until the next attempt
	foldFollows                   // has its keys
	foldRests                     // it is closed and published
	foldTooLarge                  // leaves it to be counted
)

// foldedPeriod is a period of such a board.
type foldedPeriod struct {
	board  *foldedBoard
	period period
	state  foldState
	since  time.Time // when the state began; when a failed one is tried again
	tries  int

	pending []keyChange // since it waits
	read    *foldLoad
	order   dynamo.Item // Repair's last order that came through the stream

	set     *fold.Set
	ready   time.Time // when the index had been read: the set is right once all changes up to then are in it
	changed time.Time // the last change
	dirty   bool      // and it is not published

	asOf   time.Time // of what is published
	tried  time.Time // the last attempt to publish
	stored foldStored
}

// keyChange is a key that came into the index or left it.
type keyChange struct {
	key []byte
	add bool
}

func (c keyChange) apply(set *fold.Set) (changed bool) {
	if c.add {
		return set.Add(c.key)
	}
	return set.Remove(c.key)
}

// wait starts the wait until the period is loaded.
func (p *foldedPeriod) wait() {
	p.drop()
	p.state, p.since = foldWaits, time.Now()
}

// leave leaves the period to be counted.
func (p *foldedPeriod) leave() {
	p.drop()
	p.state, p.dirty = foldTooLarge, true
}

// drop frees what the period has in memory.
func (p *foldedPeriod) drop() {
	if p.read != nil {
		p.read.cancel()
	}
	p.read, p.pending, p.set = nil, nil, nil
}

// size is how many entries the period has in memory.
func (p *foldedPeriod) size() int {
	n := len(p.pending)
	if p.set != nil {
		n += p.set.Len()
	}
	if p.read != nil {
		n += int(p.read.entries.Load())
	}
	return n
}

func (p *foldedPeriod) loaded(through time.Time) bool {
	return p.state == foldRests || p.state == foldFollows && !through.Before(p.ready)
}

func (p *foldedPeriod) take(c keyChange, now time.Time) {
	switch p.state {
	case foldRests:
		p.wait()
		p.pending = append(p.pending, c)
	case foldWaits, foldReads:
		p.pending = append(p.pending, c)
	case foldFollows:
		if c.apply(p.set) {
			p.dirty, p.changed = true, now
		}
	}
}

// begin finds the folded boards.
func (l *folding) begin(ctx context.Context) error {
	boards, err := store.Query[definitionItem](ctx, l.boards.table, store.Span{PK: definitionsPK, Ascending: true, Consistent: true})
	if err != nil {
		return err
	}
	for _, b := range boards {
		if b.Ranking == RankByFold {
			l.unread[b.Name] = true
		}
	}
	l.begun = true
	return nil
}

// take applies a record.
func (l *folding) take(r stream.Record) {
	before, after := indexedAt(r.Old), indexedAt(r.New)
	if before.part != after.part || !bytes.Equal(before.key, after.key) {
		l.takeKey(before, false)
		l.takeKey(after, true)
	}
	key := store.KeyOf(r.Keys)
	switch parts := keys.Split(key.PK); {
	case key.PK == definitionsPK:
		l.reread(key.SK)
	case len(parts) == 2 && key.PK == periodsPK(parts[1]):
		l.reread(parts[1])
	case len(parts) == 3 && parts[0] == folds && r.New != nil:
		p := l.periods[keys.Join(parts[1:]...)]
		if p == nil || key != foldRepairKey(p.board.name, p.period) {
			return
		}
		if p.order = r.New; p.state != foldWaits && p.state != foldReads {
			p.wait()
		}
	}
}

// reread reads a board again whose definition or periods have changed.
func (l *folding) reread(board string) {
	l.unread[board] = true
	if b := l.folded[board]; b != nil {
		b.absent = map[string]bool{}
	}
}

// foldPlace is where an item is in the index; zero if it is not there.
type foldPlace struct {
	part string
	key  []byte
}

func indexedAt(image map[string]types.AttributeValue) foldPlace {
	part, _ := image["part"].(*types.AttributeValueMemberS)
	key, _ := image["key"].(*types.AttributeValueMemberB)
	if part == nil || key == nil {
		return foldPlace{}
	}
	return foldPlace{part.Value, key.Value}
}

func (l *folding) takeKey(at foldPlace, add bool) {
	i := strings.LastIndexByte(at.part, '#')
	if i < 0 || !isShard(at.part[i+1:]) {
		return
	}
	p := l.periods[at.part[:i]]
	if p == nil {
		l.miss(at.part[:i])
		return
	}
	p.take(keyChange{at.key, add}, l.opts.Now())
}

func isShard(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n < MaxShards && strconv.Itoa(n) == text
}

// miss reads a folded board again if it may have a period that is not known yet.
func (l *folding) miss(prefix string) {
	parts := keys.Split(prefix)
	if len(parts) != 2 {
		return
	}
	b := l.folded[parts[0]]
	if _, ok := parsePeriod(parts[1]); b == nil || !ok || b.absent[parts[1]] {
		return
	}
	b.absent[parts[1]] = true
	l.unread[b.name] = true
}

// readBoards reads the boards that may have changed.
func (l *folding) readBoards(ctx context.Context) error {
	for name := range l.unread {
		if err := l.readBoard(ctx, name); err != nil {
			if err = l.survive(ctx, FolderAttempt{Board: name, Err: fmt.Errorf("leaderboard: fold %q: %w", name, err)}); err != nil {
				return err
			}
			continue
		}
		delete(l.unread, name)
	}
	return nil
}

func (l *folding) readBoard(ctx context.Context, name string) error {
	item, err := l.boards.definition(ctx, name)
	switch {
	case errors.Is(err, plaza.ErrCorrupt): // until Define
		return l.survive(ctx, FolderAttempt{Board: name, Err: err})
	case err != nil && !errors.Is(err, plaza.ErrNotFound):
		return err
	case err != nil || item.Ranking != RankByFold:
		return l.dropBoard(ctx, name)
	}
	b := l.folded[name]
	if b == nil || b.fold != item.Fold {
		l.forget(b)
		b = &foldedBoard{name: name, fold: item.Fold, absent: map[string]bool{}}
		l.folded[name] = b
	}
	return l.readPeriods(ctx, b)
}

// readPeriods learns of new periods, of those that changed, and of those that are gone.
func (l *folding) readPeriods(ctx context.Context, b *foldedBoard) error {
	stored, err := store.Query[periodItem](ctx, l.boards.table, store.Span{PK: periodsPK(b.name), Ascending: true, Consistent: true})
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, i := range stored {
		p := i.period()
		if p.expired(l.boards.opts.Now()) {
			continue
		}
		key := keys.Join(b.name, p.name())
		if kept[key] = true; l.periods[key] == nil {
			l.periods[key] = &foldedPeriod{board: b}
			l.periods[key].wait()
		}
		l.periods[key].period = p
	}
	for key, p := range l.periods {
		if p.board == b && !kept[key] {
			l.remove(key)
		}
	}
	return nil
}

// dropBoard stops following a board that is counted or gone, and deletes what was
// published of it.
func (l *folding) dropBoard(ctx context.Context, name string) error {
	b := l.folded[name]
	if b == nil {
		return nil
	}
	for _, p := range l.periods {
		if p.board != b {
			continue
		}
		if err := l.unpublish(ctx, p); err != nil {
			return err
		}
	}
	l.forget(b)
	return nil
}

// forget drops a board, which may be nil, and its periods.
func (l *folding) forget(b *foldedBoard) {
	if b == nil {
		return
	}
	delete(l.folded, b.name)
	for key, p := range l.periods {
		if p.board == b {
			l.remove(key)
		}
	}
}

func (l *folding) remove(key string) {
	l.periods[key].drop()
	delete(l.periods, key)
}
