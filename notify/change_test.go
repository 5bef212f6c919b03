package notify_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/notify"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *notify.Repository
	type do = func(ctx context.Context, r repository, name string) (bool, error)
	f := changetest.Feature[repository]{
		Package: "notify",
		Table:   dynamotest.Table(t, notify.Table),
	}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		r, err := notify.New(dynamotest.DB(t, p.Wrap), f.Table, p, &notify.Options{Consistent: true, Now: p.Now, Announcements: old{}})
		require.NoError(t, err)
		return r
	}
	list := func(ctx context.Context, r repository, name string) ([]notify.Entry, error) {
		page, err := r.List(ctx, reader(name), cursor.PageRequest{})
		return page.Items, err
	}
	state := func(ctx context.Context, r repository, name string) (any, error) {
		var all [][]notify.Entry
		for _, of := range []func(context.Context, string, cursor.PageRequest) (cursor.Page[notify.Entry], error){
			func(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
				return r.List(ctx, reader(user), req)
			}, r.Archived, r.Snoozed,
		} {
			page, err := of(ctx, name, cursor.PageRequest{})
			if err != nil {
				return nil, err
			}
			for i := range page.Items {
				e := &page.Items[i]
				e.Last, e.Listed, e.Activity.ID = 0, 0, 0
			}
			all = append(all, page.Items)
		}
		return all, nil
	}

	var events atomic.Int64
	group := func(ctx context.Context, r repository, name string) error {
		_, _, err := r.Notify(ctx, notify.Notification{User: name, Activity: feed.Activity{
			ID: ids.At(noon) + ids.ID(events.Add(1)), Actor: feed.Ref{ID: "ann"}, Verb: "like", Object: feed.Ref{Kind: "picture", ID: "1"},
		}})
		return err
	}
	read := func(ctx context.Context, r repository, name string) (bool, error) {
		entries, err := list(ctx, r, name)
		if err != nil {
			return false, err
		}
		last := ids.ID(0)
		for _, e := range entries {
			if e.Group != "" {
				last = e.Last
			}
		}
		groups, err := r.MarkRead(ctx, name, []notify.Shown{{Group: in(name, 1).Group, Last: last}})
		return groups == 1, err
	}
	of := func(call func(r repository, ctx context.Context, in notify.In) (bool, error)) do {
		return func(ctx context.Context, r repository, name string) (bool, error) { return call(r, ctx, in(name, 1)) }
	}
	archive, unarchive := of(repository.Archive), of(repository.Unarchive)
	unsnooze, unread := of(repository.Unsnooze), of(repository.MarkUnread)
	snooze := of(func(r repository, ctx context.Context, in notify.In) (bool, error) {
		return r.Snooze(ctx, in, noon.Add(time.Hour))
	})
	after := func(call do) func(context.Context, repository, string) error {
		return func(ctx context.Context, r repository, name string) error {
			if err := group(ctx, r, name); err != nil {
				return err
			}
			_, err := call(ctx, r, name)
			return err
		}
	}
	ofGroup := func(part string, begin func(context.Context, repository, string) error, do, undo do) changetest.Call[repository] {
		return changetest.Call[repository]{
			Part: part, Begin: begin, Do: do, Undo: undo, State: state, Erase: repositoryErase,
			Item: func(name string) store.Key { return store.Key{PK: userPK(name), SK: "G#" + in(name, 1).Group} },
		}
	}
	mark := func(call func(r repository, ctx context.Context, name string, view notify.View) (bool, error)) changetest.Call[repository] {
		return changetest.Call[repository]{
			Item: func(name string) store.Key { return store.Key{PK: userPK(name), SK: "S"} },
			Do: func(ctx context.Context, r repository, name string) (bool, error) {
				entries, err := list(ctx, r, name)
				if err != nil {
					return false, err
				}
				return call(r, ctx, name, notify.See(entries))
			},
			State: state, Erase: repositoryErase,
		}
	}
	reads := ofGroup("mark", group, read, unread)
	reads.Unread = true
	f.Calls = map[string]changetest.Call[repository]{
		"Repository.Archive":    ofGroup("shelf", group, archive, unarchive),
		"Repository.Unarchive":  ofGroup("shelf", after(archive), unarchive, archive),
		"Repository.Snooze":     ofGroup("shelf", group, snooze, unsnooze),
		"Repository.Unsnooze":   ofGroup("shelf", after(snooze), unsnooze, snooze),
		"Repository.MarkRead":   reads,
		"Repository.MarkUnread": ofGroup("mark", after(read), unread, read),
		"Repository.MarkSeen":   mark(repository.MarkSeen),
		"Repository.Dismiss": mark(func(r repository, ctx context.Context, name string, _ notify.View) (bool, error) {
			return r.Dismiss(ctx, name, announced1)
		}),
	}
	changetest.Run(t, f)
}

func repositoryErase(ctx context.Context, r *notify.Repository, name string) error {
	return r.Erase(ctx, name)
}

// announced1 is old's.
var announced1 = ids.At(noon.Add(-time.Hour))

// old has an announcement that shows everywhere.
type old struct{}

func (old) Live(context.Context, notify.Reader) ([]notify.Announcement, error) {
	return []notify.Announcement{{ID: announced1, Title: "Hello"}}, nil
}
