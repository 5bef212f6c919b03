package danmu

import (
	"context"
	"maps"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ByUser lists the comments that a user sent to all objects, the last sent first,
// without those that reports have hidden. It reads an index, which lags behind
// writes.
//
// Cost: 2 requests, 0.5 RCU for each 4 KB of the index, 0.5 RCU for each comment;
// past hidden comments up to 28 requests.
//
//plaza:cost a page: 2 requests
//plaza:cost each 4 KB of the index: 0.5 RCU
//plaza:cost each comment: 0.5 RCU
//plaza:cost with Options.Consistent, each comment: 1 RCU
//plaza:cost past hidden and removed comments, 25 a page: 28 requests
//plaza:cost a comment that an eventually consistent read misses: 1 request, 1 RCU
func (r *Repository) ByUser(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Comment], error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.ByUser")
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Comment]{}, err
	}
	list := store.List[sentComment, Comment]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "danmu/user", Partition: user},
		Order: store.ByID(func(i sentComment) ids.ID { return i.Sent }),
		Read: func(ctx context.Context, reach store.Reach) ([]sentComment, string, error) {
			return store.ReadIndex[sentComment](ctx, r.table, byUser, indexSpan(user, reach))
		},
		Show: r.showSent,
		Item: func(i sentComment) Comment { return i.comment },
	}
	page, err := list.Page(ctx, req)
	return page, wrap("comments by", user, err)
}

// sentComment is an item of the index and, once it is read, its comment.
type sentComment struct {
	sentItem
	comment Comment
}

func indexSpan(user string, reach store.Reach) store.IndexSpan {
	s := reach.Span("")
	return store.IndexSpan{Partition: user, From: []byte(s.From), To: []byte(s.To), Ascending: s.Ascending, Limit: s.Limit}
}

// showSent reads the comments that the index names.
func (r *Repository) showSent(ctx context.Context, sent []sentComment) ([]sentComment, error) {
	wanted := make([]store.Key, len(sent))
	for i := range sent {
		wanted[i] = sent[i].key()
	}
	items, err := r.getListed(ctx, wanted)
	if err != nil {
		return nil, err
	}
	shown := sent[:0]
	for _, i := range sent {
		item := items[i.key()]
		if item == nil {
			continue // erased
		}
		var stored commentItem
		if r.table.Skips(r.table.Decode(item, &stored)) || stored.gone() || r.hides(&stored) {
			continue
		}
		p, ok := parsePlace(stored.PK)
		if !ok {
			r.table.Skips(r.table.Corrupt(i.key(), "its partition key is not that of a comment"))
			continue
		}
		i.comment = stored.comment(p.object)
		shown = append(shown, i)
	}
	return shown, nil
}

func (i sentItem) key() store.Key { return store.Key{PK: i.PK, SK: i.ID.String()} }

// getListed reads keys that the index names. An item that an eventually consistent
// read misses is read again: it was written before its item in the index.
func (r *Repository) getListed(ctx context.Context, wanted []store.Key) (map[store.Key]dynamo.Item, error) {
	items, err := r.table.GetAll(ctx, wanted, r.opts.Consistent, 1)
	if err != nil || r.opts.Consistent {
		return items, err
	}
	var missing []store.Key
	for _, key := range wanted {
		if items[key] == nil {
			missing = append(missing, key)
		}
	}
	late, err := r.table.GetAll(ctx, missing, true, 1)
	maps.Copy(items, late)
	return items, err
}
