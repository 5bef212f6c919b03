package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/stream"
)

type changes = streamtest.Changes[notify.Change]

// newStreamed is newWorld whose table has a stream.
func newStreamed(t *testing.T, opts *notify.Options, wrap ...wrapper) (world, *changes) {
	t.Helper()
	w := world{table: dynamotest.Table(t, streamtest.Streamed(notify.Table)), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...), streamtest.Watch(t, w.table, notify.Changes)
}

// told are changes in short: kind, group's object, newest actors, n.
func told(t testing.TB, changes []notify.Change) []string {
	t.Helper()
	var all []string
	for _, c := range changes {
		require.Equal(t, c.At.Truncate(time.Second), c.At)
		require.False(t, c.At.IsZero())
		object, _, _ := strings.Cut(c.Group, "#")
		line := fmt.Sprint(c.User, " ", c.Kind, " ", object)
		for _, actor := range c.Actors {
			line += " " + actor.ID
		}
		if c.N > 0 {
			line += fmt.Sprint(" ", c.N)
		}
		if c.More {
			line += "+"
		}
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		w, changes := newStreamed(t, nil, wrap)
		ctx := t.Context()
		last := []notify.Change{}
		sees := func(what string, want ...string) {
			t.Helper()
			last = changes.Next(t)
			require.ElementsMatch(t, want, told(t, last), what)
		}
		photo := notify.In{User: "bob", Group: "photo:1#like#2026-03-10"}
		ann, carl := w.like("ann"), w.like("carl")

		res := w.store(t, ann)
		sees("Notify", "bob notified photo:1 ann 1")
		require.Equal(t, res.Group, last[0].Group)
		require.Equal(t, res.Last, last[0].Last)
		require.Equal(t, ann.Activity.ID, last[0].Activity.ID)
		_, created, err := w.Notify(ctx, ann)
		require.NoError(t, err)
		require.False(t, created)
		sees("a repeat")
		w.store(t, carl)
		sees("a second actor", "bob notified photo:1 carl ann 2")
		own, old := w.like("bob"), w.like("dora")
		old.Activity.ID = ids.At(noon.Add(-91 * 24 * time.Hour))
		for _, dropped := range []notify.Notification{own, old} {
			res, _, err := w.Notify(ctx, dropped)
			require.NoError(t, err)
			require.Equal(t, isDropped, outcomeOf(res))
		}
		sees("dropped ones")

		retract := func(n notify.Notification, want bool) {
			t.Helper()
			changed, err := w.Retract(ctx, n)
			require.NoError(t, err)
			require.Equal(t, want, changed)
		}
		retract(carl, true)
		sees("Retract", "bob retracted photo:1 ann 1")
		require.Equal(t, ann.Activity.ID, last[0].Activity.ID)
		retract(carl, false)
		require.NoError(t, errOf3(w.Notify(ctx, carl)))
		late := w.like("eve")
		late.Activity.Object.ID = "2"
		retract(late, false)
		require.NoError(t, errOf3(w.Notify(ctx, late)))
		sees("another Retract, a late Notify, Retract of an unknown event, and that event")

		w.pass(time.Minute)
		view := notify.See(w.list(t, "bob"))
		require.NoError(t, errOf(w.MarkSeen(ctx, "bob", view)))
		sees("MarkSeen", "bob seen")
		require.Equal(t, res.Last, last[0].Last)
		require.NoError(t, errOf(w.MarkSeen(ctx, "bob", view)))
		require.NoError(t, errOf(w.MarkSeen(ctx, "bob", notify.View{})))
		sees("another MarkSeen, and of nothing")
		of := func(call func(context.Context, notify.In) (bool, error)) func() error {
			return func() error { return errOf(call(ctx, photo)) }
		}
		read := func() error {
			return errOf(w.MarkRead(ctx, "bob", []notify.Shown{{Group: photo.Group, Last: res.Last}}))
		}
		allRead := func() error { return errOf(w.MarkAllRead(ctx, "bob", view)) }
		event := func(actor string) func() error {
			return func() error { w.pass(time.Second); w.store(t, w.like(actor)); return nil }
		}
		until := w.Now().Add(time.Hour)
		snooze := func() error { return errOf(w.Snooze(ctx, photo, until)) }
		longer := func() error { return errOf(w.Snooze(ctx, photo, until.Add(time.Hour))) }
		due := func() error { w.pass(2 * time.Hour); require.Len(t, w.list(t, "bob"), 1); return nil }
		for _, step := range []struct {
			what string
			call func() error
			want string
		}{
			{"MarkRead", read, "read photo:1"},
			{"another MarkRead", read, ""},
			{"MarkUnread", of(w.MarkUnread), "unread photo:1"},
			{"MarkRead after it", read, "read photo:1"},
			{"MarkUnread after that", of(w.MarkUnread), "unread photo:1"},
			{"MarkAllRead", allRead, "allRead"},
			{"MarkUnread after it", of(w.MarkUnread), "unread photo:1"},
			{"an event of what was seen", event("fay"), "notified photo:1 fay ann 2"},
			{"Archive", of(w.Archive), "archived photo:1"},
			{"another Archive", of(w.Archive), ""},
			{"Unarchive", of(w.Unarchive), "unarchived photo:1"},
			{"Archive again", of(w.Archive), "archived photo:1"},
			{"an event of what was archived", event("gus"), "notified photo:1 gus fay ann 3"},
			{"Snooze", snooze, "snoozed photo:1"},
			{"another Snooze", snooze, ""},
			{"a longer Snooze", longer, "snoozed photo:1"},
			{"Unsnooze", of(w.Unsnooze), "woken photo:1"},
			{"Snooze again", snooze, "snoozed photo:1"},
			{"an event of what was snoozed", event("hal"), "notified photo:1 hal gus fay ann 4"},
			{"Snooze after it", snooze, "snoozed photo:1"},
			{"Archive of what was snoozed", of(w.Archive), "archived photo:1"},
			{"Snooze of what was archived", snooze, "snoozed photo:1"},
			{"Unsnooze of what was archived", of(w.Unsnooze), "archived photo:1"},
			{"the last Snooze", snooze, "snoozed photo:1"},
			{"List of what is due", due, "woken photo:1"},
		} {
			require.NoError(t, step.call(), step.what)
			if step.want == "" {
				sees(step.what)
				continue
			}
			sees(step.what, "bob "+step.want)
			switch last[0].Kind {
			case notify.AllRead:
				require.Equal(t, res.Last, last[0].Last)
			case notify.Snoozed:
				require.Contains(t, []time.Time{until, until.Add(time.Hour)}, last[0].Until)
			}
		}
		require.Equal(t, w.list(t, "bob")[0].Last, last[0].Last)

		require.NoError(t, errOf(w.Dismiss(ctx, "bob", 77)))
		sees("Dismiss", "bob dismissed")
		require.EqualValues(t, 77, last[0].Announcement)
		require.NoError(t, errOf(w.Dismiss(ctx, "bob", 77)))
		sees("another Dismiss")
		require.NoError(t, errOf(w.Dismiss(ctx, "bob", 78)))
		sees("Dismiss of another", "bob dismissed")
		require.EqualValues(t, 78, last[0].Announcement)

		news := notify.Shown{Last: w.id()}
		require.NoError(t, errOf(w.MarkRead(ctx, "bob", []notify.Shown{news})))
		sees("MarkRead of an announcement", "bob read")
		require.Equal(t, news.Last, last[0].Announcement)
		require.NoError(t, errOf(w.MarkRead(ctx, "bob", []notify.Shown{news})))
		sees("another MarkRead of it")

		groups, err := w.RetractTarget(ctx, "bob", feed.Ref{Kind: "photo", ID: "1"})
		require.NoError(t, err)
		require.Equal(t, 1, groups)
		sees("RetractTarget", "bob retracted photo:1")
		require.NoError(t, errOf(w.RetractTarget(ctx, "bob", feed.Ref{Kind: "photo", ID: "1"})))
		sees("another RetractTarget")

		own = w.like("bob")
		own.Critical, own.Activity.Object.ID = true, "3"
		w.store(t, own)
		sees("a Critical one of the user's own", "bob notified photo:3 bob 1")
		require.NoError(t, w.Erase(ctx, "bob"))
		sees("Erase", "bob erased photo:3")
		require.NoError(t, w.Erase(ctx, "bob"))
		sees("another Erase")
	})
}

