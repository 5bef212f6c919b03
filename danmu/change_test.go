package danmu_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *danmu.Repository
	f := changetest.Feature[repository]{
		Package: "danmu",
		Table:   dynamotest.Table(t, danmu.Table),
	}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		r, err := danmu.New(dynamotest.DB(t, p.Wrap), f.Table, p, &danmu.Options{Consistent: true, Now: p.Now, Limiter: ratelimit.Unlimited{}})
		require.NoError(t, err)
		return r
	}
	id, err := danmu.ParseID("0000000000000000001C")
	require.NoError(t, err)
	erase := func(ctx context.Context, r repository, object string) error { return r.EraseObject(ctx, object) }
	comment := changetest.Call[repository]{
		Item: func(name string) store.Key {
			return store.Key{PK: keys.Join("D", name, "0", "0"), SK: id.String()}
		},
		Begin: func(ctx context.Context, r repository, name string) error {
			_, _, err := r.Send(ctx, danmu.Comment{Object: name, ID: id, User: "ann", Text: "haha"})
			return err
		},
		State: func(ctx context.Context, r repository, name string) (any, error) {
			w, err := r.Segment(ctx, name, 0, nil)
			for i := range w.Comments {
				w.Comments[i].Object, w.Comments[i].Sent = "", time.Time{}
			}
			return w.Comments, err
		},
		Erase: erase,
	}
	of := func(do func(repository, context.Context, danmu.Moderation) (bool, error)) func(context.Context, repository, string) (bool, error) {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			return do(r, ctx, danmu.Moderation{Object: name, ID: id})
		}
	}
	configure := func(owner string) func(context.Context, repository, string) (bool, error) {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			return r.Configure(ctx, name, danmu.Settings{Owner: owner})
		}
	}
	recall, remove, protect, unprotect := comment, comment, comment, comment
	recall.Part, remove.Part, protect.Part, unprotect.Part = "end", "end", "protect", "protect"
	recall.Unread, remove.Unread = true, true
	recall.Do = func(ctx context.Context, r repository, name string) (bool, error) {
		return r.Recall(ctx, danmu.Action{Object: name, ID: id, User: "ann"})
	}
	remove.Do = of(repository.Remove)
	protect.Do, protect.Undo = of(repository.Protect), of(repository.Unprotect)
	unprotect.Do, unprotect.Undo = protect.Undo, protect.Do
	unprotect.Begin = func(ctx context.Context, r repository, name string) error {
		err := comment.Begin(ctx, r, name)
		if err == nil {
			_, err = protect.Do(ctx, r, name)
		}
		return err
	}
	f.Calls = map[string]changetest.Call[repository]{
		"Repository.Recall": recall, "Repository.Remove": remove, "Repository.Protect": protect, "Repository.Unprotect": unprotect,
		"Repository.Configure": {
			Part: "settings",
			Item: func(name string) store.Key { return store.Key{PK: keys.Join("M", name), SK: "M"} },
			Do:   configure("ann"), Undo: configure("ben"),
			State: func(ctx context.Context, r repository, name string) (any, error) { return r.Settings(ctx, name) },
			Erase: erase, Silent: true,
		},
	}
	changetest.Run(t, f)
}
