package kit_test

import (
	"bytes"
	"context"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/tables"
)

// wires shows that each wire of the package comment works, and that the option of its last
// column wins.
var wires = map[string]func(*world){
	"Follows Feeds -":                         followsIntoFeeds,
	"Follows Bell Notify.Watchers":            followsIntoBell,
	"Prefs Bell Notify.Policy":                prefsIntoBell,
	"Announcements Bell Notify.Announcements": announcementsIntoBell,
	"Digests Bell Notify.Scheduler":           digestsIntoBell,
	"Prefs Messages Message.Blocks":           prefsIntoMessages,
	"Bell Prefs Prefs.User":                   usersIntoPrefs,
	"Bell Digests DigestWorker.User":          usersIntoDigests,
	"Bell Digests DigestWorker.Policy":        policyIntoDigests,
	"Prefs Digests DigestWorker.Unsubscribe":  tokensIntoDigests,
}

var columns = regexp.MustCompile(` {2,}`)

func TestEveryWireOfTheTableWorks(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	rows := 0
	for line := range strings.Lines(file.Doc.Text()) {
		cells := columns.Split(strings.TrimSpace(line), -1)
		if !strings.HasPrefix(line, "\t") || cells[0] == "from" {
			continue
		}
		rows++
		require.Len(t, cells, 4, line)
		name := cells[0] + " " + cells[1] + " " + cells[3]
		require.Contains(t, wires, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wires[name](newWorld(t, tables.Names{Follow: "follow", Feed: "feed", Notify: "notify", Message: "message"}))
		})
	}
	require.Len(t, wires, rows)
}

func followsIntoFeeds(w *world) {
	k := w.open(kit.Options{})
	_, err := k.Feeds.Home("bob").Follow(w.t.Context(), "ann", nil)
	require.NoError(w.t, err)
	_, err = k.Follows.Get(w.t.Context(), follow.Edge{Follower: "bob", Followee: "ann"})
	require.NoError(w.t, err)
	_, _, err = k.Feeds.Outbox("ann").Publish(w.t.Context(), feed.Activity{Actor: feed.Ref{ID: "ann"}, Verb: "post"})
	require.NoError(w.t, err)
	page, err := k.Feeds.Home("bob").List(w.t.Context(), first)
	require.NoError(w.t, err)
	require.Len(w.t, page.Items, 1)
}

// watchedBy are the only watchers of everything.
type watchedBy []follow.Edge

func (e watchedBy) Walk(context.Context, string, cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	return cursor.Page[follow.Edge]{Items: e}, nil
}

func followsIntoBell(w *world) {
	club := feed.Ref{Kind: "club", ID: "1"}
	rung := func(opts kit.Options, user string) {
		k, n := w.open(opts), w.event("", feed.Ref{ID: "ann"})
		_, _, err := k.Follows.Follow(w.t.Context(), follow.Edge{Follower: "bob", Followee: club.String()})
		require.NoError(w.t, err)
		_, err = k.Bell.NotifyWatchers(w.t.Context(), club, n)
		require.NoError(w.t, err)
		done, err := k.Bell.Deliver(w.t.Context())
		require.NoError(w.t, err)
		require.Equal(w.t, 1, done)
		require.Equal(w.t, 1, w.bell(k, user))
	}
	rung(kit.Options{}, "bob")
	rung(kit.Options{Notify: notify.Options{Watchers: watchedBy{{Follower: "zoe", Followee: club.String(), ID: 1}}}}, "zoe")
}

// decides is a Policy that says the same about everything.
type decides notify.Decision

func (d decides) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	return notify.Decision(d), nil
}

func prefsIntoBell(w *world) {
	k := w.open(kit.Options{})
	_, err := k.Prefs.Block(w.t.Context(), prefs.Pair{User: "ann", Actor: "bob"})
	require.NoError(w.t, err)
	w.notify(k, w.event("ann", feed.Ref{ID: "bob"}))
	require.Zero(w.t, w.bell(k, "ann"))

	k = w.open(kit.Options{Notify: notify.Options{Policy: decides{}}})
	w.notify(k, w.event("ann", feed.Ref{ID: "bob"}))
	require.Equal(w.t, 1, w.bell(k, "ann"))
}