func TestAnActorCountedOnceIsReportedEachTime(t *testing.T) {
	t.Parallel()
	w, changes := newStreamed(t, nil)
	for _, actor := range []string{"ann", "carl", "ann"} {
		n := w.like(actor)
		n.CountBy = notify.ByActor
		w.store(t, n)
	}
	require.Equal(t, []string{"bob notified photo:1 ann 1", "bob notified photo:1 carl ann 2", "bob notified photo:1 ann carl 2"}, told(t, changes.Next(t)))
}

func TestAFullGroupIsReportedWhereItRises(t *testing.T) {
	t.Parallel()
	w, changes := newStreamed(t, nil)
	var likes []notify.Notification
	for n := range 7 {
		likes = append(likes, w.like(fmt.Sprint("u", n)))
	}
	w.store(t, likes[0])
	w.fill(t, likes[0], 96, filler)
	w.store(t, likes[1:5]...)
	require.Len(t, changes.Next(t), 5)
	for i, want := range [][]string{{"bob notified photo:1 u5 u4 u3 u2 u1 100+"}, nil} {
		res, _, err := w.Notify(t.Context(), likes[5+i])
		require.NoError(t, err)
		require.Equal(t, isFull, outcomeOf(res))
		require.Equal(t, want, told(t, changes.Next(t)))
	}
	group := notify.In{User: "bob", Group: w.list(t, "bob")[0].Group}
	does(t)(w.Snooze(t.Context(), group, w.Now().Add(time.Hour)))
	w.pass(11 * time.Second)
	require.NoError(t, errOf3(w.Notify(t.Context(), likes[6])))
	require.Equal(t, []string{"bob snoozed photo:1", "bob notified photo:1 u6 u5 u4 u3 u2 100+"}, told(t, changes.Next(t)))
}

