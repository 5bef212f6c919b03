package digest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

var (
	daily  = digest.Schedule{Daily: "08:00"}
	hourly = digest.Schedule{Every: time.Hour}
)

func TestTenEventsAreOneDigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	p := w.process(t, parts{})
	for n := range 10 {
		p.notify(t, fmt.Sprint(n))
		p.pass(time.Minute)
	}
	require.Len(t, w.jobs(t), 1)
	p.until(t, "08:00:19")
	require.Zero(t, p.deliver(t), "what is written late would be missed")
	p.pass(2 * time.Second)
	require.Equal(t, 1, p.deliver(t))
	require.Zero(t, p.deliver(t))
	require.Empty(t, w.jobs(t))
	sent := w.all()
	require.Len(t, sent, 1)
	require.Equal(t, "0 1 2 3 4 5 6 7 8 9", objectsOf(sent[0]))
	slot := time.Date(2026, 3, 11, 8, 0, 0, 0, time.UTC)
	require.Equal(t, digest.Digest{
		Key: "ann#email#" + ids.At(slot).String(), User: "ann", Channel: email,
		From: slot.AddDate(0, 0, -1), Slot: slot, Entries: sent[0].Entries, Attempt: 1,
	}, sent[0])
}

func TestEachEventIsInTheDigestOfItsSlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{})
	p.notify(t, "1")
	w.set(noon.Add(time.Hour - time.Millisecond))
	p.notify(t, "2")
	w.set(noon.Add(time.Hour))
	p.notify(t, "3") // on the boundary: in the next slot
	w.pass(notify.Window + time.Second)
	p.notify(t, "2") // again, before the digest is sent: it shows in the next one, whole
	p.deliver(t)
	p.notify(t, "1") // again, after it
	w.pass(time.Hour)
	p.deliver(t)
	require.Equal(t, "1, 3 2 1", w.objects(t))
	require.Equal(t, 2, w.all()[1].Entries[0].N)
	require.Equal(t, 2, w.all()[1].Entries[1].N)
}

func TestADigestMayWaitForWhatStaysUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, digest.Schedule{Every: time.Minute, After: time.Hour, Quiet: digest.Quiet{From: "22:00", To: "07:00"}})
	p := w.process(t, parts{})
	w.until(t, "12:00:05")
	p.notify(t, "1", "2", "3")
	w.until(t, "12:30:30")
	list, err := p.List(t.Context(), notify.Reader{User: "ann"}, cursor.PageRequest{})
	require.NoError(t, err)
	e := list.Items[2] // of 1
	require.NoError(t, errOf(p.MarkRead(t.Context(), "ann", []notify.Shown{{Group: e.Group, Last: e.Last}})))
	p.notify(t, "2") // it is in the later slot now
	w.until(t, "13:01:19")
	require.Zero(t, p.deliver(t))
	w.until(t, "13:01:21")
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "3", w.objects(t))
	require.Equal(t, "12:00 12:01", w.all()[0].From.UTC().Format("15:04 ")+w.all()[0].Slot.UTC().Format("15:04"))
	w.until(t, "13:31:21")
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "3, 2", w.objects(t))

	w.until(t, "21:30:00")
	p.notify(t, "4")
	w.until(t, "23:00:00")
	require.Zero(t, p.deliver(t), "it would be due in quiet hours")
	w.until(t, "07:00:21")
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "3, 2, 4", w.objects(t))
	require.Equal(t, "06:00", w.all()[2].Slot.UTC().Format("15:04"))
}