// says is a source of one announcement.
type says notify.Announcement

func (s says) Live(context.Context, notify.Reader) ([]notify.Announcement, error) {
	return []notify.Announcement{notify.Announcement(s)}, nil
}

func announcementsIntoBell(w *world) {
	k := w.open(kit.Options{})
	_, _, err := k.Announcements.Announce(w.t.Context(), notify.Announcement{Audience: "all", Title: "News", Until: w.Now().Add(time.Hour)})
	require.NoError(w.t, err)
	w.pass(time.Minute)
	title := func(k *kit.Kit) string {
		page, err := k.Bell.List(w.t.Context(), notify.Reader{User: "ann", Audiences: []string{"all"}}, first)
		require.NoError(w.t, err)
		require.Len(w.t, page.Items, 1)
		return page.Items[0].Announcement.Title
	}
	require.Equal(w.t, "News", title(k))
	id, _ := w.Next(w.t.Context())
	own := says{ID: id, Audience: "all", Title: "Own", From: w.Now().Add(-time.Second), Until: w.Now().Add(time.Hour)}
	require.Equal(w.t, "Own", title(w.open(kit.Options{Notify: notify.Options{Announcements: own}})))
}

// plans counts what it is asked to plan, and plans nothing.
type plans struct{ n int }

func (p *plans) Schedule(_ context.Context, _ string, _ []string, at ids.ID) (ids.ID, error) {
	p.n++
	return at + 1<<40, nil
}

func digestsIntoBell(w *world) {
	box := &sent{}
	k := w.open(rings(kit.Options{Send: box}))
	w.notify(k, w.event("ann", feed.Ref{ID: "bob"}))
	w.digests(k)
	require.Len(w.t, box.all, 1)

	own := &plans{}
	k = w.open(rings(kit.Options{Send: box, Notify: notify.Options{Scheduler: own}}))
	w.notify(k, w.event("ann", feed.Ref{ID: "bob"}))
	w.digests(k)
	require.Equal(w.t, 1, own.n)
	require.Len(w.t, box.all, 1)
}

// digests sends what is due within two hours.
func (w *world) digests(k *kit.Kit) {
	w.t.Helper()
	w.pass(2 * time.Hour)
	_, err := k.Deliver(w.t.Context())
	require.NoError(w.t, err)
}

// unblocked knows no blocks.
type unblocked struct{}

func (unblocked) Block(context.Context, prefs.Pair) (bool, error)   { return true, nil }
func (unblocked) Unblock(context.Context, prefs.Pair) (bool, error) { return true, nil }
func (unblocked) Blocked(context.Context, prefs.Pair) (bool, error) { return false, nil }

// write sends a message to another user.
func (w *world) write(k *kit.Kit, user, other string) error {
	id, _ := w.Next(w.t.Context())
	pair := message.Pair{User: user, Other: other}
	_, _, err := k.Messages.Send(w.t.Context(), message.Message{Conversation: pair.Conversation(), Sender: user, Key: id.String(), Text: "Hi"})
	return err
}

func prefsIntoMessages(w *world) {
	k := w.open(kit.Options{})
	for _, begun := range []string{"bob", "dan"} {
		if begun == "dan" {
			require.NoError(w.t, w.write(k, begun, "ann"))
		}
		_, err := k.Prefs.Block(w.t.Context(), prefs.Pair{User: "ann", Actor: begun})
		require.NoError(w.t, err)
		require.ErrorIs(w.t, w.write(k, begun, "ann"), message.ErrBlocked)
	}
	_, err := k.Messages.Block(w.t.Context(), message.Pair{User: "ann", Other: "cat"})
	require.NoError(w.t, err)
	w.notify(k, w.event("ann", feed.Ref{ID: "cat"}))
	require.Zero(w.t, w.bell(k, "ann"))

	k = w.open(kit.Options{Message: message.Options{Blocks: unblocked{}}})
	require.NoError(w.t, w.write(k, "bob", "ann"))
}

