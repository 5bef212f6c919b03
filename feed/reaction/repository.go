package reaction

import (
	"context"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repository keeps reactions in one table.
type Repository struct {
	table  *store.Table
	graph  *edge.Graph
	gen    ids.Source
	opts   Options
	others map[string][]string // the kinds that each kind excludes
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	t, err := store.Open(db, table, o.OnCorrupt, opts != nil && opts.Now != nil)
	if err != nil {
		return nil, err
	}
	others := map[string][]string{}
	for _, group := range o.OneOf {
		for i, kind := range group {
			others[kind] = slices.Concat(group[:i], group[i+1:])
		}
	}
	graph := edge.New(t, shape(slices.Clone(o.Kinds)), o.Shards, o.Now)
	return &Repository{table: t, graph: graph, gen: gen, opts: o, others: others}, nil
}

// Verify checks the table's key schema, its expiry and the mark that Init left.
// Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as reaction's, so that no other feature
// uses it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Init")
	return r.table.Init(ctx, feature())
}

// React gives a.User the reaction a.Kind on a.Object, unless the user has it already,
// and returns it. It replaces a reaction of another kind of the same group in
// Options.OneOf. changed is true if this call began the reaction or, with an ID, if an
// earlier attempt with that ID did. Once the input is valid, the returned reaction has its
// ID even if there is an error: repeat React with it.
//
// If a reaction of this kind with the ID or a later one has ended, the error is
// plaza.ErrRemoved. If another reaction of the kind has the ID, of the user or on the
// object, it is plaza.ErrConflict; after a change of the object's number of shards that
// may go unnoticed, and lists may skip one of the two.
//
// If the user has the reaction, React writes nothing. An Unreact whose caller gave up
// may still arrive and end it: then repeat React.
//
// Cost: 1 transaction, 8 WCU; a kind of a group 1 request, 0.5 RCU more, and 12 WCU in
// the place of another.
//
//plaza:cost react: 1 transaction, 8 WCU
//plaza:cost the first into a new shard: 3 transactions, 20 WCU
//plaza:cost a kind of a group more: 1 request, 0.5 RCU
//plaza:cost in the place of another kind: 1 request, 1 transaction, 0.5 RCU, 12 WCU
//plaza:cost in the place of another kind, in another shard: 1 request, 1 transaction, 0.5 RCU, 14 WCU
func (r *Repository) React(ctx context.Context, a Reaction) (stored Reaction, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.React")
	if err := r.check(a); err != nil {
		return a, false, err
	}
	minted := a.ID == 0
	if minted {
		if a.ID, err = r.gen.Next(ctx); err != nil {
			return a, false, err
		}
	} else if err := keys.CheckNewID("ID", a.ID, r.opts.Now()); err != nil {
		return a, false, err
	}
	got, changed, err := r.graph.Begin(ctx, a.edge(), r.others[a.Kind], minted)
	if err != nil {
		a.ID = got.ID
		return a, false, fmt.Errorf("reaction: %q of %q to %q, id %v: %w", a.Kind, a.User, a.Object, a.ID, err)
	}
	return reactionOf(got), changed, nil
}

// Unreact ends the reaction; with an ID, only the one with that ID. changed is
// true only if this call ended one.
//
// If the user has no such reaction, Unreact remembers the ID, so that a late React with
// it is plaza.ErrRemoved. Without an ID it writes nothing, and a React whose caller
// gave up may still arrive: then repeat Unreact. If the count does not include the
// reaction, the error is plaza.ErrCorrupt until user and object are repaired.
//
// Cost: 1 request, 1 transaction, 1 RCU, 8 WCU; with a reaction from React or Get
// 1 transaction, 8 WCU.
//
//plaza:cost unreact: 1 request, 1 transaction, 1 RCU, 8 WCU
//plaza:cost with a reaction from React or Get: 1 transaction, 8 WCU
//plaza:cost without a reaction: 1 request, 1 RCU
//plaza:cost without a reaction, by an ID, which it remembers: 2 requests, 1 RCU, 1 WCU
func (r *Repository) Unreact(ctx context.Context, a Reaction) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Unreact")
	if err := r.check(a); err != nil {
		return false, err
	}
	changed, err = r.graph.End(ctx, a.edge())
	if err != nil {
		return false, fmt.Errorf("reaction: end %q of %q to %q: %w", a.Kind, a.User, a.Object, err)
	}
	return changed, nil
}

// Get reads the reaction of a.User to a.Object of a.Kind, strongly consistent.
// plaza.ErrNotFound says that there is none, plaza.ErrCorrupt that it is damaged.
//
// Cost: 1 request, 1 RCU.
func (r *Repository) Get(ctx context.Context, a Reaction) (Reaction, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Get")
	if err := r.check(a); err != nil {
		return Reaction{}, err
	}
	stored, err := r.graph.Get(ctx, a.edge())
	if err != nil {
		return Reaction{}, fmt.Errorf("reaction: get %q of %q to %q: %w", a.Kind, a.User, a.Object, err)
	}
	return reactionOf(stored), nil
}

// Excludes returns the kinds that a reaction of this kind ends: the others of its group in
// Options.OneOf.
func (r *Repository) Excludes(kind string) []string { return slices.Clone(r.others[kind]) }

func (r *Repository) check(a Reaction) error {
	if err := keys.CheckName("User", a.User); err != nil {
		return err
	}
	if err := keys.CheckName("Object", a.Object); err != nil {
		return err
	}
	if err := r.checkKind(a.Kind); err != nil {
		return err
	}
	if _, err := a.ID.MarshalText(); err != nil {
		return &plaza.InvalidError{Field: "ID", Reason: "has more than 63 bits"}
	}
	return nil
}

func (r *Repository) checkKind(kind string) error {
	switch {
	case kind == "":
		return &plaza.InvalidError{Field: "Kind", Reason: "is empty"}
	case !slices.Contains(r.graph.Kinds, kind):
		return &plaza.InvalidError{Field: "Kind", Reason: "is not one of Options.Kinds"}
	}
	return nil
}
