package leaderboard

import (
	"context"
	"sync/atomic"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Rank returns the player's rank by the current score. It is exact once writers are
// quiet: until then the index that it counts may lag, and what a Folder published
// may be older. A player who is hidden or not on the board is plaza.ErrNotFound.
//
// Cost: 1 request, 1 RCU for the entry; 2 requests a shard, 0.5 RCU each at least,
// as Count for the entries above. With RankByFold 1 request a shard, as Count for up
// to 511 entries, and as much again where many players are tied.
func (r *Repository) Rank(ctx context.Context, in In, player string) (Position, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Rank")
	if err := checkPlayer(in, player); err != nil {
		return Position{}, err
	}
	var position Position
	s, e, err := r.shownEntry(ctx, in, player)
	if err == nil {
		position, err = s.rank(ctx, e.Key)
	}
	if err != nil {
		return Position{}, in.wrap("rank on", err)
	}
	return position, nil
}

func (r *Repository) shownEntry(ctx context.Context, in In, player string) (standings, entryItem, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return s, entryItem{}, err
	}
	e, err := s.entry(ctx, player)
	return s, e, err
}

// ranker finds places in the standings.
type ranker interface {
	// count returns how many keys lie between each two neighbouring bounds. The bounds
	// ascend. The Position has nothing but AsOf and Folded. A nil bound is an open end. No
	// other bound is an entry's key.
	count(ctx context.Context, s standings, bounds ...[]byte) ([]int64, Position, error)

	// seek returns a bound from which rows are read to reach a place: at most above
	// keys lie before it. A nil bound is the top.
	seek(ctx context.Context, s standings, above int64) (start, error)
}

// start is a place to read rows from.
type start struct {
	from   []byte
	before int64    // how many keys lie before it
	asOf   Position // with nothing but AsOf and Folded
}

// counting is the ranker for RankByCount. It reads the entries that it counts.
type counting struct{}

func (counting) count(ctx context.Context, s standings, bounds ...[]byte) ([]int64, Position, error) {
	n := make([]int64, len(bounds)-1)
	shards := s.period.shards
	err := parallel.ForEach(ctx, len(n)*shards, len(n)*shards, func(ctx context.Context, i int) error {
		span := store.IndexSpan{Partition: shardPart(s.board.Name, s.period, i%shards), From: bounds[i/shards], To: bounds[i/shards+1]}
		found, err := s.table.CountIndex(ctx, ranking, span)
		atomic.AddInt64(&n[i/shards], found)
		return err
	})
	return n, Position{AsOf: s.now}, err
}

func (counting) seek(_ context.Context, s standings, _ int64) (start, error) {
	return start{asOf: Position{AsOf: s.now}}, nil
}

// count returns how many keys lie between two bounds, as ranker.count.
func (s standings) count(ctx context.Context, from, to []byte) (int64, error) {
	n, _, err := s.ranker.count(ctx, s, from, to)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// rank returns the position of an entry with the key.
func (s standings) rank(ctx context.Context, key []byte) (Position, error) {
	bounds := [][]byte{nil, key[:min(len(key), decided)]}
	if len(key) > decided { // otherwise it is damaged, so nobody shares it
		bounds = append(bounds, store.Before(key))
	}
	n, position, err := s.ranker.count(ctx, s, bounds...)
	if err != nil {
		return Position{}, err
	}
	position.Rank = n[0] + 1
	position.Ordinal = position.Rank
	for _, tied := range n[1:] {
		position.Ordinal += tied
	}
	return position, nil
}

// tiedAbove returns how many entries above have an equal score and sub score.
func (s standings) tiedAbove(ctx context.Context, key []byte) (int64, error) {
	if len(key) <= decided { // damaged, so nobody shares it
		return 0, nil
	}
	return s.count(ctx, key[:decided], store.Before(key))
}
