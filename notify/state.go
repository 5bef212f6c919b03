package notify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxAbove = 100       // ids above a watermark
	maxGone  = 100       // dismissals
	never    = 1<<63 - 1 // as state.wake: nothing is snoozed
)

// state is what a user has seen, read and dismissed, and when a snoozed group is due.
type state struct {
	rev        int64  // 0: nothing is stored yet
	seen, read marks  // what is read is seen
	allRead    ids.ID // greater than the one before it
	allReadBy  ids.ID // the call that made it
	wake       ids.ID // no snoozed group is due before
	low        ids.ID // the last write that lowered wake
	gone       []dismissal
}

// marks cover the ids up to one, and some above it.
type marks struct {
	upTo  ids.ID
	above []ids.ID // newest first
}

// add joins two marks, in any order and however often. Of the ids above it keeps the newest
// 100: the watermark will cover the oldest first.
func (m *marks) add(more marks) (changed bool) {
	sum := marks{upTo: max(m.upTo, more.upTo)}
	for _, id := range slices.Concat(m.above, more.above) {
		if id > sum.upTo {
			sum.above = append(sum.above, id)
		}
	}
	slices.Sort(sum.above)
	slices.Reverse(sum.above)
	sum.above = slices.Compact(sum.above)
	sum.above = sum.above[:min(len(sum.above), maxAbove)]
	changed = sum.upTo != m.upTo || !slices.Equal(sum.above, m.above)
	*m = sum
	return changed
}

// dismissal is an announcement that the user does not want to see. It is kept until
// the announcement would no longer show anyway.
type dismissal struct {
	id    ids.ID
	until int64 // Unix hours
}

// maxLife is the longest that an announcement shows.
const maxLife = 90 * 24 * time.Hour

func (s *state) dismissed(id ids.ID) bool {
	return slices.ContainsFunc(s.gone, func(d dismissal) bool { return d.id == id })
}

func (s *state) dismiss(id ids.ID, now time.Time) (changed bool) {
	if s.dismissed(id) {
		return false
	}
	hour := now.Unix() / 3600
	s.gone = slices.DeleteFunc(s.gone, func(d dismissal) bool { return d.until < hour })
	s.gone = append(s.gone, dismissal{id, now.Add(maxLife).Unix()/3600 + 1})
	s.gone = s.gone[max(0, len(s.gone)-maxGone):]
	return true
}

// The state is one map, as the index has room for one attribute of it. Lists of ids
// are binary, 8 bytes each, the greatest first: so comparing two lists compares
// their greatest ids. They begin with a byte, since DynamoDB Local refuses empty
// values.
func (s *state) item() dynamo.Item {
	text := func(id ids.ID) types.AttributeValue { return &types.AttributeValueMemberS{Value: id.String()} }
	gone := []byte{listBegins}
	for _, d := range s.gone {
		gone = binary.BigEndian.AppendUint32(pack(gone, d.id), uint32(d.until))
	}
	return dynamo.Item{
		"w": text(s.seen.upTo), "x": packed(s.seen.above...),
		"r": text(s.read.upTo), "rx": packed(s.read.above...), "ra": text(s.allRead), "raCall": text(s.allReadBy),
		"wake": text(s.wake), "low": text(s.low),
		"gone": &types.AttributeValueMemberB{Value: gone},
	}
}

func pack(to []byte, id ids.ID) []byte { return binary.BigEndian.AppendUint64(to, uint64(id)) }

func packed(above ...ids.ID) types.AttributeValue {
	list := append(make([]byte, 0, 1+8*len(above)), listBegins)
	for _, id := range above {
		list = pack(list, id)
	}
	return &types.AttributeValueMemberB{Value: list}
}

