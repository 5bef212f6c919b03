package kit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/worldtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// remains is something that may stay, and what of an Erasure names it.
type remains struct {
	worldtest.Rest
	left string
}

// residue is what stays of ann, and how often the seed leaves it.
var residue = []remains{
	{worldtest.Rest{N: 6, Key: `^follow E#`, Only: "ended ttl"}, "ids of follows that ended"},
	{worldtest.Rest{N: 1, Key: `^follow C#ann#7 / 0$`, Only: "ver ttl"}, "and that all was erased"},
	{worldtest.Rest{N: 2, Key: `^feed O#bob / `}, "the To of other people's activities"},
	{worldtest.Rest{N: 1, Key: `^feed J#\d / \w+#bob$`}, "and of deliveries that wait"},
	{worldtest.Rest{N: 3, Key: `^feed H#bob / \w+#ann`, Only: "ttl"}, "entries in other people's homes"},
	{worldtest.Rest{N: 3, Key: `^feed H#cat / \w+#ann`, Only: "ttl"}, "entries in other people's homes"},
	{worldtest.Rest{N: 1, Key: `^feed H#bob / \w+#bob#`, Only: "source ttl"}, "entries in other people's homes"},
	{worldtest.Rest{N: 1, Key: `^feed H#cat / \w+#bob#`, Only: "source ttl"}, "entries in other people's homes"},
	{worldtest.Rest{N: 1, Key: `^feed H#dan / ~$`, Only: "end#ann#7"}, "sources that others unfollowed"},
	{worldtest.Rest{N: 2, Key: `^feed H#(bob|cat) / ~$`}, "sources that others unfollowed or read"},
	{worldtest.Rest{N: 1, Key: `^comment F#photo:1 / `}, "mentions in other people's comments"},
	{worldtest.Rest{N: 1, Key: `^comment T#photo:1 / `, Only: "removed ttl ver"}, "who removed or hid one"},
	{worldtest.Rest{N: 1, Key: `^comment M#cat / `, Only: "removed ttl object hash"}, "who removed or hid one"},
	{worldtest.Rest{N: 2, Key: `^reaction U#ann#7 / `, Only: "ended#like ended#love ver ttl"}, "ids of reactions that ended"},
	{worldtest.Rest{N: 4, Key: `^leaderboard P#ann#7 / `, Only: "removed ttl"}, "ids of entries that were removed"},
	{worldtest.Rest{N: 3, Key: `^danmu U#ann#7 / `, Only: "ended ttl"}, "ids of comments that the user liked or reported"},
	{worldtest.Rest{N: 1, Key: `^danmu Q#video#ann#7 / Q$`, Only: "attempts full ttl"}, "how often the user sent something"},
	{worldtest.Rest{N: 1, Key: `^notify N#dan / B#ann#7$`}, "other people's blocks of the user"},
	{worldtest.Rest{N: 1, Key: `^notify N#bob / G#`}, "an actor in other people's notifications"},
	{worldtest.Rest{N: 1, Key: `^notify J#0 / `}, "in those that wait for watchers"},
	{worldtest.Rest{N: 2, Key: `^message C#ann#7#(bob|cat) / ~$`, Only: "block blocked n"}, "each block on them"},
	{worldtest.Rest{N: 2, Key: `^message U#(bob|cat) / C#ann#7#`, Only: "last lastSeq own read recalled"}, "the names of conversations of two"},
	{worldtest.Rest{N: 2, Key: `^message K#(bob|cat)#`, Only: "c hash id seq ttl"}, "the names of conversations of two"},
	{worldtest.Rest{N: 4, Key: `^message C#ann#7#(bob|cat)#0 / \d+$`, Only: "id recalled"}, "the names of conversations of two"},
	{worldtest.Rest{N: 2, Key: `^message C#ann#7#(bob|cat)#0 / \d+$`, Only: "id key sender text"}, "the names of conversations of two"},
}