// replica is what a reader of the stream knows: each user's groups.
type replica map[notify.In]notify.Change

func (r replica) apply(t testing.TB, c notify.Change) {
	t.Helper()
	at := notify.In{User: c.User, Group: c.Group}
	known, ok := r[at]
	switch {
	case c.Group == "":
		return
	case c.Kind == notify.Notified:
		r[at] = c
		return
	}
	require.True(t, ok, "%+v", c)
	switch c.Kind {
	case notify.Retracted:
		if c.N == 0 {
			delete(r, at)
			return
		}
		c.Kind, c.Until = known.Kind, known.Until
		r[at] = c
	case notify.Erased:
		delete(r, at)
	case notify.Archived, notify.Unarchived, notify.Snoozed, notify.Woken:
		known.Kind, known.Last, known.Until = c.Kind, c.Last, c.Until
		r[at] = known
	}
}

// harsh is faults.Standard with other failures that may pass.
var harsh = faults.Rates{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.05, Stale: 0.20}

// Two processes make random calls, each repeated until it is answered. Two others make the same
// calls on another table, where no request fails. In the end the lists are the same, the
// count is that of the list, and the stream leads to what the lists show.
func TestCallsUnderFaultsLeaveWhatTheyDoWithout(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			injector := faults.New(t, seed, harsh)
			w, changes := newStreamed(t, nil)
			calm := world{table: dynamotest.Table(t, notify.Table), clock: w.clock}
			harried, undisturbed := [2]world{}, [2]world{}
			for i := range harried {
				harried[i], undisturbed[i] = w.process(t, nil, injector.Wrap), calm.process(t, nil)
			}
			random := rand.New(rand.NewPCG(seed, 1))
			var sent []notify.Notification
			for range faults.Size(120, 60) {
				call, by := w.drawn(t, random, &sent), random.IntN(2)
				var got any
				calls := faults.Acknowledged(t, func() (err error) { got, err = call(harried[by]); return err })
				want, err := call(undisturbed[by])
				require.NoError(t, err)
				if calls == 1 {
					require.Equal(t, want, got)
				}
			}
			streamed := replica{}
			for _, user := range []string{"bob", "zoe"} {
				w.list(t, user) // what is due comes back
			}
			for _, c := range changes.Next(t) {
				streamed.apply(t, c)
			}
			calm = undisturbed[0]
			for _, user := range []string{"bob", "zoe"} {
				unseen := 0
				for name, lists := range map[string][2]lister{
					"listed": {w.lists(user), calm.lists(user)}, "archived": {of(w.Archived)(user), of(calm.Archived)(user)},
					"snoozed": {of(w.Snoozed)(user), of(calm.Snoozed)(user)},
				} {
					var entries [2][]notify.Entry
					for i, list := range lists {
						page, err := list(t.Context(), cursor.PageRequest{Limit: 100})
						require.NoError(t, err)
						entries[i] = page.Items
					}
					for _, e := range entries[0] {
						at := notify.In{User: user, Group: e.Group}
						c, ok := streamed[at]
						require.True(t, ok, "%+v", e)
						require.Equal(t, []any{e.Last, e.Summary, e.Until.UTC()}, []any{c.Last, c.Summary, c.Until.UTC()}, "%s %v", name, at)
						require.Equal(t, name, shelf(c.Kind))
						delete(streamed, at)
						if name == "listed" && !e.Seen {
							unseen++
						}
					}
					require.Equal(t, timeless(entries[1]), timeless(entries[0]), name)
				}
				require.Equal(t, unseen, w.unseen(t, user))
			}
			require.Empty(t, streamed)
		})
	}
}

