package examples_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// What docs/getstream.md shows stands here.

func addActivity(ctx context.Context, feeds *feed.Repository) (feed.Activity, error) {
	activity, _, err := feeds.Outbox("chris").Publish(ctx, feed.Activity{
		Actor: feed.Ref{Kind: "user", ID: "chris"}, Verb: "add", Object: feed.Ref{Kind: "picture", ID: "10"},
		ForeignID: "picture:10",
		To:        []string{"topic:birds"}, // further outboxes
		Data:      json.RawMessage(`{"message": "Beautiful bird!"}`),
	})
	return activity, err
}

func updateByForeignID(ctx context.Context, feeds *feed.Repository, a feed.Activity) error {
	outbox := feeds.Outbox("chris")
	stored, created, err := outbox.Publish(ctx, a) // with a ForeignID that is in use it returns what is stored
	if err != nil || created {
		return err
	}
	a.ID = stored.ID
	_, _, err = outbox.Update(ctx, a)
	return err
}

func followUser(ctx context.Context, feeds *feed.Repository) error {
	home := feeds.Home("jack")
	if _, err := home.Follow(ctx, "chris", &feed.FollowOptions{CopyLimit: 15}); err != nil {
		return err
	}
	_, err := home.Unfollow(ctx, "topic:cats", &feed.UnfollowOptions{KeepHistory: true})
	return err
}

func readFeed(ctx context.Context, feeds *feed.Repository) (pages [][]feed.Activity, err error) {
	req := cursor.PageRequest{Limit: 2}
	for {
		page, err := feeds.Home("jack").List(ctx, req)
		if err != nil {
			return nil, err
		}
		pages = append(pages, page.Items)
		if page.Next == "" { // the only sign of the end; a page may be short before it
			return pages, nil
		}
		req.Cursor = page.Next // page.Prev polls for what is new
	}
}

// liked is what a page of activities shows beside them.
type liked struct {
	counts map[string]map[string]int64 // object, kind
	mine   map[string][]string         // object
}

func reactAndEnrich(ctx context.Context, reactions *reaction.Repository, page []feed.Activity) (shown liked, err error) {
	_, _, err = reactions.React(ctx, reaction.Reaction{User: "jack", Object: "picture:10", Kind: "like"})
	if err != nil {
		return shown, err
	}
	var objects []string
	for _, a := range page {
		objects = append(objects, a.Object.String())
	}
	if shown.counts, err = reactions.CountsMany(ctx, objects); err != nil {
		return shown, err
	}
	shown.mine, err = reactions.Reacted(ctx, "jack", objects)
	return shown, err
}

func notifyAndMark(ctx context.Context, bell *notify.Repository, like reaction.Reaction) ([]notify.Entry, error) {
	_, _, err := bell.Notify(ctx, notify.Notification{
		User: "chris", CountBy: notify.ByActor, // "jack and 4 others liked your picture"
		Activity: feed.Activity{
			ID: like.ID, Actor: feed.Ref{ID: like.User}, Verb: like.Kind, Object: feed.Ref{Kind: "picture", ID: "10"},
		},
	})
	if err != nil {
		return nil, err
	}
	page, err := bell.List(ctx, notify.Reader{User: "chris"}, cursor.PageRequest{})
	if err != nil {
		return nil, err
	}
	_, err = bell.MarkSeen(ctx, "chris", notify.See(page.Items))
	return page.Items, err
}

// exported is an activity as the old service had it.
type exported struct {
	feed.Activity // with its ForeignID and Time
	user          string
}

func importAll(ctx context.Context, follows *follow.Repository, feeds *feed.Repository, edges []follow.Edge, history []exported) error {
	list := func(yield func(follow.Edge, error) bool) {
		for _, e := range edges {
			if !yield(e, nil) {
				return
			}
		}
	}
	if _, err := follows.Import(ctx, "getstream", list, nil); err != nil { // the same call resumes it
		return err
	}
	for _, e := range history {
		for {
			var err error
			if e.ID, err = ids.Backdate(e.Time, e.user+"/"+e.ForeignID); err != nil {
				return err
			}
			_, err = feeds.Outbox(e.user).PublishMany(ctx, []feed.Activity{e.Activity})
			if !errors.Is(err, plaza.ErrConflict) {
				if err != nil {
					return err
				}
				break
			}
			e.Time = e.Time.Add(time.Millisecond) // the id of another activity
		}
	}
	_, err := feeds.Deliver(ctx)
	return err
}