// residueOfObjects is the same for the objects of TestAnErasureTakesObjectsAlong.
var residueOfObjects = []remains{
	{worldtest.Rest{N: 1, Key: `^comment M#cat / `, Only: "removed ttl object hash"}, "comments that were removed before"},
	{worldtest.Rest{N: 3, Key: `^reaction U#(ann#7|bob) / (photo:1|ann#7/cover)$`, Only: "ended#like ended#love ver ttl"}, "ids of reactions that ended"},
	{worldtest.Rest{N: 1, Key: `^reaction U#bob / photo:past$`, Only: "ended#like ver"}, "ids of reactions that were taken back before"},
	{worldtest.Rest{N: 4, Key: `^reaction C#.*#0 / C$`, Only: "ver ttl"}, "and that all was erased"},
	{worldtest.Rest{N: 1, Key: `^leaderboard P#photo:1 / `, Only: "removed ttl"}, "ids of entries that were removed"},
	{worldtest.Rest{N: 3, Key: `^danmu U#ann#7 / video#`, Only: "ended ttl"}, "ids of comments that the user liked or reported"},
	{worldtest.Rest{N: 5, Key: `^danmu U#u\d / video#`, Only: "id"}, "likes and reports"},
	{worldtest.Rest{N: 2, Key: `^danmu Q#video#`, Only: "attempts full ttl"}, "how often users sent something to them"},
	{worldtest.Rest{N: 1, Key: `^feed O#bob / `}, "other people's activities about them"},
	{worldtest.Rest{N: 1, Key: `^notify N#cat / G#`}, "other people's notifications about them"},
	{worldtest.Rest{N: 1, Key: `^notify N#cat / O#photo:1$`}, "mutes of them"},
}

// requireLeft fails unless exactly these items are left, and the erasure names each, and
// says no earlier end than it has.
func requireLeft(t *testing.T, items []worldtest.Stored, residue []remains, e Erasure) {
	t.Helper()
	rests := make([]worldtest.Rest, len(residue))
	for i, r := range residue {
		rests[i] = r.Rest
		of := slices.IndexFunc(e.Left, func(l Left) bool {
			return strings.HasPrefix(r.Key, "^"+l.Feature+" ") && strings.Contains(l.What, r.left)
		})
		require.GreaterOrEqual(t, of, 0, "no erasure names %s of %s", r.left, r.Key)
		for _, s := range items {
			ttl, _ := s.Item["ttl"].(*types.AttributeValueMemberN)
			if until := e.Left[of].Until; ttl != nil && !until.IsZero() && regexp.MustCompile(r.Key).MatchString(s.Key()) {
				ends, err := strconv.ParseInt(ttl.Value, 10, 64)
				require.NoError(t, err)
				require.LessOrEqual(t, ends, until.Unix()+1, "%s", s.Key())
			}
		}
	}
	worldtest.RequireLeft(t, items, rests)
}

// erase erases ann by another process.
func (w *world) erase(opts *EraseOptions) (Erasure, error) {
	return w.process(nil).Erase(w.t.Context(), ann, opts)
}

func (w *world) requireErased() {
	w.t.Helper()
	left, err := w.erase(nil)
	require.NoError(w.t, err)
	requireLeft(w.t, w.Of(ann), residue, left)
}

// An erasure that is killed once, wherever, and repeated, sends at most a tenth more.
func TestAnErasureThatIsCutGoesOnWithWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	w.Grow(30)
	seeded := w.Scan()
	whole := &killed{}
	whole.after.Store(-1)
	_, err := w.process(whole.wrap).Erase(t.Context(), ann, nil)
	require.NoError(t, err)
	uncut, most, left := whole.all.Load(), int64(0), w.keysOfAnn()
	step := int64(faults.Size(4, int(uncut/4))) // each in turn would take DynamoDB Local ten minutes
	for after := rand.Int64N(step); after < uncut; after += step {
		w.Restore(seeded)
		c := &killed{sent: after%2 == 0}
		c.after.Store(after)
		_, err := w.process(c.wrap).Erase(t.Context(), ann, nil)
		require.ErrorIs(t, err, faults.ErrKilled)
		c.after.Store(-1)
		_, err = w.process(c.wrap).Erase(t.Context(), ann, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, c.all.Load(), uncut+uncut/10, "cut after %d of %d", after, uncut)
		require.Equal(t, left, w.keysOfAnn(), "cut after %d of %d", after, uncut)
		most = max(most, c.all.Load())
	}
	t.Log("uncut", uncut, "cut, at most", most)
}