func TestMessagesNeedNoTableOfNotify(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tables.Names{Message: "message"})
	k := w.open(kit.Options{Features: []kit.Feature{kit.Message}})
	require.NoError(t, w.write(k, "bob", "ann"))
	_, err := k.Messages.Block(t.Context(), message.Pair{User: "ann", Other: "bob"})
	require.NoError(t, err)
	require.ErrorIs(t, w.write(k, "bob", "ann"), message.ErrBlocked)
}

// member is the user that an actor such as member:bob is.
func member(actor feed.Ref) string { return actor.ID }

var bob, ann = feed.Ref{Kind: "member", ID: "bob"}, feed.Ref{Kind: "member", ID: "ann"}

func usersIntoPrefs(w *world) {
	k := w.open(kit.Options{Notify: notify.Options{User: member}})
	_, err := k.Prefs.Block(w.t.Context(), prefs.Pair{User: "ann", Actor: "bob"})
	require.NoError(w.t, err)
	w.notify(k, w.event("ann", bob))
	require.Zero(w.t, w.bell(k, "ann"))

	k = w.open(kit.Options{Notify: notify.Options{User: member}, Prefs: prefs.Options{User: feed.Ref.String}})
	w.notify(k, w.event("ann", bob))
	require.Equal(w.t, 1, w.bell(k, "ann"))
}

// A critical event of the user's own is sent only where the worker knows that it is.
func usersIntoDigests(w *world) {
	box := &sent{}
	login := func(k *kit.Kit) {
		n := w.event("ann", ann)
		n.Critical = true
		w.notify(k, n)
		w.digests(k)
	}
	opts := rings(kit.Options{Send: box, Notify: notify.Options{User: member}})
	login(w.open(opts))
	require.Len(w.t, box.all, 1)

	opts.DigestWorker.User = feed.Ref.String
	login(w.open(opts))
	require.Len(w.t, box.all, 1)
}

func policyIntoDigests(w *world) {
	box := &sent{}
	opts := rings(kit.Options{Send: box, Notify: notify.Options{Policy: decides{Channels: []string{"mail"}}}})
	verbs := opts.Prefs.Verbs
	opts.Prefs.Verbs = nil // so that Prefs alone would send nothing
	ring := func(before func(*kit.Kit)) {
		k := w.open(opts)
		w.notify(k, w.event("ann", bob))
		before(k)
		w.digests(k)
	}
	ring(func(*kit.Kit) {})
	require.Len(w.t, box.all, 1, "the bell's Policy, whatever it is")

	opts.DigestWorker.Policy = decides{Drop: true}
	ring(func(*kit.Kit) {})
	require.Len(w.t, box.all, 1)

	opts.Prefs.Verbs, opts.Notify.Policy, opts.DigestWorker.Policy = verbs, nil, nil
	ring(func(k *kit.Kit) {
		_, err := k.Prefs.Block(w.t.Context(), prefs.Pair{User: "ann", Actor: bob.String()})
		require.NoError(w.t, err)
	})
	require.Len(w.t, box.all, 1, "blocked before the digest")
}

func tokensIntoDigests(w *world) {
	box := &sent{}
	opts := rings(kit.Options{Send: box})
	ring := func() (unsubscribe string) {
		k := w.open(opts)
		w.notify(k, w.event("ann", bob))
		w.digests(k)
		return box.all[len(box.all)-1].Unsubscribe
	}
	require.Empty(w.t, ring(), "there are no keys")

	opts.Prefs.Tokens = prefs.Keyring{Keys: map[byte][]byte{0: bytes.Repeat([]byte{7}, 32)}}
	token := ring()
	s, changed, err := w.open(opts).Prefs.Unsubscribe(w.t.Context(), token)
	require.NoError(w.t, err)
	require.True(w.t, changed)
	require.Equal(w.t, prefs.Subscription{User: "ann", Verb: prefs.AnyVerb, Channel: "mail"}, s)

	opts.DigestWorker.Unsubscribe = func(user, channel string) (string, error) { return user + " at " + channel, nil }
	opts.DigestWorker.Policy = decides{Channels: []string{"mail"}}
	opts.Notify.Policy = opts.DigestWorker.Policy
	require.Equal(w.t, "ann at mail", ring())
}
