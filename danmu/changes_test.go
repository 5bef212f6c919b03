package danmu_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// A handler of the table's stream gets what was sent, who liked it, and
// how it ended.
func ExampleChanges() {
	ctx := context.Background()
	db, stop := local(ctx)
	defer stop()
	comments := on(db, nil)
	sent := send(ctx, comments, danmu.Comment{Object: "film", User: "jack", Text: "here it comes", Progress: 83 * time.Second})
	if _, err := comments.Like(ctx, danmu.Action{Object: "film", ID: sent.ID, User: "anna"}); err != nil {
		log.Fatal(err)
	}
	if _, err := comments.Recall(ctx, danmu.Action{Object: "film", ID: sent.ID, User: "jack"}); err != nil {
		log.Fatal(err)
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := danmu.Changes(r)
		for _, c := range changes {
			fmt.Printf("%v at %v %q %q\n", c.Kind, c.Comment.Progress, c.Comment.Text, c.By)
		}
		return err
	}
	if err := streamtest.Each(ctx, db, "danmu", handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// sent at 1m23s "here it comes" ""
	// liked at 1m23s "" "anna"
	// recalled at 1m23s "here it comes" ""
}

// newStreamed is newStage whose table has a stream.
func newStreamed(t *testing.T, wrap ...wrapper) (stage, *streamtest.Changes[danmu.Change]) {
	t.Helper()
	w := world{table: dynamotest.Table(t, streamtest.Streamed(danmu.Table)), source: &source{clock: &clock{now: noon}}}
	return stage{w.process(t, stageOptions(wrap), wrap...)}, streamtest.Watch(t, w.table, danmu.Changes)
}

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		s, changes := newStreamed(t, wrap)
		ctx := t.Context()
		sees := func(what string, want ...danmu.Change) {
			t.Helper()
			got := changes.Next(t)
			for i := range got {
				require.False(t, got[i].At.IsZero())
				require.Equal(t, got[i].At.Truncate(time.Second), got[i].At)
				got[i].At = time.Time{}
			}
			require.ElementsMatch(t, want, got, what)
		}
		does := func(changed bool, err error) func(bool) {
			t.Helper()
			return func(want bool) {
				t.Helper()
				require.NoError(t, err)
				require.True(t, want || !changed) // a request that was sent twice may meet itself
			}
		}
		change := func(kind danmu.ChangeKind, c danmu.Comment) danmu.Change {
			c.Key = ""
			return danmu.Change{Kind: kind, Comment: c}
		}
		by := func(kind danmu.ChangeKind, a danmu.Action) danmu.Change {
			c := danmu.Comment{Object: a.Object, ID: a.ID, Progress: a.ID.Progress()}
			return danmu.Change{Kind: kind, Comment: c, By: a.User, Op: a.Op}
		}
		id := func() ids.ID {
			id, err := s.Next(ctx)
			require.NoError(t, err)
			return id
		}

		s.configure(t, "a#b", danmu.Settings{Shards: 4})
		sees("Configure")
		given := danmu.Comment{
			Object: "a#b", User: "jack#1", Key: "k", Text: "hi", Progress: 20 * time.Second,
			Mode: danmu.Top, Color: danmu.RGB(0xFF0000), Size: 25, Extra: []byte(`{"a":1}`),
		}
		c := s.send(t, given)
		sees("Send", change(danmu.Sent, c))
		_, created, err := s.Send(ctx, given)
		require.NoError(t, err)
		require.False(t, created)
		sees("a repeat")

		like := danmu.Action{Object: "a#b", ID: c.ID, User: "ann", Op: id()}
		does(s.Like(ctx, like))(true)
		sees("Like", by(danmu.Liked, like))
		does(s.Like(ctx, like))(true)
		other := like
		other.Op = id()
		does(s.Like(ctx, other))(false)
		sees("a repeat, and another like")
		does(s.Unlike(ctx, like))(true)
		sees("Unlike", by(danmu.Unliked, like))
		does(s.Unlike(ctx, other))(false)
		sees("an Unlike that comes before its Like")
		other.Op = id()
		does(s.Like(ctx, other))(true)
		sees("another Like", by(danmu.Liked, other))
		var report danmu.Action
		for _, user := range []string{"bob", "cat", "dan", "ann"} {
			report = danmu.Action{Object: "a#b", ID: c.ID, User: user, Op: id()}
			does(s.Report(ctx, report))(true)
			does(s.Report(ctx, report))(true)
			sees("a Report, also the one that hides", by(danmu.Reported, report))
		}

		mod := moderated(c)
		mod.Op = id()
		does(s.Protect(ctx, mod))(true)
		c.Likes, c.Reports, c.Protected = 1, hideAt+1, true
		protected := change(danmu.Protected, c)
		protected.Op = mod.Op
		sees("Protect", protected)
		does(s.Protect(ctx, mod))(true)
		sees("a repeat")
		does(s.Unprotect(ctx, mod))(true)
		c.Protected = false
		protected.Kind, protected.Comment.Protected = danmu.Unprotected, false
		sees("Unprotect", protected)
		does(s.Unprotect(ctx, mod))(true)
		sees("a repeat")

		does(s.Recall(ctx, of(c, "jack#1")))(true)
		sees("Recall", change(danmu.Recalled, c))
		does(s.Recall(ctx, of(c, "jack#1")))(false)
		does(s.Remove(ctx, mod))(false)
		_, _, err = s.Send(ctx, given)
		require.ErrorIs(t, err, plaza.ErrRemoved)
		sees("what comes after Recall")
		second := s.send(t, danmu.Comment{Object: "a#b", User: "jack#1", Text: "again", Progress: time.Hour})
		sees("Send into another segment", change(danmu.Sent, second))
		does(s.Remove(ctx, moderated(second)))(true)
		sees("Remove", change(danmu.Removed, second))
		third := s.send(t, danmu.Comment{Object: "a#b", User: "jack#1", Text: "once more", Progress: time.Minute})
		fourth := s.send(t, danmu.Comment{Object: "a#b", User: "zoe", Text: "me too", Progress: time.Minute})
		sees("Sends", change(danmu.Sent, third), change(danmu.Sent, fourth))

		imported := danmu.Comment{Key: "17", Text: "old", Progress: 30 * time.Second, Sent: noon.Add(-time.Hour), Likes: 3, Protected: true}
		for range 2 {
			s.imports(t, "a#b", imported)
		}
		got := changes.Next(t)
		require.Len(t, got, 1, "Import, twice")
		stored, err := s.Get(ctx, "a#b", got[0].Comment.ID)
		require.NoError(t, err)
		require.Equal(t, stored, got[0].Comment)
		require.Equal(t, danmu.Sent, got[0].Kind)

		require.NoError(t, s.Erase(ctx, "jack#1"))
		sees("Erase of a sender", change(danmu.Erased, third))
		require.NoError(t, s.Erase(ctx, "ann"))
		sees("Erase of who liked and reported", by(danmu.Unliked, other), by(danmu.Unreported, report))
		require.NoError(t, s.Erase(ctx, "ann"))
		require.NoError(t, s.Erase(ctx, "jack#1"))
		sees("another Erase")
		require.NoError(t, s.EraseObject(ctx, "a#b"))
		sees("EraseObject", change(danmu.Erased, fourth), danmu.Change{Kind: danmu.Erased, Comment: stored})
		require.NoError(t, s.EraseObject(ctx, "a#b"))
		sees("another EraseObject")
	})
}

