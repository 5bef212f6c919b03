package comment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// garbage is a random value of any type; nil is none.
func garbage(random *rand.Rand) types.AttributeValue {
	junk := make([]byte, 1+random.IntN(20))
	for i := range junk {
		junk[i] = byte(random.Uint32())
	}
	text := string(bytes.ToValidUTF8(junk, []byte("#")))
	return []types.AttributeValue{
		&types.AttributeValueMemberB{Value: junk},
		&types.AttributeValueMemberS{Value: text},
		&types.AttributeValueMemberN{Value: fmt.Sprint(random.Int64())},
		&types.AttributeValueMemberN{Value: "-1.5"},
		&types.AttributeValueMemberN{Value: "-7"},
		&types.AttributeValueMemberBOOL{Value: true},
		&types.AttributeValueMemberNULL{Value: true},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: text}}},
		&types.AttributeValueMemberM{Value: dynamo.Item{text: &types.AttributeValueMemberB{Value: junk}}},
		&types.AttributeValueMemberSS{Value: []string{text}},
		&types.AttributeValueMemberNS{Value: []string{"1"}},
		nil, // no value
	}[random.IntN(12)]
}

func text(item dynamo.Item, name string) string {
	return item[name].(*types.AttributeValueMemberS).Value
}

// requireExpected fails on an error that neither the damage nor the data
// explains.
func requireExpected(t *testing.T, what string, err error) {
	t.Helper()
	for _, known := range []error{plaza.ErrCorrupt, plaza.ErrNotFound, plaza.ErrRemoved, plaza.ErrConflict, plaza.ErrForbidden, plaza.ErrBusy} {
		if errors.Is(err, known) {
			return
		}
	}
	require.NoError(t, err, what)
}

// TestDamageAffectsOnlyItsOwnItem puts a random value into each attribute of each
// item in turn, and reads and writes everything.
func TestDamageAffectsOnlyItsOwnItem(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(0, 2))
	told := 0
	l := &likes{n: map[ids.ID]int64{}}
	opts := &comment.Options{Consistent: true, Score: l.score, OnCorrupt: func(err *plaza.CorruptError) {
		require.ErrorIs(t, err, plaza.ErrCorrupt)
		require.NotEmpty(t, err.PK)
		told++
	}}
	w := newWorld(t, opts)
	given := comment.Comment{Object: "bird", User: "ann", Text: "hello", Key: "k", Data: []byte("{}"), Mentions: []string{"bob"}}
	root := w.add(t, given)
	given.ID = root.ID
	var replies []comment.Comment
	for range 6 {
		replies = append(replies, w.replies(t, "bob", root))
	}
	w.hide(t, replies[0])
	quoting := w.add(t, comment.Comment{Object: "bird", User: "bob", Quote: &comment.Quote{Address: replies[5].Address()}})
	tombstone := w.says(t, "chris", "bird")
	w.replies(t, "bob", tombstone)
	w.delete(t, tombstone)
	edited := quoting
	edited.Text = "edited"
	_, _, err := w.Edit(t.Context(), edited)
	require.NoError(t, err)
	_, err = w.Pin(t.Context(), root.Address())
	require.NoError(t, err)
	sound := w.says(t, "dora", "bird")

	var items []dynamo.Item
	table := w.db.Table(w.table)
	require.NoError(t, table.Scan().Consistent(true).All(t.Context(), &items))
	n := 0
	for _, item := range items {
		for _, attribute := range slices.Sorted(maps.Keys(item)) {
			if n++; n%40 != 0 && !faults.Full() {
				continue
			}
			if attribute == "pk" || text(item, "pk") == "T#bird" && text(item, "sk") == sound.ID.String() {
				continue
			}
			broken := maps.Clone(item)
			what := fmt.Sprint(text(item, "pk"), " / ", text(item, "sk"), ", ", attribute)
			if attribute == "sk" {
				sk := []string{"x", "9", "#", "0123456789ABC#", "zzzzzzzzzzzzz#zzzzzzzzzzzzz", "7#7"}[random.IntN(6)]
				broken["sk"] = &types.AttributeValueMemberS{Value: sk}
			} else if broken[attribute] = garbage(random); broken[attribute] == nil {
				delete(broken, attribute)
			}
			require.NoError(t, table.Put(broken).Run(t.Context()), what)
			w.readsAll(t, what, root, sound, slices.Concat(replies, []comment.Comment{quoting, tombstone, sound}))
			if attribute == "sk" {
				require.NoError(t, table.Delete("pk", text(broken, "pk")).Range("sk", text(broken, "sk")).Run(t.Context()))
			}
			require.NoError(t, table.Put(item).Run(t.Context()))
		}
	}
	require.NotZero(t, told)

	// Now writes and Erase, each in a table of its own.
	for n, item := range items {
		if n%16 != 0 && !faults.Full() {
			continue
		}
		w := newWorld(t, opts)
		table := w.db.Table(w.table)
		batch := table.Batch("pk", "sk").Write()
		for _, item := range items {
			batch.Put(item)
		}
		require.NoError(t, failed(batch.Run(t.Context())))
		broken := dynamo.Item{}
		for name, value := range item {
			if broken[name] = value; name != "pk" && name != "sk" {
				broken[name] = &types.AttributeValueMemberBOOL{Value: true}
			}
		}
		what := fmt.Sprint(text(item, "pk"), " / ", text(item, "sk"))
		require.NoError(t, table.Put(broken).Run(t.Context()))
		w.writesAll(t, what, given, replies[4], edited)
		require.NoError(t, w.EraseObject(t.Context(), "bird"), what)
		for key := range w.state(t) {
			require.Contains(t, "MK", key[:1], "%s is left of the object; %s was damaged", key, what)
		}
	}
}

