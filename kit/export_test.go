package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/worldtest"
)

// exportRules say where the export has each of ann's items: by the first rule that the
// item's key and attributes match.
var exportRules = []struct {
	key  string
	has  string // an attribute that it must have; "" for any item
	kind string // of the line that has the first group of key; "" if other items have the same
	left string // or what is left out
}{
	{key: `^follow F#ann#7 / (.*)`, kind: "follow: following"},
	{key: `^follow R#ann#7#0 / (.*)`, kind: "follow: follower"},
	{key: `^follow E#`, has: "ended", left: "counts, and follows that ended"},
	{key: `^follow C#ann#7`, left: "counts, and follows that ended"},
	{key: `^follow [EFR]#`}, // the same edges
	{key: `^feed O#ann#7 / ~`, left: "whether homes read the user's outbox"},
	{key: `^feed O#ann#7 / (.*)`, has: "removed", left: "removed activities, and deliveries that wait"},
	{key: `^feed O#ann#7 / (.*)`, kind: "feed: activity"},
	{key: `^feed O#(?:bob|topic) / (.*)`, has: "owner"}, // references to ann's
	{key: `^feed O#bob / (.*)`, has: "to", left: "activities of others that name the user"},
	{key: `^feed X#ann#7 / (.*)`, kind: "feed: activity"},
	{key: `^feed H#ann#7 / (~)`, kind: "feed: home, stored"},
	{key: `^feed H#ann#7 / `, left: "entries of the home"},
	{key: `^feed H#`, left: "activities of others that name the user"},
	{key: `^feed J#`, left: "removed activities, and deliveries that wait"},
	{key: `^comment M#ann#7 / (.*)`, kind: "comment: comment"},
	{key: `^comment K#ann#7`, left: "keys of repeatable calls"},
	{key: `^comment (?:T|M#cat|F)`, has: "removed", left: "mentions in other people's comments, and comments that the user moderated"},
	{key: `^comment F`, has: "mentions", left: "mentions in other people's comments, and comments that the user moderated"},
	{key: `^comment [TFR]#.*?(\w+)$`, has: "user", kind: "comment: comment"},
	{key: `^reaction M#ann#7#\w+ / (.*)`, kind: "reaction: reaction"},
	{key: `^reaction L#.* / (.*)`, kind: "reaction: reaction"},
	{key: `^reaction U#ann#7 / photo:1`},
	{key: `^reaction U#ann#7 / `, left: "reactions that ended"},
	{key: `^leaderboard P#ann#7 / LB#(above)#`, kind: "leaderboard: unlisted entry, stored"},
	{key: `^leaderboard P#ann#7 / LB#(\w+)#`, kind: "leaderboard: entry"},
	{key: `^danmu D#.* / (.*)`, kind: "danmu: comment"},
	{key: `^danmu U#ann#7 / `, has: "ended", left: "likes and reports that were taken back"},
	{key: `^danmu U#ann#7 / video#(.*)#L`, kind: "danmu: like"},
	{key: `^danmu U#ann#7 / video#(.*)#R`, kind: "danmu: report"},
	{key: `^danmu Q#`, left: "how often the user sent something lately"},
	{key: `^message U#ann#7 / (.*)`, kind: "message: conversation, stored"},
	{key: `^message [UK]#(?:bob|cat)`}, // the name of a conversation
	{key: `^message K#ann#7`, left: "keys of messages"},
	{key: `^message C#\S+ / [M~]`}, // the name of a conversation
	{key: `^message C#ann#7#cat#0 / (0000000000000001)`, kind: "message: cleared message, stored"},
	{key: `^message C#ann#7#cat#0 / (0000000000000002)`, left: "other people's messages that the user may not read"},
	{key: `^message C#.*#0 / 0*(\d+)`, kind: "message: message"},
	{key: `^notify N#ann#7 / G#(\w+:1)#`, kind: "notify: entry"},
	{key: `^notify N#ann#7 / G#(\w+:2)#`, kind: "notify: archived entry"},
	{key: `^notify N#ann#7 / G#(\w+:3)#`, kind: "notify: snoozed entry"},
	{key: `^notify N#ann#7 / G#`, left: "events that were retracted"},
	{key: `^notify N#ann#7 / (S)`, kind: "notify: state, stored"},
	{key: `^notify N#ann#7 / P`, kind: "prefs: setting"},
	{key: `^notify N#ann#7 / B#(dan)`, kind: "prefs: block"},
	{key: `^notify N#ann#7 / O#(.*)`, kind: "prefs: mute"},
	{key: `^notify N#(?:ann#7 / B#eve|dan)`, left: "blocks and mutes that ended, and other people's blocks of the user"},
	{key: `^notify (?:N#bob|J#0)`, left: "the user as an actor in other people's notifications, and notifications for watchers that wait"},
	{key: `^notify D#0 / (.*)`, kind: "digest: planned, stored"},
}

