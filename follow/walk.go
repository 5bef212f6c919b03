package follow

import (
	"context"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxWalk is the largest page of a Walk, and the default.
const maxWalk = 1000

// maxWalkReads bounds the reads of one page. Each read finishes a shard, fills the
// page, or finds damaged rows.
const maxWalkReads = MaxShards + 5

// Walk reads the followers of followee for a job such as fan-out: shard by shard,
// strongly consistent, 1,000 a page at most and by default. It returns every edge
// that exists from the first page to the last exactly once. It only goes forward.
// A page with damaged edges is shorter, or empty with a Next.
//
// Cost: 1 request for 1,000 followers of a shard, 1 RCU for about 40; the first page
// 1 request, 1 RCU more.
//
//plaza:cost 40 followers: 1 request, 1 RCU
//plaza:cost each further 40 followers: 1 RCU
//plaza:cost each further shard, and each further 1,000 followers: 1 request, 1 RCU
//plaza:cost the first page more: 1 request, 1 RCU
//plaza:cost a page, at most: 70 requests
func (r *Repository) Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Walk")
	if err := keys.CheckName("Followee", followee); err != nil {
		return cursor.Page[Edge]{}, err
	}
	limit, err := store.Limit(req.Limit, maxWalk, maxWalk)
	if err != nil {
		return cursor.Page[Edge]{}, err
	}
	scope := cursor.Scope{List: "follow/walk", Partition: followee}
	at, err := r.walkStart(ctx, followee, scope, req.Cursor)
	if err != nil {
		return cursor.Page[Edge]{}, wrap("walk of", followee, err)
	}
	var page cursor.Page[Edge]
	for reads := 0; len(at.shards) > 0 && len(page.Items) < limit && reads < maxWalkReads; reads++ {
		reach := store.Reach{Gap: at.gap, Limit: limit - len(page.Items)}
		edges, rest, err := r.graph.ByShard(ctx, followee, "", int(at.shards[0]), reach)
		if err != nil {
			return cursor.Page[Edge]{}, wrap("walk of", followee, err)
		}
		for _, e := range edges {
			page.Items = append(page.Items, edgeOf(e))
		}
		at.gap = rest
		if rest == "" {
			at = walkPos{shards: at.shards[1:]}
		}
	}
	if len(at.shards) > 0 {
		page.Next = r.opts.Codec.Encode(scope, at.bytes())
	}
	return page, nil
}

// walkPos is where a walk continues: the shards still to read, and the gap in
// the first of them.
type walkPos struct {
	shards []byte
	gap    string // "" for the start
}

// bytes encodes the number of shards, the shards and the gap.
func (p walkPos) bytes() []byte {
	b := append([]byte{byte(len(p.shards))}, p.shards...)
	return append(b, p.gap...)
}

func (r *Repository) walkStart(ctx context.Context, followee string, scope cursor.Scope, c cursor.Cursor) (walkPos, error) {
	if c == "" {
		shards, err := r.graph.Shards(ctx, followee)
		at := walkPos{shards: make([]byte, len(shards))}
		for i, shard := range shards {
			at.shards[i] = byte(shard)
		}
		return at, err
	}
	pos, err := r.opts.Codec.Decode(scope, c)
	if err != nil {
		return walkPos{}, err
	}
	if len(pos) == 0 || len(pos) < 1+int(pos[0]) {
		return walkPos{}, cursor.ErrInvalid
	}
	p := walkPos{shards: pos[1 : 1+pos[0]], gap: string(pos[1+pos[0]:])}
	if _, err := ids.Parse(strings.TrimSuffix(p.gap, "\x00")); err != nil && p.gap != "" {
		return walkPos{}, cursor.ErrInvalid
	}
	return p, nil
}