// A service pushes what Notify stores outside the quiet hours.
func TestPushesOfQuietHoursAreADigestAtTheirEnd(t *testing.T) {
	t.Parallel()
	quiet := digest.Schedule{Quiet: digest.Quiet{From: "22:00", To: "07:00"}}
	w := newWorld(t, quiet)
	p := w.process(t, parts{})
	var pushed []string
	event := func(clock, post string) {
		t.Helper()
		w.until(t, clock)
		res, _, err := p.Notify(t.Context(), p.post("ann", post))
		require.NoError(t, err)
		until, err := quiet.QuietUntil(res.Last.Time())
		require.NoError(t, err)
		if until.IsZero() {
			pushed = append(pushed, post)
		}
	}
	event("20:00:00", "1")
	event("21:59:59", "2")
	require.Empty(t, w.jobs(t))
	event("22:00:00", "3")
	event("03:00:00", "4")
	require.Len(t, w.jobs(t), 1)
	event("07:00:00", "5")
	w.pass(notify.Window + time.Second)
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, []string{"1", "2", "5"}, pushed)
	require.Equal(t, "3 4", w.objects(t))
	require.Empty(t, w.jobs(t))

	// Other schedules take over what is planned, and plan what this one left out.
	event("23:00:00", "6")
	w.choose("ann", hourly)
	w.pass(time.Minute)
	p.notify(t, "7")
	w.until(t, "07:01:00")
	require.Positive(t, p.deliver(t))
	require.Equal(t, "3 4, 6 7", w.objects(t))
	w.choose("ann", quiet)
	event("08:30:00", "8")
	w.choose("ann", hourly)
	w.pass(time.Minute)
	p.notify(t, "9")
	w.until(t, "09:01:00")
	require.Equal(t, 1, p.deliver(t))
	w.choose("ann", quiet)
	w.until(t, "21:10:00")
	p.notify(t, "10")
	w.choose("ann", hourly)
	w.pass(time.Minute)
	p.notify(t, "11")
	w.until(t, "22:01:00")
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "3 4, 6 7, 8 9, 10 11", w.objects(t))

	w.until(t, "10:00:00")
	p.notify(t, "12")
	w.choose("ann", quiet) // its digest does not wait for the evening
	w.until(t, "11:01:00")
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "3 4, 6 7, 8 9, 10 11, 12", w.objects(t))
}

func TestADigestLeavesOutReadAndUnlistedGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	p := w.process(t, parts{})
	p.notify(t, "archived", "snoozed", "retracted", "unread", "seen", "read")
	at := func(id string) notify.In {
		return notify.In{User: "ann", Group: "post:" + id + "#comment#2026-03-10"}
	}
	list := func() []notify.Entry {
		page, err := p.List(t.Context(), notify.Reader{User: "ann"}, cursor.PageRequest{Limit: 100})
		require.NoError(t, err)
		return page.Items
	}
	require.NoError(t, errOf(p.MarkRead(t.Context(), "ann", []notify.Shown{{Group: at("read").Group, Last: list()[0].Last}})))
	require.NoError(t, errOf(p.Archive(t.Context(), at("archived"))))
	require.NoError(t, errOf(p.Snooze(t.Context(), at("snoozed"), noon.AddDate(0, 0, 3))))
	require.NoError(t, errOf(p.RetractTarget(t.Context(), "ann", feed.Ref{Kind: "post", ID: "retracted"})))
	w.pass(time.Minute)
	require.NoError(t, errOf(p.MarkSeen(t.Context(), "ann", notify.See(list()))))
	p.until(t, "09:00:00")
	p.deliver(t)
	require.Equal(t, "unread seen", w.objects(t))
}

func TestChannelsHaveTheirOwnDigests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	schedule := func(_ context.Context, user, channel string) (digest.Schedule, error) {
		switch channel {
		case "push":
			return digest.Schedule{Every: 5 * time.Minute}, nil
		case "sms":
			return digest.Schedule{}, nil
		}
		return daily, nil
	}
	p := w.process(t, parts{schedule: schedule, policy: channels{email, "push", "sms"}})
	p.notify(t, "1")
	w.pass(6 * time.Minute)
	p.notify(t, "2")
	p.deliver(t)
	w.until(t, "09:00:00")
	p.deliver(t)
	var got []string
	for _, d := range w.all() {
		got = append(got, d.Channel+" "+objectsOf(d))
	}
	require.ElementsMatch(t, []string{"push 1", "push 2", "email 1 2"}, got)
	require.Empty(t, w.jobs(t))
}

