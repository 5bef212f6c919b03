package feed

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// erasePage is how many rows are read before they are deleted.
const erasePage = 1000

// Erase deletes what the feeds hold of a user who leaves: the outbox with its
// tombstones and what others addressed to it, the references that its
// activities have in others' outboxes, foreign ids, waiting deliveries, and
// the home. After an error, repeat it.
//
// The follow edges are the graph's to end, and before, by follow's Erase. The
// user has stopped writing: what arrives behind Erase stays until it is
// repeated, and a late repeat of a publish is a new one. Entries in others'
// homes that point at what is gone are hidden, once a cache has forgotten it,
// and expire after Options.Retention, also those that a delivery under way
// still adds; so do those it adds to the user's home. What others addressed
// to the user stays theirs. References of activities that were removed over
// 30 days before are not found, and stay hidden.
//
// 1 WCU per KB of each item deleted and 1 WCU each To; 1 RCU per 4 KB of the
// user's items and of all deliveries that wait, anyone's. One request for
// each 25 deletes, and one for each 1,000 items or 1 MB read.
func (r *Repository) Erase(ctx context.Context, user string) error {
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	if err := r.erase(ctx, user); err != nil {
		return fmt.Errorf("feed: erase %q: %w", user, err)
	}
	return nil
}

func (r *Repository) erase(ctx context.Context, user string) error {
	// The jobs first, so that nobody delivers what is going.
	if err := r.eraseJobs(ctx, user); err != nil {
		return err
	}
	// The header after the entries, of which it hides some.
	for _, span := range []store.Span{
		{PK: outboxPK(user)},
		{PK: foreignKey(user, "").PK},
		{PK: homePK(user), To: aboveIDs},
		{PK: homePK(user)},
	} {
		if err := r.eraseSpan(ctx, span); err != nil {
			return err
		}
	}
	return nil
}

// eraseRow is what Erase needs of any item.
type eraseRow struct {
	PK    string   `dynamo:"pk"`
	SK    string   `dynamo:"sk"`
	Owner string   `dynamo:"owner"`
	To    []string `dynamo:"to"`
}

func (row eraseRow) key() store.Key { return store.Key{PK: row.PK, SK: row.SK} }

// eraseSpan deletes all rows of a span, and the references that they have.
func (r *Repository) eraseSpan(ctx context.Context, span store.Span) error {
	span.Limit, span.Consistent = erasePage, true
	for {
		rows, err := store.Query[eraseRow](ctx, r.table, span)
		if err != nil {
			return err
		}
		var items, references []store.Key
		for _, row := range rows {
			items = append(items, row.key())
			for _, to := range row.To {
				references = append(references, store.Key{PK: outboxPK(to), SK: row.SK})
			}
		}
		// Before the rows that name them, for whoever repeats this.
		if err := r.table.DeleteAll(ctx, references, r.opts.Parallel); err != nil {
			return err
		}
		if err := r.table.DeleteAll(ctx, items, r.opts.Parallel); err != nil {
			return err
		}
		if len(rows) < erasePage {
			return nil
		}
	}
}

// eraseJobs deletes the jobs that deliver the user's activities.
func (r *Repository) eraseJobs(ctx context.Context, user string) error {
	shards, err := r.jobShards(ctx, true)
	if err != nil {
		return err
	}
	for shard := range shards {
		span := store.Span{PK: jobPK(shard), Limit: erasePage, Consistent: true}
		for {
			jobs, err := store.Query[eraseRow](ctx, r.table, span)
			if err != nil {
				return err
			}
			var theirs []store.Key
			for _, job := range jobs {
				if job.Owner == user {
					theirs = append(theirs, job.key())
				}
			}
			if err := r.table.DeleteAll(ctx, theirs, r.opts.Parallel); err != nil {
				return err
			}
			if len(jobs) < erasePage {
				break
			}
			span.To = jobs[len(jobs)-1].SK
		}
	}
	return nil
}
