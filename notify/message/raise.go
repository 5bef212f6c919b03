package message

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxOwn        = 64 // own messages above what the user has read
	entryParallel = 16 // entries of one conversation that are written at once
)

// raiseAll moves the conversation to the top of each member's inbox.
func (r *Repository) raiseAll(ctx context.Context, m Message, members []string) error {
	return r.eachEntry(ctx, m.Conversation, members, func(ctx context.Context, in In) error { return r.raise(ctx, in, m) })
}

// eachEntry writes entries of a conversation. A damaged one does not stop the others.
func (r *Repository) eachEntry(ctx context.Context, conversation string, users []string, write func(context.Context, In) error) error {
	return parallel.ForEach(ctx, len(users), entryParallel, func(ctx context.Context, i int) error {
		err := write(ctx, In{conversation, users[i]})
		if r.table.Skips(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("entry of %q: %w", users[i], err)
		}
		return nil
	})
}

// raise moves an entry to a message, unless the entry has a later one or the user has left. The
// sends of a process take turns at an entry, and one writes for all that wait.
func (r *Repository) raise(ctx context.Context, in In, m Message) error {
	leave := r.waiting.join(in, m)
	defer leave()
	done, err := r.turns.Take(ctx, entryKey(in))
	if err != nil {
		return err
	}
	defer done()
	newest, own, lacks := r.waiting.lacks(in, m)
	if !lacks {
		return nil
	}
	if err := r.lift(ctx, in, newest, own); err != nil {
		return err
	}
	r.waiting.wrote(in, newest, own)
	return nil
}

// lift moves an entry to the newest message, if that is not zero, and adds own messages. It
// first sends an update that needs no read, if the own messages allow one.
func (r *Repository) lift(ctx context.Context, in In, newest Message, own numbers) error {
	var quick store.Write
	if own.follow() {
		quick = r.quick(in, newest, own)
	}
	_, isPair := in.pair()
	_, err := store.Merge(ctx, r.table, entryKey(in), quick, func(seen *entry) (store.Write, error) {
		next, changed := seen.raised(newest, own)
		if !changed || !isPair && seen.PK == "" { // the user was erased
			return nil, store.ErrSame
		}
		return r.rewrite(in, *seen, next), nil
	})
	return err
}

// quick writes what an entry lacks, if the entry is as usual: older than the newest message,
// and read up to just before the first of the own ones.
func (r *Repository) quick(in In, newest Message, own numbers) *store.Update {
	quick := r.table.Update(entryKey(in)).If("attribute_not_exists(till)")
	if _, isPair := in.pair(); !isPair { // its entry was written with the membership
		quick.If("attribute_exists(pk)")
	}
	if newest.Seq > 0 {
		quick.Set("last", newest.ID).Set("lastSeq", newest.Seq).
			If("attribute_not_exists(lastSeq) OR lastSeq < ?", newest.Seq)
	}
	if len(own) > 0 {
		quick.Set("read", own[len(own)-1])
		if before := own[0] - 1; before == 0 {
			quick.If("attribute_not_exists('read') OR 'read' = ?", 0)
		} else {
			quick.If("'read' = ?", before)
		}
	}
	return quick
}

// follow reports whether the sorted numbers have no gaps.
func (n numbers) follow() bool { return len(n) == 0 || n[len(n)-1]-n[0] == int64(len(n)-1) }

// raised returns the entry as it is after messages, which may be older than others that it
// knows.
func (e entry) raised(newest Message, own numbers) (next entry, changed bool) {
	next = e
	if e.Till != nil {
		return e, false
	}
	if e.LastSeq < newest.Seq {
		next.Last, next.LastSeq, changed = newest.ID, newest.Seq, true
	}
	above := e.readUpTo()
	var all numbers
	for _, seq := range own {
		if seq > above && !slices.Contains(e.Own, seq) {
			all = append(all, seq)
		}
	}
	if len(all) == 0 {
		return next, changed
	}
	all = append(all, e.Own.above(above)...)
	slices.Sort(all)
	for len(all) > 0 && (all[0] == above+1 || len(all) > maxOwn) {
		above, all = all[0], all[1:]
		next.Read = above
	}
	next.Own = all
	return next, true
}

// rewrite writes what messages changed in an entry, if it is still as it was seen. What
// others raise meanwhile stays, and a member who was erased gets no entry again.
func (r *Repository) rewrite(in In, seen, next entry) *store.Update {
	u := r.table.Update(entryKey(in)).If("attribute_not_exists(till)")
	if _, isPair := in.pair(); !isPair {
		u.If("attribute_exists(pk)")
	}
	if next.LastSeq > seen.LastSeq {
		u.Set("last", next.Last).Set("lastSeq", next.LastSeq).
			If("attribute_not_exists(lastSeq) OR lastSeq < ?", next.LastSeq)
	}
	u.Set("read", next.Read)
	if seen.Read == 0 {
		u.If("attribute_not_exists('read') OR 'read' = ?", 0)
	} else {
		u.If("'read' = ?", seen.Read)
	}
	if len(next.Own) == 0 {
		u.Remove("own")
	} else {
		u.Set("own", next.Own)
	}
	if len(seen.Own) == 0 {
		return u.If("attribute_not_exists(own)")
	}
	return u.If("own = ?", seen.Own)
}