// Two processes sent one comment while its object's shards grew. Consumers recognize it
// by its ID.
func TestCopiesReportTwice(t *testing.T) {
	t.Parallel()
	s, changes := newStreamed(t)
	c := s.send(t, danmu.Comment{Key: "k"})
	s.configure(t, "v", danmu.Settings{Shards: 32})
	s.pass(time.Hour)
	var item dynamo.Item
	items := s.items(t, "D#v")
	require.NoError(t, s.raw(t).Get("pk", items[0].PK).Range("sk", dynamo.Equal, items[0].SK).One(t.Context(), &item))
	var copies []any
	for shard := range 32 { // two of these are known to readers: it lay in one, and would lie in the other now
		keys := maps.Clone(item)
		keys["pk"] = &types.AttributeValueMemberS{Value: fmt.Sprint("D#v#0#", shard)}
		copies = append(copies, keys)
	}
	_, err := s.raw(t).Batch().Write().Put(copies...).Run(t.Context())
	require.NoError(t, err)
	changes.Next(t)
	changed, err := s.Remove(t.Context(), moderated(c))
	require.NoError(t, err)
	require.True(t, changed)
	got := changes.Next(t)
	require.Len(t, got, 2)
	for _, g := range got {
		require.Equal(t, danmu.Removed, g.Kind)
		require.Equal(t, c.ID, g.Comment.ID)
	}
}

