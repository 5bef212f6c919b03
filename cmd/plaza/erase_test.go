package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

type rest struct {
	n    int
	key  string
	only string // the attributes that it may have besides the key; "" is any
}

// residue is what may stay of a user, by docs/operations.md and the comments of Erase,
// and how often the seed leaves it. Keys are "feature pk / sk".
var residue = []rest{
	{6, `^follow E#`, "ended ttl"},
	{2, `^feed O#bob / `, ""}, // To
	{1, `^feed J#\d / \w+#bob$`, ""},
	{3, `^feed H#bob / \w+#ann`, "ttl"},
	{3, `^feed H#cat / \w+#ann`, "ttl"},
	{1, `^feed H#bob / \w+#bob#`, "source ttl"},
	{1, `^feed H#cat / \w+#bob#`, "source ttl"},
	{1, `^feed H#dan / ~$`, "end#ann#7"},
	{2, `^feed H#(bob|cat) / ~$`, ""},                               // of when ann was pulled
	{1, `^comment F#photo:1 / `, ""},                                // a mention
	{1, `^comment T#photo:1 / `, "removed ttl ver"},                 // by whom
	{1, `^comment M#cat / `, "removed ttl object hash"},             // by whom
	{2, `^reaction U#ann#7 / `, "ended#like ended#love ver ttl"},    // memory
	{3, `^leaderboard P#ann#7 / `, "removed ttl"},                   // memory
	{3, `^danmu U#ann#7 / `, "ended ttl"},                           // memory
	{1, `^danmu Q#video#ann#7 / Q$`, "attempts full ttl"},           // of a ratelimit.Table
	{1, `^notify N#dan / B#ann#7$`, ""},                             // somebody's block
	{1, `^notify N#bob / G#`, ""},                                   // as an actor
	{1, `^notify J#0 / `, ""},                                       // as an actor
	{2, `^message C#ann#7#(bob|cat) / ~$`, "block blocked n"},       // the name of a conversation
	{2, `^message U#(bob|cat) / C#ann#7#`, "last lastSeq own read"}, // the name of a conversation
	{2, `^message K#(bob|cat)#`, "c hash id seq ttl"},               // the name of a conversation
	{4, `^message C#ann#7#(bob|cat)#0 / \d+$`, "id recalled"},
	{2, `^message C#ann#7#(bob|cat)#0 / \d+$`, "id key sender text"}, // what others wrote
}

// requireErased fails unless nothing is left of ann but the residue.
func (w *world) requireErased() {
	w.t.Helper()
	w.requireLeft(w.of(ann), residue)
}

func (w *world) requireLeft(left []stored, residue []rest) {
	w.t.Helper()
	counts := make([]int, len(residue))
	for _, s := range left {
		key := s.key()
		known := false
		for i, r := range residue {
			if regexp.MustCompile(r.key).MatchString(key) && s.hasOnly(r.only) {
				counts[i]++
				known = true
				break
			}
		}
		require.True(w.t, known, "%s stays: %v", key, s.attributes())
	}
	for i, r := range residue {
		require.Equal(w.t, r.n, counts[i], "%s", r.key)
	}
}

// residueOfObjects is the same for the objects of TestAnErasureLeavesOfObjectsWhatItSays.
var residueOfObjects = []rest{
	{1, `^comment M#cat / `, "removed ttl object hash"},
	{3, `^reaction U#(ann#7|bob) / (photo:1|ann#7/cover)$`, "ended#like ended#love ver ttl"},
	{1, `^reaction U#bob / photo:past$`, "ended#like ver"},
	{1, `^leaderboard P#photo:1 / `, "removed ttl"},
	{3, `^danmu U#ann#7 / video#`, "ended ttl"},
	{5, `^danmu U#u\d / video#`, "id"},
	{2, `^danmu Q#video#`, "attempts full ttl"},
	{1, `^feed O#bob / `, ""}, // somebody's activity
	{1, `^notify N#cat / G#`, ""},
	{1, `^notify N#cat / O#photo:1$`, ""}, // a mute
}

