package announce_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *announce.Repository
	f := changetest.Feature[repository]{
		Package: "notify/announce",
		Table:   dynamotest.Table(t, notify.Table),
	}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		r, err := announce.New(dynamotest.DB(t, p.Wrap), f.Table, p, &announce.Options{Now: p.Now})
		require.NoError(t, err)
		return r
	}
	var announced sync.Map // IDs by audience
	id := func(name string) ids.ID {
		id, _ := announced.Load(name)
		last, _ := id.(ids.ID)
		return last
	}
	until := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)
	item := func(name string) store.Key {
		return store.Key{PK: keys.Join("A", name, "0"), SK: id(name).String()}
	}
	begin := func(ctx context.Context, r repository, name string) error {
		a, _, err := r.Announce(ctx, notify.Announcement{ID: id(name), Audience: name, Title: "Hello", Until: until})
		announced.Store(name, a.ID)
		return err
	}
	edit := func(title string) func(context.Context, repository, string) (bool, error) {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			_, changed, err := r.Edit(ctx, notify.Announcement{ID: id(name), Audience: name, Title: title, Until: until})
			return changed, err
		}
	}
	f.Calls = map[string]changetest.Call[repository]{
		"Repository.Edit": {
			Part: "edit", Item: item, Begin: begin, Do: edit("Hi"), Undo: edit("Hello"),
			State: func(ctx context.Context, r repository, name string) (any, error) {
				page, err := r.List(ctx, name, cursor.PageRequest{})
				var titles []string
				for _, a := range page.Items {
					titles = append(titles, a.Title)
				}
				return titles, err
			},
			Erase: func(ctx context.Context, r repository, name string) error { return r.Erase(ctx, name) },
		},
		"Repository.Withdraw": {
			Part: "withdrawn", Item: item, Begin: begin,
			Do: func(ctx context.Context, r repository, name string) (bool, error) {
				return r.Withdraw(ctx, name, id(name))
			},
			State: func(ctx context.Context, r repository, name string) (any, error) {
				page, err := r.List(ctx, name, cursor.PageRequest{})
				var withdrawn []bool
				for _, a := range page.Items {
					withdrawn = append(withdrawn, !a.Withdrawn.IsZero())
				}
				return withdrawn, err
			},
		},
	}
	changetest.Run(t, f)
}