// The calls are random. What the stream reports leads to what reads show.
func TestChangesUnderFaultsLeadToWhatIsStored(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faultMixes[seed%3])
			in.Off()
			s, changes := newStreamed(t, in.Wrap)
			p := &party{stage: s, object: "film", users: []string{"anna", "jack", "zoe"}}
			p.configure(t, "film", danmu.Settings{Shards: 4})
			in.On()
			random := rand.New(rand.NewPCG(seed, 1))
			for i, user := range p.users {
				given := danmu.Comment{Object: "film", User: user, Key: fmt.Sprint(i), Text: "by " + user, Progress: 20 * time.Second}
				faults.Acknowledged(t, func() error {
					c, _, err := p.Send(t.Context(), given)
					if err == nil {
						p.add(c)
					}
					return err
				})
			}
			for range 40 {
				c := p.comments[random.IntN(3)]
				p.act(t, c, p.users[random.IntN(3)], deeds[random.IntN(len(deeds))], func(call func() error) int {
					return faults.Acknowledged(t, call)
				})
			}
			in.Off()
			p.holds(t)

			found := map[danmu.ID]*expected{}
			for _, c := range changes.Next(t) {
				stands := found[c.Comment.ID]
				require.Equal(t, c.Kind == danmu.Sent, stands == nil)
				switch c.Kind {
				case danmu.Sent:
					found[c.Comment.ID] = &expected{Comment: c.Comment, liked: map[string]bool{}, reported: map[string]bool{}}
				case danmu.Recalled, danmu.Removed:
					require.False(t, stands.gone)
					stands.gone = true
				case danmu.Protected, danmu.Unprotected:
					require.Equal(t, c.Kind == danmu.Unprotected, stands.protected)
					stands.protected = !stands.protected
				case danmu.Liked:
					require.False(t, stands.liked[c.By])
					stands.liked[c.By] = true
				case danmu.Unliked:
					require.True(t, stands.liked[c.By])
					delete(stands.liked, c.By)
				case danmu.Reported:
					require.False(t, stands.reported[c.By])
					stands.reported[c.By] = true
				default:
					require.Fail(t, string(c.Kind))
				}
			}
			require.Len(t, found, len(p.comments))
			for _, want := range p.comments {
				got := found[want.ID]
				require.Equal(t, want.gone, got.gone)
				require.Equal(t, want.liked, got.liked)
				require.Equal(t, want.reported, got.reported)
				require.Equal(t, want.protected && !want.gone, got.protected && !got.gone)
			}
		})
	}
}

