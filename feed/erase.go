package feed

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

type pulledError struct{}

func (pulledError) Error() string { return "feed: homes read the user's outbox" }

func (pulledError) Unwrap() error { return plaza.ErrConflict }

// ErrPulled is returned by Erase if the user's Mode is not Pushed, because homes
// may read the outbox. Nothing was deleted. It unwraps to plaza.ErrConflict.
var ErrPulled error = pulledError{}

// Erase deletes the user's outbox with its tombstones and references, the references to
// their activities in others' outboxes, their foreign IDs, waiting deliveries, and their
// home. After an error, repeat it.
//
// If the user's Mode is not Pushed, first call SetPulled(false), and Deliver
// until it is; otherwise Erase returns ErrPulled. Then end the follow edges, by
// follow's Erase. The user must have stopped writing: a write that arrives after Erase
// stays until Erase is repeated, and a late repeat of a publish is a new activity.
//
// Entries in others' homes that point at erased activities are hidden once caches have
// forgotten these, and expire after Options.Retention. So do entries that a running
// delivery still adds. Activities that others addressed to the user stay in the
// outboxes of the others. References to activities that were removed more than 30 days
// ago stay, hidden.
//
// The user's id remains in others' items: in entries of their homes until these expire,
// in headers of their homes until these forget the source, in the To of their activities,
// and in the jobs of these until they are delivered.
//
// Cost: 9 requests, 9 RCU; 1 request for each 25 items; 1 WCU, 0.25 RCU for each KB;
// for each To 1 request, 1 WCU.
//
//plaza:cost nothing: 9 requests, 9 RCU
//plaza:cost each 25 items of a partition: 1 request
//plaza:cost each KB, and each 4 KB of all deliveries that wait: 1 WCU, 0.25 RCU
//plaza:cost each To of an activity: 1 request, 1 WCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "feed.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	if err := r.erase(ctx, user); err != nil {
		return fmt.Errorf("feed: erase %q: %w", user, err)
	}
	return nil
}

func (r *Repository) erase(ctx context.Context, user string) error {
	// A damaged mode, which is reported, must not keep the user's data.
	header, err := r.Outbox(user).mode(ctx)
	switch {
	case r.table.Skips(err):
	case err != nil:
		return err
	case header.Mode != Pushed:
		return ErrPulled
	}
	// Jobs go first, so that no worker delivers activities that are about to be
	// deleted.
	if err := r.eraseJobs(ctx, user); err != nil {
		return err
	}
	for _, pk := range []string{outboxPK(user), foreignKey(user, "").PK, homePK(user)} {
		if err := r.erasePartition(ctx, user, pk); err != nil {
			return err
		}
	}
	return nil
}

// erasePartition deletes all items of a partition, including damaged ones, and the
// references to them in other outboxes. A header is the last item. It goes after the entries,
// because it hides some of them.
func (r *Repository) erasePartition(ctx context.Context, user, pk string) error {
	span := store.Span{PK: pk, Ascending: true, Consistent: true}
	for items, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		var found, header, references []store.Key
		for _, item := range items {
			key := store.KeyOf(item)
			if key.SK == headerSK {
				header = append(header, key)
			} else {
				found = append(found, key)
			}
			var row struct {
				To []string `dynamo:"to"`
			}
			if err := r.table.Decode(item, &row); r.table.Skips(err) {
				continue
			}
			for _, to := range row.To {
				references = append(references, store.Key{PK: outboxPK(to), SK: key.SK})
			}
		}
		// References go before the items that name them, because a repeat finds
		// them by these items.
		if err := r.eraseReferences(ctx, user, references); err != nil {
			return err
		}
		if err := r.table.DeleteAll(ctx, found); err != nil {
			return err
		}
		if err := r.table.DeleteAll(ctx, header); err != nil {
			return err
		}
	}
	return nil
}

// eraseReferences deletes references to the user's activities. Another owner
// may have taken the same key since.
func (r *Repository) eraseReferences(ctx context.Context, user string, references []store.Key) error {
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(r.opts.Parallel)
	for _, key := range references {
		group.Go(func() error {
			return r.runIf(ctx, r.table.Delete(key).If("'owner' = ?", user))
		})
	}
	return group.Wait()
}

// eraseJobs deletes the jobs of the user's activities and switches.
func (r *Repository) eraseJobs(ctx context.Context, user string) error {
	shards, err := r.jobs.StoredShards(ctx, true)
	if err != nil {
		return err
	}
	for shard := range shards {
		span := store.Span{PK: jobPK(shard), Consistent: true}
		for jobs, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
			if err != nil {
				return err
			}
			var theirs []store.Key
			for _, job := range jobs {
				var at jobKey
				key := store.KeyOf(job)
				if at.UnmarshalText([]byte(key.SK)) == nil && at.Owner == user {
					theirs = append(theirs, key)
				}
			}
			if err := r.table.DeleteAll(ctx, theirs); err != nil {
				return err
			}
		}
	}
	return nil
}