// readsAll fails if a list or a count fails, or if the undamaged comment is
// missing.
func (w world) readsAll(t *testing.T, what string, root, sound comment.Comment, cs []comment.Comment) {
	t.Helper()
	ctx := t.Context()
	expected := func(results ...any) { t.Helper(); requireExpected(t, what, failed(results...)) }
	for _, opts := range []*comment.ListOptions{nil, {WithHidden: true, Oldest: true}} {
		require.Contains(t, idsOf(pagetest.All(t, of(w.ByObject, "bird", opts), 2)), sound.ID, what)
		pagetest.All(t, of(w.Threads, "bird", opts), 3)
		expected(w.Replies(ctx, root.Address(), cursor.PageRequest{}, opts))
		for _, user := range []string{"ann", "bob", "chris", "dora"} {
			pagetest.All(t, of(w.ByUser, user, opts), 2)
		}
	}
	pagetest.All(t, w.top("bird"), 2)
	expected(w.Counts(ctx, "bird"))
	expected(w.Pinned(ctx, "bird"))
	require.NoError(t, failed(w.CountsMany(ctx, []string{"bird", "tree"})), what)
	ats := []comment.Address{root.Address()}
	for _, c := range cs {
		ats = append(ats, c.Address())
		expected(w.Get(ctx, c.Address()))
	}
	require.NoError(t, failed(w.GetMany(ctx, ats)), what)
}

func (w world) writesAll(t *testing.T, what string, given, reply, edited comment.Comment) {
	t.Helper()
	ctx := t.Context()
	expected := func(results ...any) { t.Helper(); requireExpected(t, what, failed(results...)) }
	expected(w.Add(ctx, given))
	expected(w.Add(ctx, comment.Comment{Object: "bird", User: "eve", Text: "hello"}))
	expected(w.Add(ctx, comment.Comment{Object: "bird", User: "eve", Text: "hello", Root: reply.Root, Parent: reply.ID}))
	for _, at := range []comment.Address{given.Address(), reply.Address()} {
		expected(w.Hide(ctx, at))
		expected(w.Unhide(ctx, at))
	}
	for _, c := range []comment.Comment{edited, reply} {
		c.Text = "edited again"
		expected(w.Edit(ctx, c))
	}
	expected(w.Unpin(ctx, given.Address()))
	expected(w.Pin(ctx, given.Address()))
	expected(w.UpdateScore(ctx, given.Address()))
	expected(w.Delete(ctx, comment.Action{Address: reply.Address(), User: "bob"}))
	expected(w.Remove(ctx, given.Address(), comment.Removal{By: "eve"}))
}

