package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
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

// cutAfter lets the next command send n requests.
func (w *world) cutAfter(n int64) {
	w.before(func(sent int64) error {
		if sent > n {
			return faults.ErrKilled
		}
		return nil
	})
}

func TestAnExportHasAllThatAScanFindsHoweverOftenItIsCutShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.seed()
	w.page = 2 // so that lists have many pages

	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole"), filepath.Join(dir, "cut")
	got := w.ends(exitFine, "export", "--user", ann, "--output", whole)
	require.Empty(t, got.stdout)
	require.NoFileExists(t, whole+".checkpoint")
	text, err := os.ReadFile(whole)
	require.NoError(t, err)
	w.requireComplete(string(text))

	cuts := 0
	for n := int64(0); ; n++ {
		w.cutAfter(4 + n%5)
		if got = w.run("export", "--user", ann, "-o", cut); got.code == exitFine {
			break
		}
		cuts++
		require.Less(t, cuts, 200)
		f, err := os.OpenFile(cut, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString(strings.Repeat(`{"feature":"half a li`, 5000)) // what a killed process may leave
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	require.Greater(t, cuts, 10)
	again, err := os.ReadFile(cut)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(text), "\n"), strings.Split(string(again), "\n"))

	w.wrap = nil
	got = w.run("export", "--user", ann)
	require.Equal(t, string(text), got.stdout)
	require.Equal(t, exitUsage, w.run("export", "--user", ann, "-o", whole).code, "it would be overwritten")
	w.cutAfter(5)
	require.Equal(t, exitFailure, w.run("export", "--user", ann, "-o", filepath.Join(dir, "third")).code)
	require.Equal(t, exitUsage, w.run("export", "--user", "bob", "-o", filepath.Join(dir, "third")).code, "it belongs to ann")
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
	for _, s := range w.of(ann) {
		used[w.requireExported(s, lines, left)]++
	}
	for _, rule := range exportRules {
		require.NotZero(w.t, used[rule.key+rule.has], "the seed has no %s", rule.key)
	}
}

func (w *world) requireExported(s stored, lines map[string][]string, left string) (rule string) {
	w.t.Helper()
	key := s.key()
	for _, r := range exportRules {
		match := regexp.MustCompile(r.key).FindStringSubmatch(key)
		if match == nil || r.has != "" && s.item[r.has] == nil {
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
	require.Fail(w.t, "is not exported", "%s %v", key, s.attributes())
	return ""
}