// timeless are entries without the ids of their writes.
func timeless(entries []notify.Entry) []notify.Entry {
	for i := range entries {
		entries[i].Last = 0
	}
	return entries
}

func shelf(k notify.ChangeKind) string {
	switch k {
	case notify.Archived:
		return "archived"
	case notify.Snoozed:
		return "snoozed"
	}
	return "listed"
}

// drawn is a random call about one of bob's or zoe's photos, which any process can make. Its
// answer is nil where a repeat may give another.
func (w world) drawn(t *testing.T, random *rand.Rand, sent *[]notify.Notification) func(world) (answer any, err error) {
	ctx, user := t.Context(), []string{"bob", "zoe"}[random.IntN(2)]
	in := notify.In{User: user, Group: fmt.Sprintf("photo:%d#like#2026-03-10", 1+random.IntN(3))}
	until := w.Now().Add(time.Duration(1+random.IntN(60)) * time.Second)
	n := w.like(fmt.Sprint("u", random.IntN(9)))
	n.User, n.Activity.Object.ID = user, fmt.Sprint(1+random.IntN(3))
	n.CountBy = []notify.CountBy{notify.ByActivity, notify.ByActor}[random.IntN(2)]
	if *sent = append(*sent, n); random.IntN(3) == 0 {
		n = (*sent)[random.IntN(len(*sent))]
	}
	of := func(call func(*notify.Repository, context.Context, notify.In) (bool, error)) func(world) (any, error) {
		return func(p world) (any, error) { return call(p.Repository, ctx, in) }
	}
	mark := func(call func(*notify.Repository, context.Context, string, notify.View) (bool, error)) func(world) (any, error) {
		return func(p world) (any, error) {
			page, err := p.List(ctx, reader(user), cursor.PageRequest{Limit: 100})
			if err == nil {
				_, err = call(p.Repository, ctx, user, notify.See(page.Items))
			}
			return nil, err
		}
	}
	switch random.IntN(20) {
	case 0:
		return of((*notify.Repository).Archive)
	case 1:
		return of((*notify.Repository).Unarchive)
	case 2:
		return of((*notify.Repository).Unsnooze)
	case 3:
		return of((*notify.Repository).MarkUnread)
	case 4:
		return func(p world) (any, error) { return p.Snooze(ctx, in, until) }
	case 5:
		return mark((*notify.Repository).MarkSeen)
	case 6:
		return mark((*notify.Repository).MarkAllRead)
	case 7:
		return func(p world) (any, error) { return p.RetractTarget(ctx, user, feed.Ref{Kind: "photo", ID: "2"}) }
	case 8:
		w.pass(time.Duration(random.IntN(30)) * time.Second)
		return func(p world) (any, error) { return p.Unseen(ctx, reader(user)) }
	case 9:
		if random.IntN(4) == 0 {
			return func(p world) (any, error) { return nil, p.Erase(ctx, user) }
		}
	case 10, 11, 12, 13:
		return func(p world) (any, error) { return p.Retract(ctx, n) }
	}
	return func(p world) (any, error) {
		res, created, err := p.Notify(ctx, n)
		return fmt.Sprint(outcomeOf(res), " ", created), err
	}
}