// The user unsubscribes between the event and the digest.
func TestAUserWhoUnsubscribedAfterTheEventGetsNoDigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	wants, err := prefs.New(dynamotest.DB(t), w.table, w, &prefs.Options{
		Channels: []string{email},
		Verbs: []prefs.Verb{
			{Name: "comment", Channels: []string{email}}, {Name: "like"}, {Name: "login", Channels: []string{email}, Critical: true},
		},
		Tokens:     prefs.Keyring{Current: 1, Keys: map[byte][]byte{1: []byte("0123456789abcdef0123456789abcdef")}},
		Consistent: true, Now: w.Now,
	})
	require.NoError(t, err)
	p := w.process(t, parts{policy: wants, worker: digest.WorkerOptions{
		Policy: wants,
		Unsubscribe: func(user, channel string) (string, error) {
			return wants.Token(prefs.Subscription{User: user, Verb: prefs.AnyVerb, Channel: channel})
		},
	}})
	like := p.post("ann", "liked")
	like.Activity.Verb = "like"
	require.NoError(t, errOf3(p.Notify(t.Context(), like)))
	require.Empty(t, w.jobs(t), "likes are in the list alone")
	p.notify(t, "1")
	login := p.post("ann", "login")
	login.Activity.Verb, login.Activity.Actor, login.Critical = "login", feed.Ref{ID: "ann"}, true
	require.NoError(t, errOf3(p.Notify(t.Context(), login)))
	w.until(t, "09:00:00")
	p.deliver(t)
	require.Equal(t, "1 login", w.objects(t), "without the like")

	p.notify(t, "2")
	_, changed, err := wants.Unsubscribe(t.Context(), w.all()[0].Unsubscribe)
	require.NoError(t, err)
	require.True(t, changed)
	w.until(t, "09:00:00")
	require.Equal(t, 1, p.deliver(t))
	require.Len(t, w.all(), 1)
}

// comments is a Policy that wants mails of comments alone.
type comments struct{}

func (comments) Decide(_ context.Context, n notify.Notification) (d notify.Decision, err error) {
	if n.Activity.Verb == "comment" {
		d.Channels = []string{email}
	}
	return d, nil
}

func TestUnwantedEventsTakeNoPlaceInADigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{policy: comments{}, worker: digest.WorkerOptions{Policy: comments{}}})

	p.notify(t, "1")
	for n := range 120 {
		like := w.post("ann", fmt.Sprint("liked ", n))
		like.Activity.Verb = "like"
		require.NoError(t, errOf3(p.Notify(t.Context(), like)))
	}
	w.pass(time.Hour + time.Minute)
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "1", w.objects(t))
}

func TestWatchersGetDigests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	followTable := dynamotest.Table(t, follow.Table)
	follows, err := follow.New(dynamotest.DB(t), followTable, w.clock, &follow.Options{Now: w.Now})
	require.NoError(t, err)
	question := feed.Ref{Kind: "question", ID: "7"}
	for _, user := range []string{"ann", "bob", "zoe"} {
		require.NoError(t, errOf3(follows.Follow(t.Context(), follow.Edge{Follower: user, Followee: question.String()})))
	}
	p := w.process(t, parts{bell: notify.Options{Watchers: follows}})
	n := w.post("", "answer")
	n.Activity.Target = question
	require.NoError(t, errOf(p.NotifyWatchers(t.Context(), question, n)))
	require.NoError(t, errOf(p.Deliver(t.Context())))
	w.until(t, "09:00:00")
	require.Equal(t, 2, p.deliver(t))
	var users []string
	for _, d := range w.all() {
		users = append(users, d.User+" "+objectsOf(d))
	}
	require.ElementsMatch(t, []string{"ann answer", "bob answer"}, users, "zoe has answered herself")
}

func TestADigestHasAtMostAHundredEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	p := w.process(t, parts{})
	for n := range digest.MaxEntries + 1 {
		p.notify(t, fmt.Sprint(n))
	}
	w.until(t, "09:00:00")
	p.deliver(t)
	d := w.all()[0]
	require.Len(t, d.Entries, digest.MaxEntries)
	require.True(t, d.More)
	require.Equal(t, "100", d.Entries[0].Activity.Object.ID, "the newest")
}

func TestNamesOfAnyKindHaveDigestsOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	for _, n := range []struct{ user, channel string }{
		{"a", "b#c"}, {"a#b", "c"}, {`a\`, "#c"}, {"用户", "é"}, {strings.Repeat("a", 240), "x"},
	} {
		p := w.process(t, parts{policy: channels{n.channel}})
		require.NoError(t, errOf3(p.Notify(t.Context(), w.post(n.user, n.user+" "+n.channel))))
	}
	w.until(t, "09:00:00")
	p := w.process(t, parts{})
	require.Equal(t, 5, p.deliver(t))
	known := map[string]bool{}
	for _, d := range w.all() {
		require.Equal(t, d.User+" "+d.Channel, objectsOf(d))
		require.False(t, known[d.Key])
		known[d.Key] = true
	}
}

func TestInvalidInputIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	p := w.process(t, parts{})
	due := func(user string, at ids.ID, channels ...string) error { return p.due(t.Context(), user, channels, at) }
	options := func(o digest.Options) error { return errOf(digest.New(dynamotest.DB(t), w.table, &o)) }
	worker := func(o digest.WorkerOptions) error {
		return errOf(digest.NewWorker(p.digests, p.Repository, w.mailbox, &o))
	}
	callstest.RequireInvalid(t, map[string]struct {
		Field string
		Err   error
	}{
		"nobody":             {"User", due("", w.id(), email)},
		"no channel":         {"Channel", due("ann", w.id(), email, "")},
		"no time":            {"At", due("ann", 0, email)},
		"nobody who leaves":  {"User", p.digests.Erase(t.Context(), "")},
		"many shards":        {"Options.JobShards", options(digest.Options{JobShards: 65})},
		"a negative cache":   {"Options.CacheSize", options(digest.Options{CacheSize: -1})},
		"fewer than none":    {"WorkerOptions.Parallel", worker(digest.WorkerOptions{Parallel: -1})},
		"a poll of the past": {"WorkerOptions.Poll", worker(digest.WorkerOptions{Poll: -1})},
		"no digests":         {"digests", errOf(digest.NewWorker(nil, p.Repository, w.mailbox, nil))},
		"no groups":          {"groups", errOf(digest.NewWorker(p.digests, nil, w.mailbox, nil))},
		"no sender":          {"sender", errOf(digest.NewWorker(p.digests, p.Repository, nil, nil))},
		"no database":        {"db", errOf(digest.New(nil, w.table, nil))},
	})
	require.NoError(t, due("ann", w.id()))
	require.Empty(t, w.jobs(t))
}

var errBroken = errors.New("broken")

// A schedule that is invalid fails the notification, rather than losing the mail.
func TestAScheduleThatFailsFailsTheNotification(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	for _, c := range []struct {
		digest.Schedule
		failed, want error
	}{
		{daily, errBroken, errBroken},
		{digest.Schedule{Every: 1}, nil, plaza.ErrInvalid},
		{digest.Schedule{Daily: "08:00", Zone: "Mars"}, nil, plaza.ErrInvalid},
		{digest.Schedule{Daily: "08:00", Quiet: digest.Quiet{From: "00:00", To: "00:00"}}, nil, plaza.ErrInvalid},
	} {
		p := w.process(t, parts{schedule: func(context.Context, string, string) (digest.Schedule, error) {
			return c.Schedule, c.failed
		}})
		_, _, err := p.Notify(t.Context(), w.post("ann", "1"))
		require.ErrorIs(t, err, c.want)
	}
	require.Empty(t, w.jobs(t))
}

// Many users are due at one moment, and several workers share them.
func TestAHotMomentIsSharedByWorkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, daily)
	users := faults.Size(300, 30)
	p := w.process(t, parts{opts: digest.Options{JobShards: 4}})
	for n := range users {
		user := fmt.Sprint("user", n)
		require.NoError(t, p.due(t.Context(), user, []string{email}, w.id()))
	}
	w.until(t, "09:00:00")
	var delivered atomic.Int64
	var all sync.WaitGroup
	groups := groupsOf(func(user string, _ notify.Span) []notify.Entry { return []notify.Entry{{Group: user}} })
	for range 3 {
		own := w.process(t, parts{opts: digest.Options{JobShards: 4}})
		worker, err := digest.NewWorker(own.digests, groups, w.mailbox, nil)
		require.NoError(t, err)
		all.Go(func() {
			n, err := worker.Deliver(t.Context())
			if err != nil {
				t.Error(err)
			}
			delivered.Add(int64(n))
		})
	}
	all.Wait()
	require.EqualValues(t, users, delivered.Load())
	known := map[string]int{}
	for _, d := range w.all() {
		known[d.User]++
	}
	require.Len(t, known, users)
	require.Len(t, w.all(), users)
	require.Empty(t, w.jobs(t))
}

type groupsOf func(user string, in notify.Span) []notify.Entry

func (g groupsOf) UnreadBetween(_ context.Context, user string, in notify.Span) ([]notify.Entry, bool, error) {
	return g(user, in), false, nil
}