// file is where a caller keeps an export, and its checkpoint as text.
type file struct {
	strings.Builder
	kept  []Checkpoint
	write func(*file, []byte) (int, error) // nil to write
	keep  func() error                     // nil for none
}

func (f *file) Write(b []byte) (int, error) {
	if f.write != nil {
		return f.write(f, b)
	}
	return f.Builder.Write(b)
}

func (f *file) Keep(at Checkpoint) error {
	f.kept = append(f.kept, at)
	if f.keep != nil {
		return f.keep()
	}
	return nil
}

// cut cuts off what is beyond the checkpoint.
func (f *file) cut(at Checkpoint) {
	text := f.String()[:at.Bytes()]
	f.Reset()
	f.WriteString(text)
}

// stored is a checkpoint after a caller has stored it.
func stored(t *testing.T, at Checkpoint) (back Checkpoint) {
	t.Helper()
	text, err := json.Marshal(at)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, at, back)
	return back
}

const perPage = 2 // so that lists have many pages

func (w *world) export(k *Kit, user string, f io.Writer, from Checkpoint) (Checkpoint, error) {
	return k.export(w.t.Context(), user, f, from, perPage)
}

func (w *world) whole() string {
	w.t.Helper()
	f := &file{}
	at, err := w.export(w.process(nil), ann, f, Checkpoint{})
	require.NoError(w.t, err)
	require.True(w.t, at.Done())
	require.Equal(w.t, int64(f.Len()), at.Bytes())
	require.Equal(w.t, at, f.kept[len(f.kept)-1])
	return f.String()
}

func TestAnExportHasAllThatAScanFinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opts.Danmu.HideAt, w.opts.Notify.Retention = 1, 24*time.Hour // nothing is hidden
	w.Seed()
	whole := w.whole()
	w.requireComplete(whole)
	m := callstest.NewMetered(t, "..", "kit")
	k := w.process(m.Wrap)
	export := func(ctx context.Context) error {
		_, err := k.Export(ctx, ann, io.Discard, Checkpoint{})
		return err
	}
	m.AtMost("Export", m.Stated.Of("Kit.Export", "nothing").Plus(m.Stated.Times(4, "Kit.Export", "each conversation")).
		Plus(m.Stated.Times(20, "Kit.Export", "each entry, and each 4 KB")).
		Plus(m.Stated.Of("Kit.Export", "each 100 entries of a list, messages of a conversation, or digests")), export)
	var all strings.Builder
	at, err := w.process(nil).Export(t.Context(), ann, &all, Checkpoint{})
	require.NoError(t, err)
	require.Equal(t, whole, all.String(), "pages do not show")

	again, err := w.process(nil).Export(t.Context(), ann, &all, stored(t, at))
	require.NoError(t, err)
	require.Equal(t, at, again)
	require.Equal(t, whole, all.String(), "it was done")

	w.opts.Notify.Retention = 0
	w.requireErased()
	for line := range strings.Lines(w.whole()) {
		require.Regexp(t, `"kind":"(left out|end)"`, line, "an erasure leaves no more than it says")
	}
	m.Costs(export, "Kit.Export", "nothing")
}

// Each request in turn is the last one of a process.
func TestAnExportGoesOnWhereverItWasCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	whole := w.whole()
	requests := &killed{}
	requests.after.Store(-1)
	_, err := w.export(w.process(requests.wrap), ann, io.Discard, Checkpoint{})
	require.NoError(t, err)
	for after := int64(0); after < requests.all.Load(); after += int64(faults.Size(1, 7)) {
		c, f := &killed{}, &file{}
		c.after.Store(after)
		k := w.process(c.wrap)
		at, err := w.export(k, ann, f, Checkpoint{})
		require.ErrorIs(t, err, faults.ErrKilled)
		require.Equal(t, int64(f.Len()), at.Bytes())
		c.after.Store(-1)
		at, err = w.export(k, ann, f, stored(t, at))
		require.NoError(t, err)
		require.Equal(t, whole, f.String(), "cut after %d", after)
		require.True(t, at.Done())
		require.LessOrEqual(t, c.all.Load(), requests.all.Load()+2)
	}
}

