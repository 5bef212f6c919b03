package comment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

// failed returns the last result of a call, which is its error.
var failed = callstest.Failed

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	scored := newWorld(t, &comment.Options{Score: func(context.Context, comment.Address) (int64, error) { return 0, nil }}, in.Wrap)
	w := scored.process(t, nil, in.Wrap)
	long, broken := strings.Repeat("x", 257), "\xff"
	const wide = ids.ID(1 << 63)
	good := comment.Comment{Object: "bird", ID: 1, User: "ann", Text: "hello"}
	at, reply := good.Address(), comment.Address{Object: "bird", Root: 1, ID: 2}
	add := func(change func(*comment.Comment)) error { c := good; change(&c); return failed(w.Add(t.Context(), c)) }
	edit := func(change func(*comment.Comment)) error {
		c := good
		change(&c)
		return failed(w.Edit(t.Context(), c))
	}
	remove := func(why comment.Removal) error { return failed(w.Remove(t.Context(), at, why)) }
	bare := cursor.PageRequest{}
	names := make([]string, 101)
	ats := make([]comment.Address, 101)
	for i := range names {
		names[i], ats[i] = "bird", at
	}
	users := strings.Split(strings.Repeat("a", 51), "")
	callstest.RequireInvalid(t, map[string]invalid{
		"no object":                 {"Object", add(func(c *comment.Comment) { c.Object = "" })},
		"a long object":             {"Object", add(func(c *comment.Comment) { c.Object = long })},
		"no user":                   {"User", add(func(c *comment.Comment) { c.User = "" })},
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

		"an edit of nothing":            {"ID", edit(func(c *comment.Comment) { c.ID = 0 })},
		"an edit without text":          {"Text", edit(func(c *comment.Comment) { c.Text = "" })},
		"an edit without user":          {"User", edit(func(c *comment.Comment) { c.User = "" })},
		"a delete of nothing":           {"ID", failed(w.Delete(t.Context(), comment.Action{Address: comment.Address{Object: "bird"}, User: "ann"}))},
		"a delete by nobody":            {"User", failed(w.Delete(t.Context(), comment.Action{Address: at}))},
		"a removal of nothing":          {"Object", failed(w.Remove(t.Context(), comment.Address{ID: 1}, comment.Removal{By: "ann"}))},
		"a removal by nobody":           {"By", remove(comment.Removal{})},
		"a long reason":                 {"Reason", remove(comment.Removal{By: "ann", Reason: strings.Repeat("x", 1025)})},
		"a broken reason":               {"Reason", remove(comment.Removal{By: "ann", Reason: broken})},
		"a hide of nothing":             {"ID", failed(w.Hide(t.Context(), comment.Address{Object: "bird"}))},
		"an unhide of nothing":          {"ID", failed(w.Unhide(t.Context(), comment.Address{Object: "bird"}))},
		"a pin of a reply":              {"Root", failed(w.Pin(t.Context(), reply))},
		"a pin of nothing":              {"ID", failed(w.Pin(t.Context(), comment.Address{Object: "bird"}))},
		"an unpin of a reply":           {"Root", failed(w.Unpin(t.Context(), reply))},
		"pinned nowhere":                {"Object", failed(w.Pinned(t.Context(), ""))},
		"a get of nothing":              {"ID", failed(w.Get(t.Context(), comment.Address{Object: "bird"}))},
		"a get of a wide root":          {"Root", failed(w.Get(t.Context(), comment.Address{Object: "bird", Root: wide, ID: 1}))},
		"gets of 101":                   {"Addresses", failed(w.GetMany(t.Context(), ats))},
		"a get among many":              {"Addresses[1].Object", failed(w.GetMany(t.Context(), []comment.Address{at, {ID: 1}}))},
		"counts nowhere":                {"Object", failed(w.Counts(t.Context(), ""))},
		"counts of 101 objects":         {"Objects", failed(w.CountsMany(t.Context(), names))},
		"counts among many":             {"Objects[1]", failed(w.CountsMany(t.Context(), []string{"bird", long}))},
		"a list nowhere":                {"Object", failed(w.ByObject(t.Context(), "", bare, nil))},
		"threads nowhere":               {"Object", failed(w.Threads(t.Context(), "", bare, nil))},
		"replies to a reply":            {"Root", failed(w.Replies(t.Context(), reply, bare, nil))},
		"replies to nothing":            {"ID", failed(w.Replies(t.Context(), comment.Address{Object: "bird"}, bare, nil))},
		"a list of nobody":              {"User", failed(w.ByUser(t.Context(), "", bare, nil))},
		"a top nowhere":                 {"Object", failed(scored.Top(t.Context(), "", bare))},
		"a top without Options.Score":   {"Options.Score", failed(w.Top(t.Context(), "bird", bare))},
		"a score without Options.Score": {"Options.Score", failed(w.UpdateScore(t.Context(), at))},
		"a score of a reply":            {"Root", failed(scored.UpdateScore(t.Context(), reply))},
		"an Erase of nobody":            {"User", w.Erase(t.Context(), "")},
		"an EraseObject of nothing":     {"Object", w.EraseObject(t.Context(), broken)},
	})
	require.Zero(t, in.Requests())
}

func TestNewRefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	db, gen := dynamotest.DB(t), generator(t)
	callstest.RequireInvalid(t, map[string]invalid{
		"no db":              {"db", failed(comment.New(nil, "comment", gen, nil))},
		"no table":           {"table", failed(comment.New(db, "", gen, nil))},
		"no ids":             {"gen", failed(comment.New(db, "comment", nil, nil))},
		"negative runes":     {"Options.MaxRunes", failed(comment.New(db, "comment", gen, &comment.Options{MaxRunes: -1}))},
		"many runes":         {"Options.MaxRunes", failed(comment.New(db, "comment", gen, &comment.Options{MaxRunes: 65_537}))},
		"much data":          {"Options.MaxData", failed(comment.New(db, "comment", gen, &comment.Options{MaxData: 65_537}))},
		"a long excerpt":     {"Options.ExcerptRunes", failed(comment.New(db, "comment", gen, &comment.Options{ExcerptRunes: 65_537}))},
		"a negative excerpt": {"Options.ExcerptRunes", failed(comment.New(db, "comment", gen, &comment.Options{ExcerptRunes: -1}))},
	})
	require.Equal(t, "ttl", *comment.TTL("comment").TimeToLiveSpecification.AttributeName)
}
