package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// maxPublishes is the most activities of a PublishMany.
const maxPublishes = 1000

// PublishMany publishes up to 1,000 activities, for an import: each as Publish
// does and with the same answers, but delivered by Run or Deliver alone: to all
// who follow by then, whatever their CopyLimit. IDs are minted in the order of the slice. It returns the activities in that
// order, with their IDs also beside an error; some that failed are a
// PartialError, after any other error none is stored. An ID or ForeignID
// given twice is plaza.ErrInvalid.
//
// Repeating it with what it returned is harmless, if none was edited since. An import that may be
// killed gives ForeignIDs, or IDs of its own (ids.Backdate), to be found again by.
//
// Cost: 1 transaction each, up to Options.Parallel at once: 4 WCU, 2 less of history, 2 more with a ForeignID and for each To; then Deliver's units, and 2 to claim and end the job.
func (o Outbox) PublishMany(ctx context.Context, as []Activity) ([]Activity, error) {
	as = slices.Clone(as)
	if err := o.checkMany(as); err != nil {
		return as, err
	}
	for i := range as {
		var err error
		if as[i], err = o.identified(ctx, as[i]); err != nil {
			return as, err
		}
	}
	if slices.ContainsFunc(as, func(a Activity) bool { return !o.r.expired(a.ID) }) {
		if err := o.r.jobs.StoreShards(ctx); err != nil {
			return as, fmt.Errorf("feed: publish %d to %q: %w", len(as), o.owner, err)
		}
	}
	// A transaction and a job for each, rather than for a batch, which would
	// spare half the units: one that is refused then refuses no other, and
	// each may be repeated alone.
	var failed failures
	group := parallel.New()
	group.SetLimit(o.r.opts.Parallel)
	for i, a := range as {
		group.Go(func() error {
			err := failed.halted(ctx)
			if err == nil {
				err = parallel.Catch(func() (err error) { a, err = o.publish(ctx, a, 0); return err })
			}
			if err != nil {
				failed.add(i, fmt.Errorf("feed: publish %v to %q: %w", as[i].ID, o.owner, err))
			} else {
				as[i] = a
			}
			return nil
		})
	}
	_ = group.Wait()
	return as, failed.err()
}

func (o Outbox) checkMany(as []Activity) error {
	if err := o.check(); err != nil {
		return err
	}
	if n := len(as); n > maxPublishes {
		return &plaza.InvalidError{Field: "Activities", Reason: fmt.Sprintf("has %d, at most %d are allowed", n, maxPublishes)}
	}
	given, foreign := map[ids.ID]bool{}, map[string]bool{}
	for i, a := range as {
		err := o.checkActivity(a)
		switch {
		case err != nil:
		case a.ID != 0 && given[a.ID]:
			err = &plaza.InvalidError{Field: "ID", Reason: "is there twice"}
		case a.ForeignID != "" && foreign[a.ForeignID]:
			err = &plaza.InvalidError{Field: "ForeignID", Reason: "is there twice"}
		}
		var invalid *plaza.InvalidError
		if errors.As(err, &invalid) {
			return &plaza.InvalidError{Field: fmt.Sprintf("Activities[%d].%s", i, invalid.Field), Reason: invalid.Reason}
		}
		given[a.ID], foreign[a.ForeignID] = true, true
	}
	return nil
}