func TestTheGuideFromGetStream(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{
		Tables: tables.Names{Follow: "follow", Feed: "feed", Reaction: "reaction", Notify: "notify"},
	})
	ctx, db := t.Context(), env.DB
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	follows, err := follow.New(db, env.Tables.Follow, gen, nil)
	require.NoError(t, err)
	feeds, err := feed.New(db, env.Tables.Feed, gen, follows, &feed.Options{Consistent: true})
	require.NoError(t, err)
	reactions, err := reaction.New(db, env.Tables.Reaction, gen, &reaction.Options{Kinds: []string{"like"}, Consistent: true})
	require.NoError(t, err)
	bell, err := notify.New(db, env.Tables.Notify, gen, &notify.Options{Consistent: true})
	require.NoError(t, err)

	// A second import changes nothing. Homes have nothing that is older than Retention.
	now := time.Now().UTC().Truncate(time.Millisecond)
	old := func(user, name string, age time.Duration) exported {
		return exported{user: user, Activity: feed.Activity{
			Actor: feed.Ref{Kind: "user", ID: user}, Verb: "add", ForeignID: name, Time: now.Add(-age),
		}}
	}
	const day = 24 * time.Hour
	history := []exported{old("chris", "picture:1", 400*day), old("chris", "picture:8", 2*day), old("chris", "picture:9", day), old("ann", "picture:9", day)}
	for range 2 {
		require.NoError(t, importAll(ctx, follows, feeds, []follow.Edge{{Follower: "jack", Followee: "ann"}, {Follower: "jack", Followee: "topic:cats"}}, history))
	}
	outbox, err := feeds.Outbox("chris").List(ctx, cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, []string{"picture:9", "picture:8", "picture:1"}, names(outbox.Items))
	require.Equal(t, now.Add(-400*day), outbox.Items[2].Time)

	added, err := addActivity(ctx, feeds)
	require.NoError(t, err)
	again, err := addActivity(ctx, feeds)
	require.NoError(t, err)
	require.Equal(t, added.ID, again.ID)
	topic, err := feeds.Outbox("topic:birds").Get(ctx, added.ID)
	require.NoError(t, err)
	require.Equal(t, added.Object, topic.Object)

	added.Data = json.RawMessage(`{"message": "A kingfisher"}`)
	changed := added
	changed.ID = 0
	require.NoError(t, updateByForeignID(ctx, feeds, changed))
	read, err := feeds.Outbox("chris").Get(ctx, added.ID)
	require.NoError(t, err)
	require.JSONEq(t, string(changed.Data), string(read.Data))

	require.NoError(t, followUser(ctx, feeds))
	pages, err := readFeed(ctx, feeds)
	require.NoError(t, err)
	require.Len(t, pages[0], 2)
	home := slices.Concat(pages...)
	require.ElementsMatch(t, []string{"picture:10", "picture:9", "picture:9", "picture:8"}, names(home))
	require.Equal(t, "picture:10", home[0].ForeignID)

	shown, err := reactAndEnrich(ctx, reactions, pages[0][:1])
	require.NoError(t, err)
	require.Equal(t, int64(1), shown.counts["picture:10"]["like"])
	require.Equal(t, []string{"like"}, shown.mine["picture:10"])

	like, err := reactions.Get(ctx, reaction.Reaction{User: "jack", Object: "picture:10", Kind: "like"})
	require.NoError(t, err)
	for _, seen := range []bool{false, true} {
		entries, err := notifyAndMark(ctx, bell, like)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, 1, entries[0].N)
		require.Equal(t, seen, entries[0].Seen)
	}

	removed, err := feeds.Outbox("chris").RemoveForeign(ctx, "picture:10")
	require.NoError(t, err)
	require.True(t, removed)
	_, err = feeds.Outbox("topic:birds").Get(ctx, added.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

// names returns the ForeignIDs.
func names(as []feed.Activity) (names []string) {
	for _, a := range as {
		names = append(names, a.ForeignID)
	}
	return names
}

func TestTheGuideShowsThisCode(t *testing.T) {
	t.Parallel()
	code := strings.ReplaceAll(read(t, "getstream_test.go"), "\r\n", "\n")
	blocks := strings.Split(strings.ReplaceAll(read(t, "../docs/getstream.md"), "\r\n", "\n"), "```go\n")[1:]
	require.Len(t, blocks, 7)
	for _, block := range blocks {
		shown, _, ok := strings.Cut(block, "```")
		require.True(t, ok)
		require.Contains(t, code, "\n"+shown)
	}
}
