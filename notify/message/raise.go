package message

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxOwn     = 64 // own messages above what the user has read
	raisesOnce = 16 // rows of one message that are written at once
)

// raiseAll moves the conversation to the top of each member's inbox. A damaged row does
// not stop the others.
func (r *Repository) raiseAll(ctx context.Context, m Message, members []string) error {
	return parallel.ForEach(ctx, len(members), raisesOnce, func(ctx context.Context, i int) error {
		in := In{m.Conversation, members[i]}
		err := r.raise(ctx, in, m)
		if r.table.Skips(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row of %q: %w", in.User, err)
		}
		return nil
	})
}

// raise moves a row to a message, unless the row has a later one or the user has left.
// It first sends an update that needs no read, and reads the row only if that is
// refused.
func (r *Repository) raise(ctx context.Context, in In, m Message) error {
	_, isPair := in.pair()
	key := rowKey(in)
	quick := r.table.Update(key).Set("last", m.ID).Set("lastSeq", m.Seq).If("attribute_not_exists(till)")
	if isPair {
		quick.If("attribute_not_exists(lastSeq) OR lastSeq < ?", m.Seq)
	} else { // its row was written with the membership
		quick.If("lastSeq < ?", m.Seq)
	}
	if in.User == m.Sender {
		// Writes by several devices of the user would make each other fail. One after
		// another, each finds the row read up to the message before.
		done, err := r.turns.Take(ctx, key)
		if err != nil {
			return err
		}
		defer done()
		quick.Set("read", m.Seq)
		if m.Seq == 1 {
			quick.If("attribute_not_exists('read') OR 'read' = ?", 0)
		} else {
			quick.If("'read' = ?", m.Seq-1)
		}
	}
	err := r.table.Run(ctx, quick)
	for range maxTries {
		refused, ok := store.AsRefused(err)
		if !ok {
			return err
		}
		var seen row
		if item, _ := refused.At(0); item != nil {
			if err := r.table.Decode(item, &seen); err != nil {
				return err
			}
		} else if !isPair {
			return nil // the user was erased
		}
		next, changed := seen.raised(m, in.User)
		if !changed {
			return nil
		}
		err = r.table.Run(ctx, r.change(key, seen, next))
	}
	return plaza.ErrBusy
}

// raised is the row after a message, which may be older than the row's last one.
func (w row) raised(m Message, user string) (next row, changed bool) {
	next = w
	if w.Till != nil {
		return w, false
	}
	if w.LastSeq < m.Seq {
		next.Last, next.LastSeq, changed = m.ID, m.Seq, true
	}
	above := w.readUpTo()
	if user != m.Sender || m.Seq <= above || slices.Contains(w.Own, m.Seq) {
		return next, changed
	}
	own := numbers{m.Seq}
	for _, seq := range w.Own {
		if seq > above {
			own = append(own, seq)
		}
	}
	slices.Sort(own)
	for len(own) > 0 && (own[0] == above+1 || len(own) > maxOwn) {
		above, own = own[0], own[1:]
		next.Read = above
	}
	next.Own = own
	return next, true
}

// change writes what a message changed in a row if its read state is as it was seen. It
// never lowers what others raised meanwhile.
func (r *Repository) change(key store.Key, seen, next row) *store.Update {
	u := r.table.Update(key).If("attribute_not_exists(till)")
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