func TestChangesAreReadFromTheImages(t *testing.T) {
	t.Parallel()
	_, c := newComment(t)
	type attributes = map[string]types.AttributeValue
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	with := func(key, more attributes) attributes {
		item := maps.Clone(key)
		maps.Copy(item, more)
		return item
	}
	keys := attributes{"pk": text("D#film#0#0"), "sk": text(c.ID.String())}
	living, state := with(keys, attributes{"text": text("hi")}), func(s string) attributes { return with(keys, attributes{"state": text(s)}) }
	like := attributes{"pk": text("U#ann"), "sk": text("film#" + c.ID.String() + "#L")}
	op := func(name, id string) attributes { return with(like, attributes{name: text(id)}) }
	const first, second = "32SBCWQRR0001", "32SBCWQRR0002"
	type kinds = []danmu.ChangeKind
	for name, g := range map[string]struct {
		record stream.Record
		want   kinds
		err    error
	}{
		"it appears":              {stream.Record{Kind: stream.Insert, Keys: keys, New: living}, kinds{danmu.Sent}, nil},
		"it goes":                 {stream.Record{Kind: stream.Remove, Keys: keys, Old: living}, kinds{danmu.Erased}, nil},
		"it is recalled":          {stream.Record{Kind: stream.Modify, Keys: keys, Old: living, New: state("recalled")}, kinds{danmu.Recalled}, nil},
		"it is removed":           {stream.Record{Kind: stream.Modify, Keys: keys, Old: living, New: state("removed")}, kinds{danmu.Removed}, nil},
		"its user is erased":      {stream.Record{Kind: stream.Modify, Keys: keys, Old: living, New: state("erased")}, kinds{danmu.Erased}, nil},
		"it ends otherwise":       {stream.Record{Kind: stream.Modify, Keys: keys, Old: living, New: state("x")}, nil, plaza.ErrCorrupt},
		"a tombstone goes":        {stream.Record{Kind: stream.Remove, Keys: keys, Old: state("removed")}, nil, nil},
		"only a tombstone":        {stream.Record{Kind: stream.Insert, Keys: keys, New: state("removed")}, nil, nil},
		"counts change":           {stream.Record{Kind: stream.Modify, Keys: keys, Old: living, New: with(living, attributes{"reports": &types.AttributeValueMemberN{Value: "9"}})}, nil, nil},
		"it has no text":          {stream.Record{Kind: stream.Insert, Keys: keys, New: keys}, nil, plaza.ErrCorrupt},
		"it had no text":          {stream.Record{Kind: stream.Modify, Keys: keys, Old: keys, New: living}, nil, plaza.ErrCorrupt},
		"a like is another":       {stream.Record{Kind: stream.Modify, Keys: like, Old: op("id", first), New: op("id", second)}, kinds{danmu.Unliked, danmu.Liked}, nil},
		"a like that ended goes":  {stream.Record{Kind: stream.Remove, Keys: like, Old: op("ended", first)}, nil, nil},
		"a like that ended":       {stream.Record{Kind: stream.Remove, Keys: like, Old: op("ended", first), ByTTL: true}, nil, nil},
		"a like goes":             {stream.Record{Kind: stream.Remove, Keys: like, Old: op("id", first)}, kinds{danmu.Unliked}, nil},
		"a like of no op":         {stream.Record{Kind: stream.Insert, Keys: like, New: like}, nil, plaza.ErrCorrupt},
		"its images were dropped": {stream.Record{Kind: stream.Insert, Keys: keys, Truncated: true}, nil, stream.ErrTruncated},
		"one image is missing":    {stream.Record{Kind: stream.Modify, Keys: keys, New: living}, nil, stream.ErrView},
	} {
		got, err := danmu.Changes(g.record)
		require.ErrorIs(t, err, g.err, name)
		var found kinds
		for _, change := range got {
			found = append(found, change.Kind)
		}
		require.Equal(t, g.want, found, name)
	}
}

func FuzzChanges(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		const id, danmuID = "32SBCWQRR0001", "000002W01A8P1NWWG01P"
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs:        []string{"D#v#0#0", "D#v#0", "D#v#00#0", "D", "U#ann", "U", "U#a#b", "M#v", "Q#v#ann", "~"},
			SKs:        []string{danmuID, "v#" + danmuID + "#L", "v#" + danmuID + "#R", "v#x#L", "", "M"},
			Attributes: []string{"userId", "sent", "text", "mode", "color", "likes", "protected", "protect", "state", "end", "key", "sentMs", "extra", "id", "ended", "ttl"},
			Values:     []string{id, "recalled", "removed", "erased", `{"a":1}`, danmuID},
		}, func(r stream.Record) error {
			_, err := danmu.Changes(r)
			return err
		})
	})
}