func TestChangesAreReadFromTheImages(t *testing.T) {
	t.Parallel()
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	number := func(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
	type attributes = map[string]types.AttributeValue
	const id = "32SBCWQRR0001"
	at := func(sk string, more attributes) attributes {
		item := attributes{"pk": text("N#bob"), "sk": text(sk)}
		maps.Copy(item, more)
		return item
	}
	const sk = "G#photo:1#like#2026-03-10"
	data, err := json.Marshal(feed.Activity{ID: 1, Actor: feed.Ref{ID: "ann"}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: "1"}})
	require.NoError(t, err)
	group := at(sk, attributes{
		"last": text(id + "#0123456789ab"), "lv": text(id), "n": number("1"), "a1": text("ann"), "rev": number("1"),
		"ttl": number("1"), "data": text(string(data)), "e" + id: text(id + "#ann"),
	})
	with := func(item attributes, more attributes) attributes {
		item = maps.Clone(item)
		maps.Copy(item, more)
		return item
	}
	empty := with(group, attributes{"n": number("0"), "data": text(""), "last": text(""), "e" + id: text("-" + id)})
	delete(empty, "last")
	state := func(more attributes) attributes {
		more = with(attributes{"gone": &types.AttributeValueMemberB{Value: []byte{0}}}, more)
		return at("S", attributes{"last": text("~"), "rev": number("1"), "s": &types.AttributeValueMemberM{Value: more}})
	}
	for name, c := range map[string]struct {
		record stream.Record
		want   []notify.ChangeKind
		err    error
	}{
		"where all was retracted":     {stream.Record{Kind: stream.Modify, Old: empty, New: group}, []notify.ChangeKind{notify.Notified}, nil},
		"it is emptied":               {stream.Record{Kind: stream.Modify, Old: group, New: empty}, []notify.ChangeKind{notify.Retracted}, nil},
		"a retracted event alone":     {stream.Record{Kind: stream.Insert, New: empty}, nil, nil},
		"an empty one goes":           {stream.Record{Kind: stream.Remove, Old: empty}, nil, nil},
		"it expires":                  {stream.Record{Kind: stream.Remove, Old: group, ByTTL: true}, nil, nil},
		"its ttl is raised":           {stream.Record{Kind: stream.Modify, Old: group, New: with(group, attributes{"ttl": number("2")})}, nil, nil},
		"its data are damaged":        {stream.Record{Kind: stream.Insert, New: with(group, attributes{"data": text("x")})}, nil, plaza.ErrCorrupt},
		"its data are no activity":    {stream.Record{Kind: stream.Insert, New: with(group, attributes{"data": text("[]")})}, nil, plaza.ErrCorrupt},
		"an entry is damaged":         {stream.Record{Kind: stream.Remove, Old: with(group, attributes{"e" + id: text("x")})}, nil, plaza.ErrCorrupt},
		"a state of snoozes":          {stream.Record{Kind: stream.Insert, New: state(attributes{"wake": text(id), "low": text(id)})}, nil, nil},
		"a state goes":                {stream.Record{Kind: stream.Remove, Old: state(attributes{"w": text(id)})}, nil, nil},
		"a state is damaged":          {stream.Record{Kind: stream.Insert, New: at("S", nil)}, nil, plaza.ErrCorrupt},
		"a job":                       {stream.Record{Kind: stream.Insert, New: attributes{"pk": text("J#0"), "sk": text(id + "#photo:1")}}, nil, nil},
		"its images were dropped":     {stream.Record{Kind: stream.Insert, New: group, Truncated: true}, nil, stream.ErrTruncated},
		"the stream has keys alone":   {stream.Record{Kind: stream.Modify}, nil, stream.ErrView},
		"the stream has new images":   {stream.Record{Kind: stream.Modify, New: group}, nil, stream.ErrView},
		"a group of nobody":           {stream.Record{Kind: stream.Insert, New: with(group, attributes{"pk": text("N#")})}, nil, plaza.ErrCorrupt},
		"a group that is called else": {stream.Record{Kind: stream.Insert, New: with(group, attributes{"sk": text("G#x")})}, nil, plaza.ErrCorrupt},
	} {
		if item := c.record.New; item != nil {
			c.record.Keys = attributes{"pk": item["pk"], "sk": item["sk"]}
		} else if item := c.record.Old; item != nil {
			c.record.Keys = attributes{"pk": item["pk"], "sk": item["sk"]}
		} else {
			c.record.Keys = attributes{"pk": group["pk"], "sk": group["sk"]}
		}
		got, err := notify.Changes(c.record)
		require.ErrorIs(t, err, c.err, name)
		var kinds []notify.ChangeKind
		for _, change := range got {
			kinds = append(kinds, change.Kind)
		}
		require.Equal(t, c.want, kinds, name)
	}
}