const (
	listBegins    = 0
	dismissalSize = 12
)

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (s *state) UnmarshalDynamoItem(item dynamo.Item) error {
	var stored struct {
		Rev int64 `dynamo:"rev"`
		S   struct {
			Seen      ids.ID   `dynamo:"w"`
			SeenAbove unpacked `dynamo:"x"`
			Read      ids.ID   `dynamo:"r"`
			ReadAbove unpacked `dynamo:"rx"`
			AllRead   ids.ID   `dynamo:"ra"`
			AllReadBy ids.ID   `dynamo:"raCall"`
			Wake      ids.ID   `dynamo:"wake"`
			Low       ids.ID   `dynamo:"low"`
			Gone      []byte   `dynamo:"gone"`
		} `dynamo:"s"`
	}
	in := &stored.S
	in.Wake = never
	switch err := store.UnmarshalItem(item, &stored); {
	case err != nil:
		return err
	case item["s"] == nil:
		return errors.New("s is missing")
	case stored.Rev <= 0:
		return fmt.Errorf("rev is %d", stored.Rev)
	case len(in.Gone)%dismissalSize != 1:
		return fmt.Errorf("gone has %d bytes", len(in.Gone))
	}
	*s = state{
		rev: stored.Rev, seen: marks{in.Seen, in.SeenAbove}, read: marks{in.Read, in.ReadAbove},
		allRead: in.AllRead, allReadBy: in.AllReadBy, wake: in.Wake, low: in.Low,
	}
	for d := range slices.Chunk(in.Gone[1:], dismissalSize) {
		s.gone = append(s.gone, dismissal{ids.ID(binary.BigEndian.Uint64(d)), int64(binary.BigEndian.Uint32(d[8:]))})
	}
	return nil
}

// unpacked reads what packed wrote.
type unpacked []ids.ID

// UnmarshalDynamo refuses lists out of order.
func (u *unpacked) UnmarshalDynamo(value types.AttributeValue) error {
	b, ok := value.(*types.AttributeValueMemberB)
	if !ok || len(b.Value)%8 != 1 {
		return errors.New("a list of ids is not binary of 8 bytes each")
	}
	for list := b.Value[1:]; len(list) > 0; list = list[8:] {
		id := ids.ID(binary.BigEndian.Uint64(list))
		if n := len(*u); n > 0 && (*u)[n-1] <= id {
			return errors.New("a list of ids is out of order")
		}
		*u = append(*u, id)
	}
	return nil
}

// none is the state of a user who has none stored: everything shows as new.
func none() state { return state{wake: never} }

// load reads the user's state. A damaged one counts as none.
func (r *Repository) load(ctx context.Context, user string) (state, error) {
	s, err := r.get(ctx, user, r.opts.Consistent)
	if r.table.Skips(err) {
		return none(), nil
	}
	return s, err
}

func (r *Repository) get(ctx context.Context, user string, consistent bool) (state, error) {
	s := none()
	err := r.table.Get(ctx, stateKey(user), consistent, &s)
	if errors.Is(err, plaza.ErrNotFound) {
		return none(), nil
	}
	return s, err
}

// mergeState changes the user's state by apply. It first sends the quick update, which
// may be nil. Its condition ensures that it does the same as apply.
func (r *Repository) mergeState(ctx context.Context, user string, quick store.Write, apply func(*state) (changed bool)) (changed bool, err error) {
	return store.Merge(ctx, r.table, stateKey(user), quick, func(s *state) (store.Write, error) {
		if s.rev == 0 {
			*s = none()
		}
		if !apply(s) {
			return nil, store.ErrSame
		}
		return r.replace(user, s), nil
	})
}

// replace writes the state unless it was changed since it was read. The first rev is
// the time, so that it differs from the rev of an erased state.
func (r *Repository) replace(user string, s *state) *store.Update {
	update := r.table.Update(stateKey(user)).Set("last", statePlace).Set("s", s.item())
	if s.rev == 0 {
		return update.Set("rev", r.opts.Now().UnixMilli()).If("attribute_not_exists(pk)")
	}
	return update.Set("rev", s.rev+1).If("rev = ?", s.rev)
}

// quick starts an update of a state that exists.
func (r *Repository) quick(user string) *store.Update {
	return r.table.Update(stateKey(user)).Add("rev", 1)
}