// keysOfAnn are the keys of what is stored of ann.
func (w *world) keysOfAnn() (keys []string) {
	for _, s := range w.Of(ann) {
		keys = append(keys, s.Key())
	}
	slices.Sort(keys)
	return keys
}

// Any number of processes erase at once, with callers that give up.
func TestErasuresAtOnceUnderFaultsLeaveTheSame(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.opts.Danmu.HideAt, w.opts.Feed.Retention = 1, 1<<62 // no option matters
			w.Seed()
			rates := faults.Standard
			rates.Conflict, rates.Unprocessed, rates.Stale = 0.05, 0.05, 0.05
			in := faults.New(t, seed, rates)
			var erasers sync.WaitGroup
			for i := range 4 {
				erasers.Go(func() {
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					k, impatient := w.process(in.Wrap), 5
					faults.Acknowledged(t, func() error {
						ctx, giveUp := context.WithCancel(t.Context())
						defer giveUp()
						if impatient--; impatient >= 0 {
							k = w.process(func(next httpClient) httpClient {
								c := &killed{sent: true}
								c.after.Store(random.Int64N(60))
								return giving{in.Wrap(next), c, giveUp}
							})
						} else {
							k = w.process(in.Wrap)
						}
						_, err := k.Erase(ctx, ann, nil)
						if impatient >= 0 && errors.Is(err, context.Canceled) {
							return plaza.ErrBusy
						}
						return err
					})
				})
			}
			erasers.Wait()
			in.Off()
			w.opts = Options{Prefix: w.Prefix}
			w.requireErased()
		})
	}
}

// Without faults none of them fails.
func TestErasuresAtOnceDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	w.Grow(10)
	errs := make([]error, 4)
	var erasers sync.WaitGroup
	for i := range errs {
		k := w.process(nil)
		erasers.Go(func() { _, errs[i] = k.Erase(t.Context(), ann, nil) })
	}
	erasers.Wait()
	require.NoError(t, errors.Join(errs...))
	again, err := w.erase(nil)
	require.NoError(t, err)
	require.NotZero(t, again.Again)
	for _, s := range w.Of(ann) {
		require.True(t, slices.ContainsFunc(residue, func(r remains) bool { return regexp.MustCompile(r.Key).MatchString(s.Key()) }) || s.Table == "danmu", s.Key())
	}
}

func TestARepeatReadsAndWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	w.requireErased()
	before := w.Scan()
	m := callstest.NewMetered(t, "..", "kit")
	k := w.process(m.Wrap)
	var steps []string
	cost := m.Stated.Of("Kit.Erase", "a user who is erased", "a user who is erased, each further kind of reaction")
	m.AtMost("Erase of who is erased", cost, func(ctx context.Context) error {
		_, err := k.Erase(ctx, ann, &EraseOptions{OnStep: func(s Step) {
			require.Equal(t, 10, s.Of)
			require.Equal(t, len(steps)+1, s.Number)
			steps = append(steps, s.Name)
		}})
		return err
	})
	require.Equal(t, []string{"pulled source", "follow", "feed", "comment", "reaction", "leaderboard", "danmu", "message", "digest", "notify"}, steps)
	require.Equal(t, before, w.Scan())
}

func TestAnErasureTakesObjectsAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	k := w.process(nil)
	objects := []string{"photo:1", "video", ann + "/cover", "photo:past"}
	for _, object := range objects[2:] {
		worldtest.Made[reaction.Reaction](w.World)(k.Reactions.React(t.Context(), reaction.Reaction{User: "bob", Object: object, Kind: "like"}))
	}
	w.Done(k.Reactions.Unreact(t.Context(), reaction.Reaction{User: "bob", Object: "photo:past", Kind: "like"}))
	about := feed.Activity{Actor: feed.Ref{ID: "bob"}, Verb: "share", Object: feed.Ref{Kind: "photo", ID: "1"}}
	about = worldtest.Made[feed.Activity](w.World)(k.Feeds.Outbox("bob").Publish(t.Context(), about))
	worldtest.Made[notify.Result](w.World)(k.Bell.Notify(t.Context(), notify.Notification{User: "cat", Activity: about}))
	w.Done(k.Prefs.Mute(t.Context(), prefs.Topic{User: "cat", Object: about.Object}))
	for range 2 {
		left, err := w.erase(&EraseOptions{Objects: objects})
		require.NoError(t, err)
		var items []worldtest.Stored
		for _, object := range objects {
			items = append(items, w.Of(object)...)
		}
		requireLeft(t, items, residueOfObjects, left)
	}
}

// A caller who lists the objects from the outbox before each call needs no memory.
func TestObjectsThatTheOutboxListsAreErasedWhereverACallIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	seeded, c := w.Scan(), &killed{}
	erase := func() error {
		k := w.process(c.wrap)
		outbox, err := w.process(nil).Feeds.Outbox(ann).List(t.Context(), cursor.PageRequest{})
		require.NoError(t, err)
		var objects []string
		if len(outbox.Items) > 0 {
			objects = []string{"photo:1", "video"}
		}
		_, err = k.Erase(t.Context(), ann, &EraseOptions{Objects: objects})
		return err
	}
	left := func() int { return len(w.Of("photo:1")) + len(w.Of("video")) }
	c.after.Store(-1)
	require.NoError(t, erase())
	uncut, rest := c.all.Load(), left()
	for after := range uncut {
		if !faults.Full() && after%(uncut/6) != 3 {
			continue
		}
		w.Restore(seeded)
		c.all.Store(0)
		c.after.Store(after)
		require.ErrorIs(t, erase(), faults.ErrKilled)
		c.after.Store(-1)
		require.NoError(t, erase())
		require.Equal(t, rest, left(), "cut after %d of %d", after, uncut)
	}
}

func TestDamagedItemsStopOnlyWhatDependsOnThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	garbage := &types.AttributeValueMemberBOOL{Value: true}
	for _, s := range w.Of(ann) {
		switch {
		case regexp.MustCompile(`^follow R#ann#7#0 / `).MatchString(s.Key()):
			w.Set(w.Names.Follow, s.PK, s.SK, "follower", garbage)
		case regexp.MustCompile(`^message C#ann#7#bob / ~`).MatchString(s.Key()):
			w.Set(w.Names.Message, s.PK, s.SK, "n", garbage)
		}
	}
	_, err := w.erase(nil)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.Contains(t, err.Error(), w.Names.Follow)
	require.Contains(t, err.Error(), w.Names.Message)
	features := map[string]int{}
	for _, s := range w.Of(ann) {
		features[s.Table]++
	}
	for _, f := range []string{"comment", "reaction", "leaderboard", "danmu", "notify"} {
		n := 0
		for _, r := range residue {
			if strings.HasPrefix(r.Key, "^"+f+" ") {
				n += r.N
			}
		}
		require.Equal(t, n, features[f], f)
	}
	k := w.process(nil)
	activities := worldtest.Must[cursor.Page[feed.Activity]](w.World)(k.Feeds.Outbox(ann).List(t.Context(), cursor.PageRequest{}))
	require.NotEmpty(t, activities.Items, "feed depends on follow")

	_, err = k.Follows.Repair(t.Context(), ann)
	require.NoError(t, err)
	_, err = w.erase(nil)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.NotContains(t, err.Error(), w.Names.Follow)
	activities = worldtest.Must[cursor.Page[feed.Activity]](w.World)(k.Feeds.Outbox(ann).List(t.Context(), cursor.PageRequest{}))
	require.Empty(t, activities.Items)
}

