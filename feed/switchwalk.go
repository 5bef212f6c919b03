package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// transition is one worker's attempt to write a switch into the headers of all
// followers' homes. Other workers may do the same at the same time, also for a later
// switch: a header ignores a switch that is older than its own.
type transition struct {
	r      *Repository
	job    *deliveryJob
	outbox Outbox
	at     ids.ID
	until  ids.ID        // above all that the outbox had when it became Closing; 0 before it is read
	walked []follow.Edge // the last page
	missed error         // of the first home that could not take the switch
	homes  *int          // changed by this attempt
}

// switchMode continues a switch where its job stopped.
func (r *Repository) switchMode(ctx context.Context, job *deliveryJob, homes *int) (done bool, err error) {
	t := transition{r: r, job: job, outbox: r.Outbox(job.Work.Key.Owner), at: job.Work.Key.ID, homes: homes}
	place, waits := job.Work.Cursor, true
	for {
		header, err := t.outbox.mode(ctx)
		switch {
		case err != nil:
			return false, err
		case header.At != t.at:
			return false, t.overtaken(ctx, header)
		case !waits: // another worker ended the job
			return false, nil
		case header.Mode == Pushed: // a worker died before it ended the job
			return true, r.jobs.End(ctx, *job)
		}
		if place, err = t.page(ctx, header.Mode, place); err != nil {
			return false, err
		}
		if place == "" {
			return t.end(ctx, header.Mode)
		}
		if t.missed == nil {
			job.Work.Cursor = place
		} else if job.Work.Told {
			return t.end(ctx, header.Mode)
		}
		// If homes were missed, the next attempt begins with their page.
		if waits, err = r.jobs.Checkpoint(ctx, job, map[string]any{"cursor": job.Work.Cursor}, false); err != nil {
			return false, err
		}
	}
}

// overtaken ends the job of a switch that a later one has overtaken. If the
// later one leads back to Pushed, overtaken bounds the pulls of this worker's
// last page: the later walk may have passed those homes already. The later walk
// sees the pulls of all earlier pages, because the mode was read after them.
func (t *transition) overtaken(ctx context.Context, header sourceItem) error {
	if header.At != 0 && (header.Mode == Closing || header.Mode == Pushed) {
		t.at, t.until = header.At, 0
		if err := t.changeAll(ctx, Closing, t.walked); err != nil {
			return err
		}
	}
	return t.r.jobs.End(ctx, *t.job)
}

// page changes the homes of one page of followers and returns the place of the
// next page.
func (t *transition) page(ctx context.Context, mode Mode, place string) (next string, err error) {
	page, err := t.r.walk(ctx, t.outbox.owner, place, deliveryPage)
	if err != nil {
		return "", err
	}
	t.walked = page.Items
	return string(page.Next), t.changeAll(ctx, mode, page.Items)
}

// changeAll changes the homes of these edges. One that is full or damaged does not
// hold up the others.
func (t *transition) changeAll(ctx context.Context, mode Mode, edges []follow.Edge) (err error) {
	if mode == Closing && t.until == 0 && len(edges) > 0 {
		if t.until, err = t.outbox.next(ctx); err != nil {
			return err
		}
	}
	changed, misses := make([]bool, len(edges)), make([]error, len(edges))
	err = parallel.ForEach(ctx, len(edges), t.r.opts.Parallel, func(ctx context.Context, i int) (err error) {
		if changed[i], err = t.change(ctx, mode, edges[i]); err == nil {
			return nil
		}
		full := errors.Is(err, ErrTooManyPulled) || errors.Is(err, ErrFull)
		damaged := t.r.table.Skips(err)
		if err = fmt.Errorf("home of %q: %w", edges[i].Follower, err); full || damaged {
			misses[i], err = err, nil
		}
		return err
	})
	for i := range edges {
		if changed[i] {
			*t.homes++
		}
		if t.missed == nil {
			t.missed = misses[i]
		}
	}
	return err
}

func (t *transition) change(ctx context.Context, mode Mode, edge follow.Edge) (changed bool, err error) {
	home := t.r.Home(edge.Follower)
	if mode == Closing {
		return home.closePull(ctx, t.outbox.owner, edge.ID, t.until, t.at)
	}
	// An activity that the edge should bring may have a lower id than the edge,
	// because its publisher's clock may be behind.
	since := ids.At(edge.ID.Time().Add(-24 * time.Hour))
	return home.openPull(ctx, edge.ID, pull{Source: t.outbox.owner, Since: since, At: t.at})
}

// end changes the mode if all homes took the switch, and ends the job.
func (t *transition) end(ctx context.Context, mode Mode) (done bool, err error) {
	var header sourceItem
	switch {
	case t.missed != nil || mode == Pulled:
		header, err = t.outbox.mode(ctx)
	case mode == Opening:
		header, err = t.setMode(ctx, Opening, Pulled)
	default:
		header, err = t.setMode(ctx, Closing, Pushed)
	}
	switch {
	case err != nil:
		return false, err
	case header.At != t.at:
		return false, t.overtaken(ctx, header)
	case t.missed != nil:
		// Later attempts need not go on past a home that still cannot take it.
		_, err := t.r.jobs.Checkpoint(ctx, t.job, map[string]any{"cursor": t.job.Work.Cursor, "told": true}, false)
		return false, errors.Join(t.missed, err)
	}
	return true, t.r.jobs.End(ctx, *t.job)
}

// setMode changes the mode and returns the header as it is afterwards.
func (t *transition) setMode(ctx context.Context, from, to Mode) (header sourceItem, err error) {
	err = t.r.table.Run(ctx, store.Returning{
		Update: t.r.table.Update(sourceKey(t.outbox.owner)).Set("mode", to).If("$ = ? AND $ = ?", "mode", from, "at", t.at),
		Out:    &header,
	})
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		if header = (sourceItem{Mode: Pushed}); item != nil {
			return header, t.r.table.Decode(item, &header)
		}
		return header, nil
	}
	return header, err
}

// deliveryPage is how many followers lie between two checkpoints of a job.
const deliveryPage = 1000

// walk reads followers from a place that a job has stored.
func (r *Repository) walk(ctx context.Context, source, place string, size int) (cursor.Page[follow.Edge], error) {
	page, err := r.graph.Walk(ctx, source, cursor.PageRequest{Cursor: cursor.Cursor(place), Limit: size})
	if errors.Is(err, cursor.ErrInvalid) && place != "" {
		// The codec may no longer accept the cursor, for example after a key
		// change: start again.
		page, err = r.graph.Walk(ctx, source, cursor.PageRequest{Limit: size})
	}
	return page, err
}