func TestAnExportGoesOnAfterItsWriter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	whole := w.whole()
	full := errors.New("no space")
	for name, fails := range map[string]struct {
		write func(f *file, b []byte) (int, error)
		err   error
	}{
		"refuses":       {func(*file, []byte) (int, error) { return 0, full }, full},
		"writes a part": {func(f *file, b []byte) (int, error) { f.Builder.Write(b[:7]); return 7, full }, full},
		"writes short":  {func(f *file, b []byte) (int, error) { f.Builder.Write(b[:7]); return 7, nil }, io.ErrShortWrite},
		"counts wrong":  {func(f *file, b []byte) (int, error) { f.Builder.Write(b); return len(b) + 1, nil }, io.ErrShortWrite},
		"writes all":    {func(f *file, b []byte) (int, error) { f.Builder.Write(b); return len(b), full }, full},
	} {
		k, f, at := w.process(nil), &file{}, Checkpoint{}
		pages := 0
		for !at.Done() {
			writes := 0
			f.write = func(f *file, b []byte) (int, error) {
				if writes++; writes > 3 {
					return fails.write(f, b)
				}
				return f.Builder.Write(b)
			}
			next, err := w.export(k, ann, f, stored(t, at))
			if err != nil {
				require.ErrorIs(t, err, fails.err, name)
			}
			f.cut(next)
			at = next
			pages++
			require.Less(t, pages, 100)
		}
		require.Greater(t, pages, 5)
		require.Equal(t, whole, f.String(), name)
	}
}

// A caller that gives up while its writer is slow has what was written.
func TestAnExportStopsAfterTheWriteThatItsCallerEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Follow)
	w.SeedFollows()
	whole := w.whole()
	ctx, cancel := context.WithCancel(t.Context())
	f := &file{write: func(f *file, b []byte) (int, error) { cancel(); return f.Builder.Write(b) }}
	at, err := w.process(nil).export(ctx, ann, f, Checkpoint{}, perPage)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, int64(f.Len()), at.Bytes())
	require.NotZero(t, at.Bytes())
	require.Len(t, f.kept, 1)
	lost := errors.New("the checkpoint is not kept")
	f.write, f.keep = nil, func() error { return lost }
	at, err = w.export(w.process(nil), ann, f, at)
	require.ErrorIs(t, err, lost)
	require.Equal(t, int64(f.Len()), at.Bytes())
	f.keep = nil
	_, err = w.export(w.process(nil), ann, f, at)
	require.NoError(t, err)
	require.Equal(t, whole, f.String())
}

func TestAnExportRefusesTheCheckpointOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Follow, Reaction)
	w.SeedFollows()
	c := &killed{}
	c.after.Store(1)
	at, err := w.export(w.process(c.wrap), ann, io.Discard, Checkpoint{})
	require.ErrorIs(t, err, faults.ErrKilled)
	require.Equal(t, "follow following, 2 lines", at.String())

	refused := func(k *Kit, user string, from Checkpoint) {
		t.Helper()
		f := &file{}
		same, err := w.export(k, user, f, from)
		require.ErrorIs(t, err, plaza.ErrInvalid)
		require.Equal(t, from, same)
		require.Empty(t, f.String())
	}
	refused(w.process(nil), "bob", at)
	done, err := w.export(w.process(nil), ann, io.Discard, Checkpoint{})
	require.NoError(t, err)
	refused(w.process(nil), "bob", done)
	refused(w.process(nil), "", Checkpoint{})
	w.opts.Features = []Feature{Reaction, Follow}
	_, err = w.export(w.process(nil), ann, io.Discard, at)
	require.NoError(t, err, "their order does not matter")
	w.opts.Features = []Feature{Follow}
	refused(w.process(nil), ann, at)
	w.opts.Features = []Feature{Follow, Reaction}
	w.opts.Prefix = "other-"
	refused(w.process(nil), ann, at)
	w.opts.Prefix = w.Prefix
	unknown := at
	unknown.at.Section = "follow nothing"
	refused(w.process(nil), ann, unknown)
	damaged := at
	damaged.at.Cursor = "?"
	refused(w.process(nil), ann, damaged)

	w.opts.Features, w.opts.Prefix = nil, w.Prefix
	for section, cursors := range map[string][]string{
		"danmu like":                      {strings.Repeat("x", 1025)},
		"feed home, stored":               {"x", "\x00"},
		"digest planned, stored":          {"-1 x", "64 x"},
		"message cleared message, stored": {"x", `{"before":"` + strings.Repeat("x", 1025) + `"}`},
	} {
		k := w.process(nil)
		for _, text := range cursors {
			refused(k, ann, Checkpoint{reached{User: ann, Tables: (&export{k: k}).tables(), Section: section, Cursor: text}})
		}
	}
	for _, text := range []string{"?", "e30", "bnVsbA", "eyJ0YWJsZXMiOiJ4IiwiYnl0ZXMiOi0xfQ", "eyJ0YWJsZXMiOiJ4In0=", "A"} {
		back := at
		require.ErrorIs(t, back.UnmarshalText([]byte(text)), plaza.ErrInvalid, text)
		require.Equal(t, at, back)
	}
	require.Equal(t, Checkpoint{}, stored(t, Checkpoint{}))
}

func TestAnExportCountsWhatIsDamagedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	garbage := &types.AttributeValueMemberBOOL{Value: true}
	for _, s := range w.Of(ann) {
		switch key := s.Key(); {
		case strings.HasPrefix(key, "follow F#ann#7 / "):
			w.Set(w.Names.Follow, s.PK, s.SK, "followee", garbage)
		case key == "reaction U#ann#7 / photo:1":
			w.Set(w.Names.Reaction, s.PK, s.SK, "id#like", garbage)
		case key == "message C#ann#7#bob / ~":
			w.Set(w.Names.Message, s.PK, s.SK, "n", garbage)
		}
	}
	var reported sync.Map
	w.opts.OnCorrupt = func(e *plaza.CorruptError) { reported.Store(e.Table+e.PK+e.SK, true) }
	w.opts.Reaction.OnCorrupt = func(e *plaza.CorruptError) { reported.Store("reaction's own", true) }
	c, f := &killed{}, &file{}
	c.after.Store(-1)
	k := w.process(c.wrap)
	at, err := w.export(k, ann, f, Checkpoint{})
	require.NoError(t, err)
	require.Equal(t, int64(5), at.Damaged()) // the conversation is read for its messages, and for those that were cleared
	require.Contains(t, f.String(), `"damaged":5`)
	n := 0
	reported.Range(func(any, any) bool { n++; return true })
	require.Equal(t, 4, n)
	for after := range int64(8) {
		g := &file{}
		c.all.Store(0)
		c.after.Store(after)
		at, err := w.export(k, ann, g, Checkpoint{})
		require.Error(t, err)
		c.after.Store(-1)
		_, err = w.export(k, ann, g, at)
		require.NoError(t, err)
		require.Equal(t, f.String(), g.String())
	}
}

func (w *world) requireComplete(text string) {
	w.t.Helper()
	lines := map[string][]string{}
	n := 0
	for l := range strings.Lines(text) {
		var line struct{ Feature, Kind string }
		require.NoError(w.t, json.Unmarshal([]byte(l), &line))
		kind := line.Feature + ": " + line.Kind
		lines[kind] = append(lines[kind], l)
		n++
	}
	require.Len(w.t, lines["plaza: end"], 1)
	require.True(w.t, strings.HasSuffix(text, lines["plaza: end"][0]))
	require.Contains(w.t, lines["plaza: end"][0], fmt.Sprintf(`"lines":%d`, n))
	left := ""
	for kind, of := range lines {
		if strings.HasSuffix(kind, "left out") {
			left += strings.Join(of, "")
		}
	}
	used := map[string]int{}
	for _, s := range w.Of(ann) {
		used[w.requireExported(s, lines, left)]++
	}
	for _, rule := range exportRules {
		require.NotZero(w.t, used[rule.key+rule.has], "the seed has no %s", rule.key)
	}
}

func (w *world) requireExported(s worldtest.Stored, lines map[string][]string, left string) (rule string) {
	w.t.Helper()
	key := s.Key()
	for _, r := range exportRules {
		match := regexp.MustCompile(r.key).FindStringSubmatch(key)
		if match == nil || r.has != "" && s.Item[r.has] == nil {
			continue
		}
		if r.left != "" {
			require.Contains(w.t, left, r.left)
		}
		if r.kind != "" {
			want := strings.Join(match[1:], "")
			require.Contains(w.t, strings.ReplaceAll(strings.Join(lines[r.kind], ""), `\`, ""), want, "%s in %s", key, r.kind)
		}
		return r.key + r.has
	}
	require.Fail(w.t, "is not exported", "%s %v", key, s.Attributes())
	return ""
}