func TestTheOutboxListsTheObjectsUntilAllAreErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	for _, s := range w.Of("photo:1") {
		if regexp.MustCompile(`^reaction L#photo:1#like#0 / `).MatchString(s.Key()) {
			w.Set(w.Names.Reaction, s.PK, s.SK, "user", &types.AttributeValueMemberBOOL{Value: true})
		}
	}
	k, erase := w.process(nil), &EraseOptions{Objects: []string{"photo:1"}}
	listed := func() int {
		return len(worldtest.Must[cursor.Page[feed.Activity]](w.World)(k.Feeds.Outbox(ann).List(t.Context(), cursor.PageRequest{})).Items)
	}
	_, err := w.erase(erase)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.NotZero(t, listed())
	require.Empty(t, worldtest.Must[cursor.Page[follow.Edge]](w.World)(k.Follows.Following(t.Context(), ann, cursor.PageRequest{})).Items)
	worldtest.Must[reaction.Drift](w.World)(k.Reactions.Repair(t.Context(), "photo:1"))
	_, err = w.erase(erase)
	require.NoError(t, err)
	require.Zero(t, listed())
}

func TestAPulledSourceIsErasedOnceTheHomesOfItsFollowersKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Follow, Feed)
	w.opts.Feed.Consistent = true
	k := w.process(nil)
	w.Done(k.Feeds.Home("bob").Follow(t.Context(), ann, nil))
	w.Done(k.Feeds.Outbox(ann).SetPulled(t.Context(), true))
	worldtest.Must[int](w.World)(k.Deliver(t.Context()))
	worldtest.Made[feed.Activity](w.World)(k.Feeds.Outbox(ann).Publish(t.Context(), feed.Activity{Actor: feed.Ref{ID: ann}, Verb: "post"}))
	shown := func() int {
		return len(worldtest.Must[cursor.Page[feed.Activity]](w.World)(k.Feeds.Home("bob").List(t.Context(), cursor.PageRequest{})).Items)
	}
	for range 2 {
		_, err := k.Erase(t.Context(), ann, nil)
		require.ErrorIs(t, err, feed.ErrPulled)
		require.Equal(t, 1, shown())
	}
	require.Equal(t, feed.Closing, worldtest.Must[feed.Mode](w.World)(k.Feeds.Outbox(ann).Mode(t.Context())))
	worldtest.Must[int](w.World)(k.Deliver(t.Context()))
	left, err := k.Erase(t.Context(), ann, nil)
	require.NoError(t, err)
	require.Zero(t, left.Again, "neither feature has anything that lags")
	for _, s := range w.Of(ann) {
		require.Regexp(t, `^(follow [EC]#|feed H#bob / ~)`, s.Key())
	}
	require.Zero(t, shown())
}

func TestAnErasureIsOfSomeFeaturesAndNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Comment, Danmu)
	w.SeedComments()
	w.SeedDanmu()
	before := w.Scan()
	for _, c := range []struct {
		user    string
		objects []string
		field   string
	}{
		{"", nil, "User"},
		{strings.Repeat("x", 2000), nil, "User"},
		{"\xff", nil, "User"},
		{ann, []string{"photo:1", ""}, "EraseOptions.Objects[1]"},
	} {
		_, err := w.process(nil).Erase(t.Context(), c.user, &EraseOptions{Objects: c.objects})
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, c.field, invalid.Field)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.process(nil).Erase(ctx, ann, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, before, w.Scan())

	now := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	w.opts.Now = func() time.Time { return now }
	left, err := w.erase(&EraseOptions{Objects: []string{"photo:1"}})
	require.NoError(t, err)
	require.Equal(t, now.Add(10*time.Minute), left.Again)
	for _, l := range left.Left {
		require.Contains(t, []string{"comment", "danmu", "letters"}, l.Feature)
		require.NotEmpty(t, l.Reason)
	}
	require.Contains(t, fmt.Sprint(left.Left), "danmu: ids of comments that the user liked or reported, until 2031-06-05: so that")
}