func TestErrorsNameTheDamagedItem(t *testing.T) {
	t.Parallel()
	var told []*plaza.CorruptError
	w := newWorld(t, &comment.Options{Consistent: true, OnCorrupt: func(err *plaza.CorruptError) { told = append(told, err) }})
	ctx := t.Context()
	damaged, other := w.says(t, "ann", "bird"), w.says(t, "ann", "bird")
	table := w.db.Table(w.table)
	require.NoError(t, table.Update("pk", "T#bird").Range("sk", damaged.ID.String()).Set("replies", "many").Run(ctx))
	corrupt := func(results ...any) { t.Helper(); require.ErrorIs(t, failed(results...), plaza.ErrCorrupt) }

	corrupt(w.Get(ctx, damaged.Address()))
	corrupt(w.Hide(ctx, damaged.Address()))
	corrupt(w.Add(ctx, comment.Comment{Object: "bird", Root: damaged.ID, User: "bob", Text: "hi"}))
	require.Empty(t, told)
	require.Equal(t, []ids.ID{other.ID}, idsOf(pagetest.All(t, of(w.ByObject, "bird", nil), 1)))
	require.NotEmpty(t, told)
	require.Equal(t, plaza.CorruptError{Table: w.table, PK: "T#bird", SK: damaged.ID.String(), Reason: told[0].Reason}, *told[0])
	told = nil
	found, err := w.GetMany(ctx, []comment.Address{damaged.Address(), other.Address()})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Len(t, told, 1)

	require.NoError(t, table.Update("pk", "N#bird").Range("sk", "~").Set("n", "some").Run(ctx))
	corrupt(w.Counts(ctx, "bird"))
	corrupt(w.Add(ctx, comment.Comment{Object: "bird", User: "bob", Text: "hi"}))
	counts, err := w.CountsMany(ctx, []string{"bird", "tree"})
	require.NoError(t, err)
	require.Equal(t, map[string]comment.Counts{"tree": {}}, counts)
}

// The root may be hidden, so its reply is not shown.
func TestAReplyUnderADamagedRootIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	reply := w.replies(t, "bob", root)
	negative := w.says(t, "ann", "bird")
	table := w.db.Table(w.table)
	require.NoError(t, table.Update("pk", "T#bird").Range("sk", root.ID.String()).Set("hidden", "yes").Run(t.Context()))
	require.NoError(t, table.Update("pk", "T#bird").Range("sk", negative.ID.String()).Set("answers", -1).Run(t.Context()))
	for _, c := range []comment.Comment{root, reply, negative} {
		_, err := w.Get(t.Context(), c.Address())
		require.ErrorIs(t, err, plaza.ErrCorrupt)
	}
	require.Empty(t, pagetest.All(t, of(w.ByUser, "bob", nil), 5))
	require.Empty(t, pagetest.All(t, of(w.ByObject, "bird", nil), 5))
	_, err := w.Replies(t.Context(), root.Address(), cursor.PageRequest{}, nil)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
}

// TestAFirstReplyWithoutARootIsLeftOut stores rows among the first replies
// whose keys contain no root.
func TestAFirstReplyWithoutARootIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.says(t, "ann", "bird")
	reply := w.replies(t, "bob", one)
	two := w.says(t, "ann", "bird")
	w.replies(t, "bob", two)
	for _, sk := range []string{one.ID.String(), one.ID.String() + "#", one.ID.String() + "!", one.ID.String() + "!#" + two.ID.String(), one.ID.String()[:12] + "Z", "31#x"} {
		item := map[string]any{"pk": "F#bird", "sk": sk, "user": "eve", "text": "hello"}
		require.NoError(t, w.db.Table(w.table).Put(item).Run(t.Context()))
	}
	threads := pagetest.All(t, of(w.Threads, "bird", nil), 5)
	require.Len(t, threads, 2)
	require.Equal(t, []ids.ID{reply.ID}, idsOf(threads[1].First))
	require.Equal(t, []ids.ID{reply.ID}, idsOf(pagetest.All(t, of(w.Replies, one.Address(), nil), 5)))
}

func TestEraseContinuesPastDamageAndReportsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	damaged, other := w.says(t, "chris", "bird"), w.says(t, "chris", "bird")
	table := w.db.Table(w.table)
	require.NoError(t, table.Update("pk", "M#chris").Range("sk", damaged.ID.String()).Set("object", 7).Run(t.Context()))
	require.ErrorIs(t, w.Erase(t.Context(), "chris"), plaza.ErrCorrupt)
	_, err := w.Get(t.Context(), other.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)

	require.NoError(t, table.Update("pk", "M#chris").Range("sk", damaged.ID.String()).Set("object", "bird").Run(t.Context()))
	require.NoError(t, w.Erase(t.Context(), "chris"))
	require.Empty(t, w.traces(t, "chris"))
}

func TestAnIDFromTheFutureIsRefused(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	for ahead, want := range map[int64]error{0: nil, 10_000: nil, 10_001: plaza.ErrInvalid} {
		id, err := ids.Backdate(today.Add(0), fmt.Sprint(ahead))
		require.NoError(t, err)
		id += ids.ID(ahead) << 22
		_, _, err = w.Add(context.Background(), comment.Comment{Object: "bird", ID: id, User: "ann", Text: "hi"})
		require.ErrorIs(t, err, want, "%d ms ahead", ahead)
	}
}
