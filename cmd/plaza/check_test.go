package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/worldtest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// findings are the subjects of a --json output, each once, in order.
func findings(t *testing.T, out string) []string {
	t.Helper()
	var found []string
	for l := range strings.Lines(out) {
		var f finding
		require.NoError(t, json.Unmarshal([]byte(l), &f))
		require.NotEmpty(t, f.Drift, l)
		found = append(found, f.subject.String())
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// leave puts back, damaged, what removals have deleted from comments, danmu and messages.
// It returns whose check finds it.
func (w *world) leave() (found []string) {
	for _, s := range w.Scan() {
		for _, tombstone := range []struct{ feature, key, removal, content string }{
			{"feed", "O#", "removed", "verb"}, {"comment", "T#", "removed", "text"},
			{"danmu", "D#", "state", "text"}, {"message", "C#", "recalled", "text"},
		} {
			if s.Table == tombstone.feature && strings.HasPrefix(s.PK, tombstone.key) && s.Item[tombstone.removal] != nil {
				w.Set(w.TableOf(s.Table), s.PK, s.SK, tombstone.content, &types.AttributeValueMemberNULL{Value: true})
				found = append(found, fmt.Sprintf("%s item %q / %q", s.Table, s.PK, s.SK))
			}
		}
	}
	return found
}

// misfolded is a board whose repair ends only when its Folder publishes again.
const misfolded = `leaderboard "folded", period 19700101T000000Z`

// seedDamage makes follows and reactions of many users, and damages those of some. It
// returns whose check finds it.
func (w *world) seedDamage() (damaged []string) {
	ctx := w.t.Context()
	follows := w.Follows()
	reactions := worldtest.Must[*reaction.Repository](w.World)(reaction.New(w.DB, w.Names.Reaction, w.IDs, &reaction.Options{Kinds: []string{"like"}}))
	user := func(i int) string { return fmt.Sprintf("user#%d", i) }
	follow := func(i, j int) string {
		return worldtest.Made[follow.Edge](w.World)(follows.Follow(ctx, follow.Edge{Follower: user(i), Followee: user(j)})).ID.String()
	}
	react := func(i, j int) string {
		return worldtest.Made[reaction.Reaction](w.World)(reactions.React(ctx, reaction.Reaction{User: user(i), Object: user(j), Kind: "like"})).ID.String()
	}
	id := follow(1, 2)
	w.Remove(w.Names.Follow, keys.Join("R", user(2), "0"), id) // its check finds that a count is too high
	follow(3, 4)
	w.Remove(w.Names.Follow, keys.Join("E", user(3)), user(4)) // both
	follow(5, 6)
	w.Remove(w.Names.Follow, keys.Join("C", user(6)), "0") // the counter by which the walk knows a user
	follow(7, 8)
	w.Set(w.Names.Follow, keys.Join("C", user(8)), "0", "followers", &types.AttributeValueMemberN{Value: "7"})
	follow(9, 10)
	id = react(1, 2)
	w.Remove(w.Names.Reaction, keys.Join("M", user(1), "like"), id) // the user's check finds it
	for j := 11; j < 15; j++ {
		react(1, j) // so that the partition of a user is longer than a page
	}
	react(3, 4)
	w.Remove(w.Names.Reaction, keys.Join("U", user(3)), user(4)) // the guard by which the walk knows a user
	react(5, 6)
	w.Remove(w.Names.Reaction, keys.Join("C", user(6), "0"), "C") // the counter by which it knows an object
	react(7, 8)
	w.SeedBoards()
	w.Set(w.Names.Leaderboard, keys.Join("P", ann), "LB#ever#19700101T000000Z", "score", &types.AttributeValueMemberS{Value: "?"})
	boards := worldtest.Must[*leaderboard.Repository](w.World)(leaderboard.New(w.DB, w.Names.Leaderboard, w.IDs, nil))
	w.Done(boards.Define(ctx, leaderboard.Board{Name: "folded", Ranking: leaderboard.RankByFold}))
	worldtest.Made[leaderboard.Result](w.World)(boards.Submit(ctx, leaderboard.Submission{Board: "folded", Player: ann, Score: leaderboard.Int(5)}))
	w.Put(w.Names.Leaderboard, keys.Join("R", "folded", "19700101T000000Z"), "ROOT") // what a folder published, without its content
	damaged = []string{
		`follow of user "user#1"`, `follow of user "user#2"`, `follow of user "user#3"`, `follow of user "user#4"`, `follow of user "user#6"`, `follow of user "user#8"`,
		`reaction of user "user#1"`, `reaction of user "user#3"`, `reaction to object "user#4"`, `reaction to object "user#6"`,
		`leaderboard "ever", period 19700101T000000Z`, misfolded,
	}
	w.SeedComments()
	w.SeedDanmu()
	w.SeedMessages()
	left := w.leave()
	require.Len(w.t, left, 5)
	damaged = append(damaged, left...)
	slices.Sort(damaged)
	return damaged
}

func TestNamesDoNotCommandATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "follow")
	const name = "\u009b2J\u202eevil\x7f"
	id := worldtest.Made[follow.Edge](w.World)(w.Follows().Follow(t.Context(), follow.Edge{Follower: name, Followee: "bob"})).ID.String()
	for _, command := range [][]string{{"export"}, {"check"}, {"check", "--json"}} {
		if len(command) == 1 && command[0] == "check" {
			w.Remove(w.Names.Follow, keys.Join("F", name), id)
		}
		got := w.run(append(command, "--user", name, "--only", "follow")...)
		require.Contains(t, got.stdout, `\u009b2J\u202eevil`)
		require.NotRegexp(t, "[\u009b\u202e\x7f]", got.stdout+got.stderr)
	}
}