// A reader of the stream sends changes on as they are.
func TestAChangeIsSmallJSON(t *testing.T) {
	t.Parallel()
	w, changes := newStreamed(t, nil)
	w.store(t, w.like("ann"))
	w.pass(time.Minute)
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "bob", notify.See(w.list(t, "bob")))))
	all := changes.Next(t)
	require.Len(t, all, 2)
	all[0].At, all[1].At = noon, noon
	for i, want := range []string{
		`{"kind":"notified","user":"bob","group":"photo:1#like#2026-03-10","last":"` + all[0].Last.String() + `","activity":{"id":"` +
			all[0].Activity.ID.String() + `","actor":"ann","verb":"like","object":"photo:1","time":"2026-03-10T12:00:00Z"},"actors":["ann"],"n":1,"at":"2026-03-10T12:00:00Z"}`,
		`{"kind":"seen","user":"bob","last":"` + all[0].Last.String() + `","at":"2026-03-10T12:00:00Z"}`,
	} {
		got, err := json.Marshal(all[i])
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		var back notify.Change
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, all[i], back)
	}
}

func FuzzChanges(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		const id = "32SBCWQRR0001"
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs: []string{"N#bob", "N#bob", "N", "N#", "N#a#b", "A#all#0", "J#0", "~"},
			SKs: []string{"G#photo:1#like#2026-03-10", "G#", "G#x", "S", "P", "B#ann", id + "#photo:1"},
			Attributes: slices.Concat([]string{"last", "lv", "n", "more", "a1", "a2", "rev", "read", "unread", "was", "ttl", "data", "cut", "shelf", "s"},
				[]string{"w", "x", "r", "rx", "ra", "wake", "low", "gone", "e" + id, "e#ann"}),
			Values: []string{
				id, id + "#0123456789ab", "-" + id + "#0123456789ab", "+" + id + "#0123456789ab", "ann", id + "#ann", "-" + id, id + "#" + id,
				`{"id":"` + id + `","actor":"ann","verb":"like","object":"photo:1"}`, "\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01",
			},
		}, func(r stream.Record) error {
			return errOf(notify.Changes(r))
		})
	})
}
