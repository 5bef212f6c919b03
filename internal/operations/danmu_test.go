package operations_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
)

// openDanmu returns danmu of a fresh table, and a comment that was sent to it.
func openDanmu(t *testing.T) (*danmu.Repository, danmu.Comment) {
	db, gen := open(t)
	r, err := danmu.New(db, table(t, danmu.Table, danmu.TTL), gen, nil)
	require.NoError(t, err)
	sent, _, err := r.Send(t.Context(), danmu.Comment{Object: "film", User: "ann", Progress: time.Second, Text: "Ha!"})
	require.NoError(t, err)
	return r, sent
}

func danmuSteps(t *testing.T) []step {
	r, sent := openDanmu(t)
	mine, yours := danmu.Action{Object: "film", ID: sent.ID, User: "ann"}, danmu.Action{Object: "film", ID: sent.ID, User: "ben"}
	moderated := danmu.Moderation{Object: "film", ID: sent.ID}
	export := func(ctx context.Context) error {
		for _, err := range r.Export(ctx, "film") {
			if err != nil {
				return err
			}
		}
		return nil
	}
	imported := func(yield func(danmu.Comment, error) bool) {
		yield(danmu.Comment{Key: "1", Progress: time.Second, Sent: time.Now().Add(-time.Hour), Text: "First!"}, nil)
	}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.Configure", func(ctx context.Context) error {
			return failed(r.Configure(ctx, "film", danmu.Settings{Owner: "cem"}))
		}},
		{"Repository.Settings", func(ctx context.Context) error { return failed(r.Settings(ctx, "film")) }},
		{"Repository.Send", func(ctx context.Context) error {
			return failed(r.Send(ctx, danmu.Comment{Object: "film", User: "ben", Progress: time.Second, Text: "Ha ha!"}))
		}},
		{"Repository.Get", func(ctx context.Context) error { return failed(r.Get(ctx, "film", sent.ID)) }},
		{"Repository.Segment", func(ctx context.Context) error { return failed(r.Segment(ctx, "film", 0, nil)) }},
		{"Repository.Window", func(ctx context.Context) error { return failed(r.Window(ctx, "film", 0, time.Minute, nil)) }},
		{"Repository.Heatmap", func(ctx context.Context) error { return failed(r.Heatmap(ctx, "film", 2)) }},
		{"Repository.ByObject", func(ctx context.Context) error { return failed(r.ByObject(ctx, "film", 0, page)) }},
		{"Repository.ByUser", func(ctx context.Context) error { return failed(r.ByUser(ctx, "ann", page)) }},
		{"Repository.Like", func(ctx context.Context) error { return failed(r.Like(ctx, yours)) }},
		{"Repository.Reactions", func(ctx context.Context) error { return failed(r.Reactions(ctx, "ben", "film", 0, time.Minute)) }},
		{"Repository.Unlike", func(ctx context.Context) error { return failed(r.Unlike(ctx, yours)) }},
		{"Repository.Report", func(ctx context.Context) error { return failed(r.Report(ctx, yours)) }},
		{"Repository.Protect", func(ctx context.Context) error { return failed(r.Protect(ctx, moderated)) }},
		{"Repository.Unprotect", func(ctx context.Context) error { return failed(r.Unprotect(ctx, moderated)) }},
		{"Repository.Export", export},
		{"Repository.Import", func(ctx context.Context) error { return failed(r.Import(ctx, "film", imported, nil)) }},
		{"Repository.Recall", func(ctx context.Context) error { return failed(r.Recall(ctx, mine)) }},
		{"Repository.Remove", func(ctx context.Context) error { return failed(r.Remove(ctx, moderated)) }},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ben") }},
		{"Repository.EraseObject", func(ctx context.Context) error { return r.EraseObject(ctx, "film") }},
	}
}

func danmuLiveSteps(t *testing.T) []step {
	r, sent := openDanmu(t)
	hub, err := live.New(r, nil)
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	viewer, err := hub.Join(t.Context(), "film", "")
	require.NoError(t, err)
	t.Cleanup(viewer.Close)
	like := danmu.Action{Object: "film", ID: sent.ID, User: "ben"}
	return []step{
		{"Hub.Send", func(ctx context.Context) error {
			return failed(hub.Send(ctx, danmu.Comment{Object: "film", User: "ben", Progress: time.Second, Text: "Ha ha!"}))
		}},
		{"Viewer.CatchUp", func(ctx context.Context) error { return failed(viewer.CatchUp(ctx, 0, time.Minute, nil)) }},
		{"Hub.Like", func(ctx context.Context) error { return failed(hub.Like(ctx, like)) }},
		{"Hub.Unlike", func(ctx context.Context) error { return failed(hub.Unlike(ctx, like)) }},
		{"Hub.Recall", func(ctx context.Context) error {
			return failed(hub.Recall(ctx, danmu.Action{Object: "film", ID: sent.ID, User: "ann"}))
		}},
		{"Hub.Remove", func(ctx context.Context) error {
			return failed(hub.Remove(ctx, danmu.Moderation{Object: "film", ID: sent.ID}))
		}},
	}
}
