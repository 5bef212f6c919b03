package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Mode is how a source's activities reach the homes of its followers.
type Mode string

// The modes of a source.
const (
	Pushed  Mode = "pushed"  // each activity is delivered to every home
	Opening Mode = "opening" // as Pushed, while homes are set to read the outbox
	Pulled  Mode = "pulled"  // every home reads the outbox
	Closing Mode = "closing" // as Pushed, while homes are set to stop reading new activities from the outbox
)

// switched returns the mode after SetPulled, and whether there is anything to
// do.
func (m Mode) switched(pulled bool) (next Mode, begins bool) {
	switch {
	case pulled && m == Pulled:
		return Pulled, true // for the edges that were created in the graph directly
	case pulled:
		return Opening, m != Opening
	default:
		return Closing, m == Opening || m == Pulled
	}
}

// SetPulled begins a switch to Pulled, or back to Pushed. If the owner is
// Pulled, followers' homes read the outbox and nothing is delivered to them.
// Run or Deliver finishes the switch; until then activities are delivered, and
// by a process that read the mode before for up to 30 s more. changed is true
// only if this call changed the mode.
//
// If the owner is already Pulled, SetPulled(true) visits all followers again,
// and changed is false. Call it after the graph alone made edges, for example by
// Import. While the owner is Opening it does nothing: call it once Mode is
// Pulled. While a home is full (ErrTooManyPulled, ErrFull), the owner stays
// Opening, and Options.OnAttempt reports why. A damaged mode is
// plaza.ErrCorrupt.
//
// Cost: 1 request, 1 RCU, and 1 transaction, 4 WCU; with nothing to do 2
// requests, 1 RCU, 1 WCU; a process's first 1 request, 1 WCU more; then Deliver's.
func (o Outbox) SetPulled(ctx context.Context, pulled bool) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.SetPulled")
	if err := o.check(); err != nil {
		return false, err
	}
	if changed, err = o.setPulled(ctx, pulled); err != nil {
		return false, fmt.Errorf("feed: set pulled of %q: %w", o.owner, err)
	}
	return changed, nil
}

func (o Outbox) setPulled(ctx context.Context, pulled bool) (changed bool, err error) {
	call, err := o.r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	key := sourceKey(o.owner)
	var again bool // it visits all followers again
	_, begun, err := store.Change[sourceItem]{
		Key: key, Call: call, Part: "switch", Last: (*sourceItem).lastSwitch,
		Next: func(seen *sourceItem, g store.Guard) (store.Write, error) {
			mode, begins := seen.Mode.switched(pulled)
			if !begins {
				return nil, store.ErrSame
			}
			again = mode == seen.Mode
			header := sourceItem{PK: key.PK, SK: key.SK, Mode: mode, At: g.Op()}
			return o.r.table.Tx().Put(g.Put(header)).Put(o.r.table.Put(o.switchJob(header.At))), o.r.jobs.StoreShards(ctx)
		},
		Absent: func(note *store.Update) {
			note.Set("mode", Pushed).Set("ttl", o.r.opts.Now().Add(tombstoneLife).Unix())
		},
	}.Run(ctx, o.r.table)
	return begun && !again, err
}

func (o Outbox) switchJob(at ids.ID) deliveryJob {
	key := jobKey{CacheKey: CacheKey{o.owner, at}, Switch: true}
	return deliveryJob{
		Key:  store.Key{PK: o.r.jobs.Place(at.String()), SK: key.String()},
		Work: jobItem{Key: key, Switch: true},
	}
}

// Mode reads how the owner's activities reach homes. A damaged mode is
// plaza.ErrCorrupt.
//
// Cost: 1 request, 1 RCU.
func (o Outbox) Mode(ctx context.Context) (Mode, error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Mode")
	if err := o.check(); err != nil {
		return "", err
	}
	header, err := o.mode(ctx)
	if err != nil {
		return "", fmt.Errorf("feed: mode of %q: %w", o.owner, err)
	}
	return header.Mode, nil
}

// mode reads the outbox's header. At is zero where there is none.
func (o Outbox) mode(ctx context.Context) (header sourceItem, err error) {
	err = o.r.table.Get(ctx, sourceKey(o.owner), true, &header)
	if errors.Is(err, plaza.ErrNotFound) {
		return sourceItem{Mode: Pushed}, nil
	}
	return header, err
}

// next is the lowest id above all that the outbox has: activities, references
// and tombstones. It is the constant nothing if the outbox is empty.
func (o Outbox) next(ctx context.Context) (ids.ID, error) {
	span := store.Span{PK: outboxPK(o.owner), To: aboveIDs, Limit: 1, Consistent: true}
	type row struct {
		ID ids.ID `dynamo:"sk"`
	}
	for rows, err := range store.Pages[row](ctx, o.r.table, span) {
		if err != nil {
			return 0, err
		}
		if len(rows) > 0 { // otherwise its key is damaged
			return rows[0].ID + 1, nil
		}
	}
	return nothing, nil
}

// sources reads the headers of sources, consistently. A source that has none,
// or a damaged one, is Pushed: delivering too much is harmless.
func (r *Repository) sources(ctx context.Context, owners []string) (map[string]sourceItem, error) {
	headers := make([]store.Key, len(owners))
	for i, owner := range owners {
		headers[i] = sourceKey(owner)
	}
	stored, err := r.table.GetAll(ctx, headers, true, 1)
	if err != nil {
		return nil, err
	}
	found := make(map[string]sourceItem, len(owners))
	for _, owner := range owners {
		found[owner] = r.sourceIn(stored, owner)
	}
	return found, nil
}

// sourceIn is a source among stored items.
func (r *Repository) sourceIn(stored map[store.Key]dynamo.Item, owner string) sourceItem {
	var header sourceItem
	item := stored[sourceKey(owner)]
	if item == nil || r.table.Skips(r.table.Decode(item, &header)) {
		return sourceItem{Mode: Pushed}
	}
	return header
}

// transition is one worker's attempt to write a switch into all homes. Other
// workers may do the same, also for a later switch: a home ignores an older one.
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
	place, stands := job.Work.Cursor, true
	for {
		header, err := t.outbox.mode(ctx)
		switch {
		case err != nil:
			return false, err
		case header.At != t.at:
			return false, t.overtaken(ctx, header)
		case !stands: // another worker ended the job
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
		if stands, err = r.jobs.Checkpoint(ctx, job, map[string]any{"cursor": job.Work.Cursor}, false); err != nil {
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