func (s stored) key() string {
	return strings.ReplaceAll(fmt.Sprintf("%s %s / %s", s.table, s.pk, s.sk), `\`, "")
}

func (s stored) attributes() (names []string) {
	for name := range s.item {
		if name != "pk" && name != "sk" {
			names = append(names, strings.ReplaceAll(name, `\`, ""))
		}
	}
	return names
}

func (s stored) hasOnly(names string) bool {
	for _, name := range s.attributes() {
		if names != "" && !strings.Contains(" "+names+" ", " "+name+" ") {
			return false
		}
	}
	return true
}

func TestAnErasureThatIsKilledAgainAndAgainEndsLikeOneThatIsNot(t *testing.T) {
	t.Parallel()
	const beyond = 70 // more writes than the erasure has
	kills := []int{0} // 0: each run ends three writes later than the one before
	if faults.Full() {
		for k := 1; k <= beyond; k++ {
			kills = append(kills, k)
		}
	}
	for _, k := range kills {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.seed()
			killed := 0
			for run := 1; ; run++ {
				in := faults.New(t, uint64(run), faults.Rates{})
				switch {
				case k == 0 && run%2 == 0:
					in.KillBefore(3 * run)
				case k == 0:
					in.KillAt(3 * run)
				case run == 1:
					in.KillAt(k)
				}
				w.wrap = in.Wrap
				got := w.run("erase", "--user", ann, "--yes", "--machine", fmt.Sprint(100+run))
				if got.code == exitFine {
					require.Contains(t, got.stdout, "ratelimit.Table")
					break
				}
				killed++
				require.Contains(t, got.stderr, continues)
				require.Less(t, run, 80)
			}
			switch k {
			case 0:
				require.Greater(t, killed, 3)
			case beyond:
				require.Zero(t, killed, "some writes were not reached")
			default:
				t.Log("kill", k, killed)
			}
			w.requireErased()
			w.wrap = nil
			w.ends(exitFine, "check", "--all", "--kind", "like,love")
			got := w.ends(exitFine, "erase", "--user", ann, "--yes", "--machine", "9")
			require.Regexp(t, `(?s)1/10 pulled source: .*2/10 follow: .*3/10 feed: .*4/10 comment: .*5/10 reaction: .*6/10 leaderboard: .*7/10 danmu: .*8/10 message: .*9/10 digest: .*10/10 notify: `, got.stderr)
			w.requireErased()
		})
	}
}

// cancelAt returns a context that ends with the n-th request of the next command.
func (w *world) cancelAt(n int64) context.Context {
	ctx, cancel := context.WithCancel(w.t.Context())
	w.before(func(sent int64) error {
		if sent == n {
			cancel()
		}
		return nil
	})
	return ctx
}

func TestAnErasureAsksFirstStopsWhenToldAndTakesObjectsAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "machines", "comment", "reaction", "danmu")
	w.seedComments()
	w.seedReactions()
	w.seedDanmu()
	erase := []string{"erase", "--user", ann, "--only", "machines,comment,reaction,danmu"}
	before := len(w.of(ann))

	for _, answer := range []string{"", "no\n", "ann\n", ann + "x\n"} {
		got := w.runIn(t.Context(), answer, erase...)
		require.Equal(t, exitFailure, got.code)
		require.Contains(t, got.stderr, "nothing was erased")
	}
	require.Len(t, w.of(ann), before)

	objects := filepath.Join(t.TempDir(), "objects")
	require.NoError(t, os.WriteFile(objects, []byte("photo:1\n\nvideo\n"), 0o600))
	ctx := w.cancelAt(22) // once the tables were verified
	got := w.runIn(ctx, ann+"\n", append(erase, "--objects", objects)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.stderr, "interrupted\n"+continues)

	w.wrap = nil
	got = w.runIn(t.Context(), ann+"\n", append(erase, "--objects", objects)...)
	require.Zero(t, got.code, got.stderr)
	require.Contains(t, got.stderr, "6/6 objects of danmu")
	for _, s := range w.scan() {
		require.NotRegexp(t, `^(comment [TFRN]#|danmu [DM]#|reaction [LC]#photo:1)`, s.key())
	}
}

func TestAnErasureLeavesOfObjectsWhatItSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seed()
	objects := []string{"photo:1", "video", ann + "/cover", "photo:past"}
	reactions := must[*reaction.Repository](w)(reaction.New(w.db, w.names.Reaction, w.gen, &reaction.Options{Kinds: []string{"like"}}))
	for _, object := range objects[2:] {
		must2[reaction.Reaction](w)(reactions.React(t.Context(), reaction.Reaction{User: "bob", Object: object, Kind: "like"}))
	}
	w.done(reactions.Unreact(t.Context(), reaction.Reaction{User: "bob", Object: "photo:past", Kind: "like"}))
	about := feed.Activity{Actor: feed.Ref{ID: "bob"}, Verb: "share", Object: feed.Ref{Kind: "photo", ID: "1"}}
	feeds := must[*feed.Repository](w)(feed.New(w.db, w.names.Feed, w.gen, w.follows(), nil))
	about = must2[feed.Activity](w)(feeds.Outbox("bob").Publish(t.Context(), about))
	told := must[*notify.Repository](w)(notify.New(w.db, w.names.Notify, w.gen, nil))
	must2[notify.Result](w)(told.Notify(t.Context(), notify.Notification{User: "cat", Activity: about}))
	muting := must[*prefs.Repository](w)(prefs.New(w.db, w.names.Notify, w.gen, nil))
	w.done(muting.Mute(t.Context(), prefs.Topic{User: "cat", Object: about.Object}))
	file := filepath.Join(t.TempDir(), "objects")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(objects, "\n")), 0o600))
	for range 2 {
		got := w.ends(exitFine, "erase", "--user", ann, "--yes", "--machine", "9", "--objects", file)
		require.Contains(t, got.stdout, "the ids of the objects")
		var left []stored
		for _, object := range objects {
			left = append(left, w.of(object)...)
		}
		w.requireLeft(left, residueOfObjects)
	}
}

func TestNothingIsErasedWhereATableIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "machines", "comment", "reaction")
	w.seedComments()
	before := w.scan()
	got := w.ends(exitFailure, "erase", "--user", ann, "--yes", "--only", "machines,comment,reaction", "--table", "reaction=none")
	require.Contains(t, got.stderr, "nothing was erased")
	require.Equal(t, before, w.scan())
}

func TestAPulledSourceIsErasedOnceTheHomesOfItsFollowersKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "machines", "follow", "feed")
	only := []string{"--only", "machines,follow,feed"}
	erase := append([]string{"erase", "--user", ann, "--yes"}, only...)
	feeds := must[*feed.Repository](w)(feed.New(w.db, w.names.Feed, w.gen, w.follows(), &feed.Options{Consistent: true}))
	w.done(feeds.Home("bob").Follow(t.Context(), ann, nil))
	w.done(feeds.Outbox(ann).SetPulled(t.Context(), true))
	must[int](w)(feeds.Deliver(t.Context()))
	must2[feed.Activity](w)(feeds.Outbox(ann).Publish(t.Context(), feed.Activity{Actor: feed.Ref{ID: ann}, Verb: "post"}))

	for range 2 {
		got := w.ends(exitFailure, erase...)
		require.Contains(t, got.stderr, "nothing was erased")
		require.Contains(t, got.stderr, continues)
		page := must[cursor.Page[feed.Activity]](w)(feeds.Home("bob").List(t.Context(), cursor.PageRequest{}))
		require.Len(t, page.Items, 1)
	}
	require.Equal(t, feed.Closing, must[feed.Mode](w)(feeds.Outbox(ann).Mode(t.Context())))
	for _, command := range [][]string{{"verify", "--init"}, {"export", "--user", ann}} {
		w.ends(exitFine, append(command, only...)...)
	}

	must[int](w)(feeds.Deliver(t.Context()))
	w.ends(exitFine, erase...)
	for _, s := range w.of(ann) {
		require.Regexp(t, `^(follow E#|feed H#bob / ~)`, s.key())
	}
	page := must[cursor.Page[feed.Activity]](w)(feeds.Home("bob").List(t.Context(), cursor.PageRequest{}))
	require.Empty(t, page.Items)
	require.Zero(t, w.run(erase...).code)
}

func TestAPulledSourceIsNotErasedWithoutIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "follow", "feed")
	feeds := must[*feed.Repository](w)(feed.New(w.db, w.names.Feed, w.gen, w.follows(), nil))
	erase := []string{"erase", "--user", ann, "--yes", "--only", "follow,feed"}
	w.done(feeds.Outbox(ann).SetPulled(t.Context(), true))
	got := w.ends(exitUsage, erase...)
	require.Contains(t, got.stderr, "--machine")
	got = w.run(append(erase, "--machine", "9")...)
	require.Contains(t, got.stderr, "nothing was erased")
	must[int](w)(feeds.Deliver(t.Context()))
	require.Zero(t, w.run(erase...).code)
}
