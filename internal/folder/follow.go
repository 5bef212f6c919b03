package folder

import (
	"bytes"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// follow reads the stream once. The first time it finds the folded boards, which are
// read after the stream's position is known, so that no change is missed.
func (t *Term) follow(ctx context.Context) error {
	round, err := t.Reader.Next(ctx)
	if errors.Is(err, stream.ErrGap) {
		t.Reader.Reset()
		t.rebuild()
	}
	if err != nil {
		return err
	}
	t.through = round.Through
	if !t.begun {
		return t.begin(ctx)
	}
	for _, item := range round.Items {
		if item.Err != nil { // it may be of any entry
			t.rebuild()
			return item.Err
		}
		t.take(item.Record)
	}
	return nil
}

func (t *Term) begin(ctx context.Context) error {
	names, err := t.Boards.Folded(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		t.unread[name] = true
	}
	t.begun = true
	return nil
}

// take applies a record.
func (t *Term) take(r stream.Record) {
	before, after := indexedAt(r.Old), indexedAt(r.New)
	if before.part != after.part || !bytes.Equal(before.key, after.key) {
		t.takeKey(before, false)
		t.takeKey(after, true)
	}
	key := store.KeyOf(r.Keys)
	if board, ok := t.Boards.Board(key); ok {
		t.reread(board)
		return
	}
	parts := keys.Split(key.PK)
	if len(parts) != 3 || parts[0] != prefix || r.New == nil {
		return
	}
	if p := t.periods[Name{parts[1], parts[2]}]; p != nil && key == p.orderKey() {
		p.obey(r.New)
	}
}

// place is where an item is in the index; zero if it is not there.
type place struct {
	part string
	key  []byte
}

func indexedAt(image map[string]types.AttributeValue) place {
	part, _ := image["part"].(*types.AttributeValueMemberS)
	key, _ := image["key"].(*types.AttributeValueMemberB)
	if part == nil || key == nil {
		return place{}
	}
	return place{part.Value, key.Value}
}

func (t *Term) takeKey(at place, add bool) {
	name, ok := t.Boards.Shard(at.part)
	if !ok {
		return
	}
	p := t.periods[name]
	if p == nil {
		t.miss(name)
		return
	}
	p.take(change{at.key, add}, t.Now())
}

// miss reads a folded board again if it may have a period that is not known yet.
func (t *Term) miss(n Name) {
	b := t.folded[n.Board]
	if b == nil || b.absent[n] {
		return
	}
	b.absent[n] = true
	t.unread[b.name] = true
}

// reread reads a board again whose definition or periods have changed.
func (t *Term) reread(board string) {
	t.unread[board] = true
	if b := t.folded[board]; b != nil {
		b.absent = map[Name]bool{}
	}
}
