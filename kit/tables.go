package kit

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/tables"
)

// Tables describes the tables of Options.Features and, where machine numbers are leased,
// that of machines.
func (k *Kit) Tables() []tables.Table {
	var own []tables.Table
	for _, t := range tables.Of(k.Names) {
		if k.checker(t) != nil {
			own = append(own, t)
		}
	}
	return own
}

// Init verifies the tables and marks each as its feature's. Call it once, after the tables
// are created. The errors are joined, and each names its table.
//
// Cost: for each feature 4 requests, 0.5 RCU, 1 WCU.
//
//plaza:cost each feature: 4 requests, 0.5 RCU, 1 WCU
//plaza:cost machine numbers that are leased: 3 requests, 0.5 RCU, 1 WCU
func (k *Kit) Init(ctx context.Context) error {
	return k.eachTable(ctx, checker.Init)
}

// Verify checks the tables, and writes nothing. Call it when the service starts. The errors
// are joined, and each names its table: a *plaza.ClockError, or plaza.ErrTable.
//
// Cost: for each feature 3 requests, 0.5 RCU.
//
//plaza:cost each feature: 3 requests, 0.5 RCU
//plaza:cost machine numbers that are leased: 2 requests, 0.5 RCU
func (k *Kit) Verify(ctx context.Context) error {
	return k.eachTable(ctx, checker.Verify)
}

// checker is a repository that knows its table.
type checker interface {
	Init(ctx context.Context) error
	Verify(ctx context.Context) error
}

// checker returns nil for a table that is not the kit's.
func (k *Kit) checker(t tables.Table) checker {
	switch f := Feature(t.Feature); {
	case t.Feature == "machines" && k.leased != nil:
		return k.leased
	case !k.has(f):
		return nil
	default:
		return map[Feature]checker{
			Follow: k.Follows, Feed: k.Feeds, Comment: k.Comments, Reaction: k.Reactions, Leaderboard: k.Boards,
			Danmu: k.Danmu, Notify: k.Bell, Message: k.Messages,
		}[f]
	}
}

func (k *Kit) eachTable(ctx context.Context, f func(checker, context.Context) error) error {
	own := k.Tables()
	return each(ctx, len(own), func(ctx context.Context, i int) error { return f(k.checker(own[i]), ctx) })
}

// each calls f for each i below n, at once, and joins the errors.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	errs := make([]error, n)
	_ = parallel.ForEach(ctx, n, n, func(ctx context.Context, i int) error {
		errs[i] = parallel.Catch(func() error { return f(ctx, i) })
		return nil
	})
	return errors.Join(errs...)
}