func TestCheckFindsAllDamageAndRepairFixesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := w.seedDamage()
	w.page = 3

	all := func(args ...string) []string { return append(args, "--all", "--kind", "like", "--json") }
	got := w.ends(exitFailure, all("repair", "--dry-run")...) // as check does, and changes nothing
	require.Equal(t, want, findings(t, got.stdout))
	require.Equal(t, len(want), strings.Count(got.stdout, "\n"), "each was checked once:\n%s", got.stdout)

	// A check that is cut short and continued finds the same.
	file := filepath.Join(t.TempDir(), "checkpoint")
	var out string
	kept := 0
	for n := 0; ; n++ {
		require.Less(t, n, 100)
		w.cutAfter(int64(40 + n*faults.Size(40, 160)))
		got = w.run(all("check", "--checkpoint", file)...)
		for l := range strings.Lines(got.stdout) {
			if !strings.Contains(l, `"error":`) { // not checked, since it was cut short
				out += l
			}
		}
		if !strings.Contains(got.stderr, "plaza:") {
			break
		}
		if _, err := os.Stat(file); err == nil {
			kept++
			for _, other := range [][]string{{"repair", "--kind", "like"}, {"check", "--kind", "love"}} {
				w.ends(exitUsage, append(other, "--all", "--checkpoint", file)...)
			}
		}
	}
	require.NotZero(t, kept)
	require.Equal(t, want, findings(t, out))
	require.NoFileExists(t, file)

	w.wrap = nil
	got = w.ends(exitFailure, "check", "--user", "user#1", "--user", "user#9", "--object", "user#6", "--board", "ever", "--kind", "like")
	require.Equal(t, 4, strings.Count(got.stdout, ": wrong: "), got.stdout)

	got = w.ends(exitFine, all("repair")...)
	require.Subset(t, want, findings(t, got.stdout))
	require.Contains(t, got.stdout, `"fixed":true`)
	got = w.ends(exitFailure, all("check")...)
	require.Equal(t, []string{misfolded}, findings(t, got.stdout))
	require.Contains(t, got.stdout, `"misfolded":1`)

	w.Remove(w.Names.Leaderboard, keys.Join("R", "folded", "19700101T000000Z"), "ROOT")
	got = w.ends(exitFine, all("check")...)
	require.Empty(t, got.stdout)
}

func TestCheckFindsNothingInWhatFeaturesWriteAndNamesEachDamagedItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	check := func(command string) result { return w.run(command, "--all", "--kind", "like,love", "--json") }
	got := check("check")
	require.Zero(t, got.code, got.stdout+got.stderr)
	require.Empty(t, got.stdout)

	damaged := map[string]string{ // an attribute, by the beginning of its item
		"feed O#": "verb", "comment N#": "roots", "comment T#": "replies", "danmu D#": "likes", "danmu U#": "id",
		"message C#": "n", "message U#": "read", "notify N#bob / G#": "n", "notify A#": "title",
	}
	var want []string
	for _, s := range w.Scan() {
		for begin, name := range damaged {
			if strings.HasPrefix(s.Table+" "+s.PK+" / "+s.SK, begin) && s.Item[name] != nil {
				w.Set(w.TableOf(s.Table), s.PK, s.SK, name, &types.AttributeValueMemberBOOL{Value: true})
				what := fmt.Sprintf("%q / %q is damaged: ", s.PK, s.SK)
				if s.Table != "notify" { // which decodes by hand
					what += "attribute " + name + ": "
				}
				want = append(want, what)
				delete(damaged, begin)
				break
			}
		}
	}
	require.Empty(t, damaged, "no item of these was found")
	for _, command := range []string{"repair", "check"} { // no command can mend it
		got = check(command)
		require.Equal(t, exitFailure, got.code, got.stderr)
		var found []string
		for l := range strings.Lines(got.stdout) {
			var f finding
			require.NoError(t, json.Unmarshal([]byte(l), &f))
			found = append(found, f.Damaged)
		}
		require.Len(t, found, len(want))
		for _, what := range want {
			require.Contains(t, strings.Join(found, "\n"), what)
		}
	}
}

// preceded does something before the first UpdateItem.
type preceded struct {
	next aws.HTTPClient
	by   func()
}

func (p *preceded) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") && p.by != nil {
		p.by()
		p.by = nil
	}
	return p.next.Do(r)
}

func TestARepairLeavesAnItemThatHasBegunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "danmu")
	w.SeedDanmu()
	require.Len(t, w.leave(), 1)
	isTombstone := func(s worldtest.Stored) bool { return s.Item["state"] != nil }
	all := w.Scan()
	at := all[slices.IndexFunc(all, isTombstone)]
	again := &types.AttributeValueMemberS{Value: "again"}
	w.wrap = func(next aws.HTTPClient) aws.HTTPClient {
		return &preceded{next, func() {
			w.Put(w.Names.Danmu, at.PK, at.SK)
			w.Set(w.Names.Danmu, at.PK, at.SK, "text", again)
		}}
	}
	got := w.ends(exitFine, "repair", "--all", "--only", "danmu")
	require.Empty(t, got.stdout)
	all = w.Scan()
	i := slices.IndexFunc(all, func(s worldtest.Stored) bool { return s.SK == at.SK && s.PK == at.PK })
	require.Equal(t, again, all[i].Item["text"])
}
