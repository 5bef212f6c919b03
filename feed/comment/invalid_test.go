package comment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	scored := newWorld(t, &comment.Options{Score: func(context.Context, comment.Address) (int64, error) { return 0, nil }}, in.Wrap)
	w := scored.process(t, nil, in.Wrap)
	long, broken := strings.Repeat("x", 257), "\xff"
	const wide = ids.ID(1 << 63)
	good := comment.Comment{Object: "bird", ID: 1, User: "ann", Text: "hello"}
	at, reply := good.Address(), comment.Address{Object: "bird", Root: 1, ID: 2}
	add := func(change func(*comment.Comment)) func() error {
		return func() error { c := good; change(&c); _, _, err := w.Add(t.Context(), c); return err }
	}
	edit := func(change func(*comment.Comment)) func() error {
		return func() error { c := good; change(&c); _, _, err := w.Edit(t.Context(), c); return err }
	}
	remove := func(why comment.Removal) func() error {
		return func() error { _, err := w.Remove(t.Context(), at, why); return err }
	}
	bare := cursor.PageRequest{}
	names := make([]string, 101)
	ats := make([]comment.Address, 101)
	for i := range names {
		names[i], ats[i] = "bird", at
	}
	users := strings.Split(strings.Repeat("a", 51), "")
	for name, c := range map[string]struct {
		field string
		call  func() error
	}{
		"no object":                 {"Object", add(func(c *comment.Comment) { c.Object = "" })},
		"a long object":             {"Object", add(func(c *comment.Comment) { c.Object = long })},
		"a broken object":           {"Object", add(func(c *comment.Comment) { c.Object = broken })},
		"no user":                   {"User", add(func(c *comment.Comment) { c.User = "" })},
		"a long user":               {"User", add(func(c *comment.Comment) { c.User = long })},
		"a wide id":                 {"ID", add(func(c *comment.Comment) { c.ID = wide })},
		"a wide root":               {"Root", add(func(c *comment.Comment) { c.Root = wide })},
		"a wide parent":             {"Parent", add(func(c *comment.Comment) { c.Parent = wide })},
		"itself as parent":          {"Parent", add(func(c *comment.Comment) { c.Parent = 1 })},
		"itself as root":            {"Root", add(func(c *comment.Comment) { c.Root = 1 })},
		"no text":                   {"Text", add(func(c *comment.Comment) { c.Text = "" })},
		"white space":               {"Text", add(func(c *comment.Comment) { c.Text = " \n\t\u3000" })},
		"a broken text":             {"Text", add(func(c *comment.Comment) { c.Text = broken })},
		"a text one rune over":      {"Text", add(func(c *comment.Comment) { c.Text = strings.Repeat("鳥", 2001) })},
		"51 mentions":               {"Mentions", add(func(c *comment.Comment) { c.Mentions = users })},
		"a mention twice":           {"Mentions[1]", add(func(c *comment.Comment) { c.Mentions = users[:2] })},
		"an empty mention":          {"Mentions[1]", add(func(c *comment.Comment) { c.Mentions = []string{"a", ""} })},
		"no JSON":                   {"Data", add(func(c *comment.Comment) { c.Data = []byte("{") })},
		"JSON of half a surrogate":  {"Data", add(func(c *comment.Comment) { c.Data = []byte(`"\ud800"`) })},
		"much JSON":                 {"Data", add(func(c *comment.Comment) { c.Data = []byte(`"` + strings.Repeat("x", 4095) + `"`) })},
		"2 MiB of JSON":             {"Data", add(func(c *comment.Comment) { c.Data = []byte(strings.Repeat("[", 2<<20)) })},
		"a long key":                {"Key", add(func(c *comment.Comment) { c.Key = long })},
		"a quote in a reply":        {"Quote", add(func(c *comment.Comment) { c.Root, c.Quote = 2, &comment.Quote{Address: comment.Address{ID: 2}} })},
		"a quote of another object": {"Quote.Object", add(func(c *comment.Comment) { c.Quote = &comment.Quote{Address: comment.Address{Object: "tree", ID: 2}} })},
		"a quote of nothing":        {"Quote.ID", add(func(c *comment.Comment) { c.Quote = &comment.Quote{} })},
		"a quote of itself":         {"Quote.ID", add(func(c *comment.Comment) { c.Quote = &comment.Quote{Address: at} })},
		"a quote of a wide root":    {"Quote.Root", add(func(c *comment.Comment) { c.Quote = &comment.Quote{Address: comment.Address{Root: wide, ID: 2}} })},

		"an edit of nothing":   {"ID", edit(func(c *comment.Comment) { c.ID = 0 })},
		"an edit without text": {"Text", edit(func(c *comment.Comment) { c.Text = "" })},
		"an edit without user": {"User", edit(func(c *comment.Comment) { c.User = "" })},
		"a delete of nothing": {"ID", func() error {
			_, err := w.Delete(t.Context(), comment.Action{Address: comment.Address{Object: "bird"}, User: "ann"})
			return err
		}},
		"a delete by nobody": {"User", func() error { _, err := w.Delete(t.Context(), comment.Action{Address: at}); return err }},
		"a removal of nothing": {"Object", func() error {
			_, err := w.Remove(t.Context(), comment.Address{ID: 1}, comment.Removal{By: "ann"})
			return err
		}},
		"a removal by nobody":  {"By", remove(comment.Removal{})},
		"a long reason":        {"Reason", remove(comment.Removal{By: "ann", Reason: strings.Repeat("x", 1025)})},
		"a broken reason":      {"Reason", remove(comment.Removal{By: "ann", Reason: broken})},
		"a hide of nothing":    {"ID", func() error { _, err := w.Hide(t.Context(), comment.Address{Object: "bird"}); return err }},
		"an unhide of nothing": {"ID", func() error { _, err := w.Unhide(t.Context(), comment.Address{Object: "bird"}); return err }},
		"a pin of a reply":     {"Root", func() error { _, err := w.Pin(t.Context(), reply); return err }},
		"a pin of nothing":     {"ID", func() error { _, err := w.Pin(t.Context(), comment.Address{Object: "bird"}); return err }},
		"an unpin of a reply":  {"Root", func() error { _, err := w.Unpin(t.Context(), reply); return err }},
		"pinned nowhere":       {"Object", func() error { _, err := w.Pinned(t.Context(), ""); return err }},
		"a get of nothing":     {"ID", func() error { _, err := w.Get(t.Context(), comment.Address{Object: "bird"}); return err }},
		"a get of a wide root": {"Root", func() error {
			_, err := w.Get(t.Context(), comment.Address{Object: "bird", Root: wide, ID: 1})
			return err
		}},
		"gets of 101":                   {"Addresses", func() error { _, err := w.GetMany(t.Context(), ats); return err }},
		"a get among many":              {"Addresses[1].Object", func() error { _, err := w.GetMany(t.Context(), []comment.Address{at, {ID: 1}}); return err }},
		"counts nowhere":                {"Object", func() error { _, err := w.Counts(t.Context(), ""); return err }},
		"counts of 101 objects":         {"Objects", func() error { _, err := w.CountsMany(t.Context(), names); return err }},
		"counts among many":             {"Objects[1]", func() error { _, err := w.CountsMany(t.Context(), []string{"bird", long}); return err }},
		"a list nowhere":                {"Object", func() error { _, err := w.ByObject(t.Context(), "", bare, nil); return err }},
		"threads nowhere":               {"Object", func() error { _, err := w.Threads(t.Context(), "", bare, nil); return err }},
		"replies to a reply":            {"Root", func() error { _, err := w.Replies(t.Context(), reply, bare, nil); return err }},
		"replies to nothing":            {"ID", func() error { _, err := w.Replies(t.Context(), comment.Address{Object: "bird"}, bare, nil); return err }},
		"a list of nobody":              {"User", func() error { _, err := w.ByUser(t.Context(), "", bare, nil); return err }},
		"a top nowhere":                 {"Object", func() error { _, err := scored.Top(t.Context(), "", bare); return err }},
		"a top without Options.Score":   {"Options.Score", func() error { _, err := w.Top(t.Context(), "bird", bare); return err }},
		"a score without Options.Score": {"Options.Score", func() error { _, err := w.UpdateScore(t.Context(), at); return err }},
		"a score of a reply":            {"Root", func() error { _, err := scored.UpdateScore(t.Context(), reply); return err }},
		"an Erase of nobody":            {"User", func() error { return w.Erase(t.Context(), "") }},
		"an EraseObject of nothing":     {"Object", func() error { return w.EraseObject(t.Context(), broken) }},
	} {
		err := c.call()
		require.ErrorIs(t, err, plaza.ErrInvalid, name)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, c.field, invalid.Field, name)
	}
	require.Zero(t, in.Requests())
}

func TestNewRefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	db, gen := dynamotest.DB(t), generator(t)
	for name, c := range map[string]struct {
		field string
		call  func() error
	}{
		"no db":          {"db", func() error { _, err := comment.New(nil, "comment", gen, nil); return err }},
		"no table":       {"table", func() error { _, err := comment.New(db, "", gen, nil); return err }},
		"no ids":         {"gen", func() error { _, err := comment.New(db, "comment", nil, nil); return err }},
		"negative runes": {"Options.MaxRunes", func() error { _, err := comment.New(db, "comment", gen, &comment.Options{MaxRunes: -1}); return err }},
		"many runes": {"Options.MaxRunes", func() error {
			_, err := comment.New(db, "comment", gen, &comment.Options{MaxRunes: 65_537})
			return err
		}},
		"much data": {"Options.MaxData", func() error { _, err := comment.New(db, "comment", gen, &comment.Options{MaxData: 65_537}); return err }},
		"a long excerpt": {"Options.ExcerptRunes", func() error {
			_, err := comment.New(db, "comment", gen, &comment.Options{ExcerptRunes: 65_537})
			return err
		}},
		"a negative excerpt": {"Options.ExcerptRunes", func() error {
			_, err := comment.New(db, "comment", gen, &comment.Options{ExcerptRunes: -1})
			return err
		}},
	} {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, c.call(), &invalid, name)
		require.Equal(t, c.field, invalid.Field, name)
	}
	require.Equal(t, "ttl", *comment.TTL("comment").TimeToLiveSpecification.AttributeName)
}
