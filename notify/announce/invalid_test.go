package announce_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, in.Wrap)
	ctx := t.Context()
	long, broken := strings.Repeat("x", 257), "\xff"
	const wide = ids.ID(1 << 63)
	far := ids.At(today.Add(announce.MaxAhead + time.Minute + time.Millisecond))
	an := func(change func(*notify.Announcement)) error {
		a := w.message("Hello")
		change(&a)
		_, created, err := w.Announce(ctx, a)
		require.False(t, created)
		return err
	}
	live := func(audiences ...string) error {
		return errOf(w.Live(ctx, notify.Reader{User: "ann", Audiences: audiences}))
	}
	withdraw := func(audience string, id ids.ID) error { return errOf(w.Withdraw(ctx, audience, id)) }
	edit := func(change func(*notify.Announcement)) error {
		a := w.message("Hello")
		a.ID = 1
		change(&a)
		return errOf3(w.Edit(ctx, a))
	}
	gen := generator(t)
	require.NoError(t, errOf(announce.New(w.db, w.table, gen, nil)))
	callstest.RequireInvalid(t, map[string]struct {
		Field string
		Err   error
	}{
		"no audience":                 {"Audience", an(func(a *notify.Announcement) { a.Audience = "" })},
		"a long audience":             {"Audience", an(func(a *notify.Announcement) { a.Audience = long })},
		"a broken audience":           {"Audience", an(func(a *notify.Announcement) { a.Audience = broken })},
		"no title":                    {"Title", an(func(a *notify.Announcement) { a.Title = "" })},
		"a long title":                {"Title", an(func(a *notify.Announcement) { a.Title = long })},
		"a broken title":              {"Title", an(func(a *notify.Announcement) { a.Title = broken })},
		"a broken text":               {"Text", an(func(a *notify.Announcement) { a.Text = broken })},
		"much text":                   {"Announcement", an(func(a *notify.Announcement) { a.Text = strings.Repeat("x", announce.MaxSize) })},
		"21 refs":                     {"Refs", an(func(a *notify.Announcement) { a.Refs = make([]feed.Ref, 21) })},
		"an empty ref":                {"Refs[1]", an(func(a *notify.Announcement) { a.Refs = append(a.Refs, feed.Ref{}) })},
		"a ref with a colon":          {"Refs[0]", an(func(a *notify.Announcement) { a.Refs = []feed.Ref{{ID: "page:1"}} })},
		"a kind with a colon":         {"Refs[0]", an(func(a *notify.Announcement) { a.Refs = []feed.Ref{{Kind: "a:b", ID: "1"}} })},
		"no JSON":                     {"Data", an(func(a *notify.Announcement) { a.Data = json.RawMessage("{") })},
		"JSON of half a surrogate":    {"Data", an(func(a *notify.Announcement) { a.Data = json.RawMessage(`"\ud800"`) })},
		"2 MiB of JSON":               {"Announcement", an(func(a *notify.Announcement) { a.Data = json.RawMessage(strings.Repeat("[", 2<<20)) })},
		"a wide id":                   {"ID", an(func(a *notify.Announcement) { a.ID = wide })},
		"an id of far ahead":          {"ID", an(func(a *notify.Announcement) { a.ID = far })},
		"a From of far ahead":         {"From", an(func(a *notify.Announcement) { a.From = today.Add(announce.MaxAhead + time.Millisecond) })},
		"no Until":                    {"Until", an(func(a *notify.Announcement) { a.Until = time.Time{} })},
		"an Until of before it shows": {"Until", an(func(a *notify.Announcement) { a.Until = today.Add(lead) })},
		"a repeat after its Until":    {"Until", an(func(a *notify.Announcement) { a.ID, a.Until = ids.At(today.Add(-time.Hour)), today })},
		"an Until of before From":     {"Until", an(func(a *notify.Announcement) { a.From = a.Until })},
		"90 days from now":            {"Until", an(func(a *notify.Announcement) { a.Until = today.Add(lead + announce.MaxLife + time.Millisecond) })},
		"90 days from its id": {"Until", an(func(a *notify.Announcement) {
			a.ID = ids.At(today.Add(time.Hour))
			a.Until = today.Add(time.Hour + announce.MaxLife + time.Millisecond)
		})},
		"90 days from From":            {"Until", an(func(a *notify.Announcement) { a.From = today; a.Until = today.Add(announce.MaxLife + time.Millisecond) })},
		"withdrawing from no audience": {"Audience", withdraw("", 1)},
		"withdrawing nothing":          {"ID", withdraw("everyone", 0)},
		"withdrawing a wide id":        {"ID", withdraw("everyone", wide)},
		"withdrawing far ahead":        {"ID", withdraw("everyone", far)},
		"editing in no audience":       {"Audience", edit(func(a *notify.Announcement) { a.Audience = "" })},
		"editing nothing":              {"ID", edit(func(a *notify.Announcement) { a.ID = 0 })},
		"editing a wide id":            {"ID", edit(func(a *notify.Announcement) { a.ID = wide })},
		"editing the title away":       {"Title", edit(func(a *notify.Announcement) { a.Title = "" })},
		"editing the end away":         {"Until", edit(func(a *notify.Announcement) { a.Until = time.Time{} })},
		"an end that has passed":       {"Until", edit(func(a *notify.Announcement) { a.Until = today })},
		"editing to much text":         {"Announcement", edit(func(a *notify.Announcement) { a.Text = strings.Repeat("x", announce.MaxSize) })},
		"a list of no audience":        {"Audience", errOf(w.List(ctx, "", cursor.PageRequest{}))},
		"erasing no audience":          {"Audience", w.Erase(ctx, "")},
		"a reader of an empty one":     {"Audiences[1]", live("everyone", "")},
		"a reader of a broken one":     {"Audiences[0]", live(broken)},
		"a reader of 101":              {"Audiences", live(make([]string, 101)...)},
		"no database":                  {"db", errOf(announce.New(nil, w.table, gen, nil))},
		"no table":                     {"table", errOf(announce.New(w.db, "", gen, nil))},
		"no source of ids":             {"gen", errOf(announce.New(w.db, w.table, nil, nil))},
		"a negative cache":             {"Options.CacheSize", errOf(announce.New(w.db, w.table, gen, &announce.Options{CacheSize: -1}))},
	})
	require.Zero(t, in.Requests())
}

func TestInputAtItsLimitsIsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, change := range map[string]func(*notify.Announcement){
		"long names": func(a *notify.Announcement) { a.Audience, a.Title = strings.Repeat("#", 256), strings.Repeat("x", 256) },
		"much text": func(a *notify.Announcement) {
			a.Text = strings.Repeat("x", announce.MaxSize-len("much text")-len(a.Data)-len("page:editor"))
		},
		"20 refs": func(a *notify.Announcement) {
			a.Refs = make([]feed.Ref, 20)
			for i := range a.Refs {
				a.Refs[i].ID = "x"
			}
		},
		"90 days from now": func(a *notify.Announcement) { a.Until = today.Add(lead + announce.MaxLife) },
		"90 days from From": func(a *notify.Announcement) {
			a.From = today.Add(announce.MaxAhead)
			a.Until = a.From.Add(announce.MaxLife)
		},
		"just before it ends": func(a *notify.Announcement) { a.Until = today.Add(lead + time.Millisecond) },
		"nested JSON": func(a *notify.Announcement) {
			a.Data = json.RawMessage(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))
		},
	} {
		a := w.message(name)
		change(&a)
		w.announce(t, a)
	}
}
