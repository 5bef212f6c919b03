package edgetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

type invalid struct {
	Field string
	Err   error
}

var failed = callstest.Failed

// invalidInput sends no request.
func invalidInput[E any](t *testing.T, f Feature[E]) {
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, f, spread(1), in.Wrap)
	ctx, page, is := t.Context(), cursor.PageRequest{}, f.Fields
	cases := map[string]invalid{}
	for call, of := range map[string]func(Edge) error{
		"Begin": func(e Edge) error { return failed(w.Begin(ctx, f.Of(e))) },
		"End":   func(e Edge) error { return failed(w.End(ctx, f.Of(e))) },
		"Get":   func(e Edge) error { return failed(w.Get(ctx, f.Of(e))) },
	} {
		for i, bad := range []string{"", strings.Repeat("x", 257), "a\xff", "\xed\xa0\x80"} {
			cases[fmt.Sprint(call, " of a bad tail ", i)] = invalid{is.Tail, of(Edge{Tail: bad, Head: "a", Kind: f.first()})}
			cases[fmt.Sprint(call, " of a bad head ", i)] = invalid{is.Head, of(Edge{Tail: "a", Head: bad, Kind: f.first()})}
		}
		cases[call+" of a wide id"] = invalid{"ID", of(Edge{Tail: "a", Head: "b", Kind: f.first(), ID: 1 << 63})}
		if f.mutual() {
			cases[call+" of a name to itself"] = invalid{is.Head, of(Edge{Tail: "a", Head: "a", Kind: f.first()})}
		}
	}
	for i, bad := range []string{"", strings.Repeat("x", 257), "a\xff"} {
		tail, head := edge.Ends{Tail: bad}, edge.Ends{Head: bad}
		for call, c := range map[string]invalid{
			"ByTail":     {is.OfTail, failed(w.ByTail(ctx, bad, "", page))},
			"ByHead":     {is.OfHead, failed(w.ByHead(ctx, bad, "", page))},
			"Counts":     {is.OfHead, failed(w.Counts(ctx, bad))},
			"CountsMany": {is.Heads + "[1]", failed(w.CountsMany(ctx, []string{"a", bad}))},
			"Kinds of":   {is.KindsOf, failed(w.Kinds(ctx, bad, []string{"a"}))},
			"Kinds to":   {is.KindsTo + "[2]", failed(w.Kinds(ctx, "a", []string{"b", "c", bad}))},
		} {
			cases[fmt.Sprint(call, " of a bad name ", i)] = c
		}
		if bad == "" {
			continue // Ends with one name are of the other
		}
		for call, c := range map[string]invalid{
			"Check of a tail":  {is.OfTail, failed(w.Check(ctx, tail))},
			"Check of a head":  {is.OfHead, failed(w.Check(ctx, head))},
			"Repair of a tail": {is.OfTail, failed(w.Repair(ctx, tail))},
			"Repair of a head": {is.OfHead, failed(w.Repair(ctx, head))},
			"Erase of a tail":  {is.OfTail, w.Erase(ctx, tail)},
			"Erase of a head":  {is.OfHead, w.Erase(ctx, head)},
		} {
			cases[fmt.Sprint(call, " of a bad name ", i)] = c
		}
	}
	many := strings.Split(strings.Repeat("x", 101), "")
	cases["CountsMany of 101"] = invalid{is.Heads, failed(w.CountsMany(ctx, many))}
	cases["Kinds to 101"] = invalid{is.KindsTo, failed(w.Kinds(ctx, "a", many))}
	for name, list := range map[string]list[E]{"ByTail": w.ByTail, "ByHead": w.ByHead} {
		cases["a bad limit "+name] = invalid{"Limit", failed(list(ctx, "a", "", cursor.PageRequest{Limit: -1}))}
		cases["a bad cursor "+name] = invalid{"Cursor", failed(list(ctx, "a", "", cursor.PageRequest{Cursor: "no cursor"}))}
	}
	for _, n := range []int{-1, 0, edge.MaxShards + 1} {
		for _, kind := range f.some() { // of a group, Begin reads first
			w := w.process(t, spread(n), in.Wrap)
			cases[fmt.Sprint(n, " shards, ", kind)] = invalid{"Options.Shards", failed(w.Begin(ctx, f.Of(Edge{Tail: "a", Head: "b", Kind: kind})))}
		}
	}
	callstest.RequireInvalid(t, cases)
	require.Zero(t, in.Requests())
}

func invalidNew[E any](t *testing.T, f Feature[E]) {
	db := dynamo.NewFromIface(nil)
	var gen ids.Source = Generator(t)
	callstest.RequireInvalid(t, map[string]invalid{
		"no db":    {"db", failed(f.New(nil, "edges", gen, Options{}))},
		"no table": {"table", failed(f.New(db, "", gen, Options{}))},
		"no ids":   {"gen", failed(f.New(db, "edges", nil, Options{}))},
	})
	_, err := f.New(db, "edges", gen, Options{})
	require.NoError(t, err)
}
