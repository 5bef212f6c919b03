package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxShown      = 100 // entries of one MarkRead
	markReadsOnce = 16  // of its requests at once
)

// See returns the View of what List showed, for MarkSeen and MarkAllRead. Entries of
// several pages of one list may be joined. Of those younger than Window only the newest 100
// are covered. Entries of a list by Verbs have no View: pass their groups to MarkRead.
func See(entries []Entry) View {
	if entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Listed == 0 }); len(entries) == 0 {
		return View{}
	}
	v := View{At: entries[0].Listed}
	for _, e := range entries {
		v.At, v.Newest = min(v.At, e.Listed), max(v.Newest, e.Last)
	}
	for _, e := range entries {
		if e.Last > before(v.At) {
			v.Recent = append(v.Recent, e.Last)
		}
	}
	slices.Sort(v.Recent)
	slices.Reverse(v.Recent)
	v.Recent = slices.Compact(v.Recent)
	v.Recent = v.Recent[:min(len(v.Recent), maxAbove)]
	return v
}

// before returns the bound below which a list at that time has everything: writes with
// older ids were visible by then.
func before(at ids.ID) ids.ID { return ids.At(at.Time().Add(-Window)) }

func (v View) check() error {
	if err := args.Count("View.Recent", len(v.Recent), "ids", maxAbove); err != nil {
		return err
	}
	for i, id := range v.Recent {
		if err := keys.CheckID(fmt.Sprintf("View.Recent[%d]", i), id); err != nil {
			return err
		}
	}
	if v.empty() {
		return nil
	}
	if err := keys.CheckID("View.At", v.At); err != nil {
		return err
	}
	return keys.CheckID("View.Newest", v.Newest)
}

func (v View) empty() bool { return v.Newest == 0 && len(v.Recent) == 0 }

// marks returns what the view covers. A client may have changed the view, so the clock
// bounds it: nobody marks what is still to come.
func (v View) marks(now time.Time) marks {
	var m marks
	m.add(marks{upTo: min(v.Newest, before(min(v.At, ids.At(now))))})
	latest := ids.At(now.Add(Window)) // a writer's clock may be ahead of ours
	m.add(marks{above: slices.DeleteFunc(slices.Clone(v.Recent), func(id ids.ID) bool { return id > latest })})
	return m
}

// quick adds an update that replaces the marks of seen by m. Its condition, with the
// caller's on s.w, ensures that adding m would do the same.
func (m marks) quick(update *store.Update) *store.Update {
	return update.SetExpr("s.w = ?, s.x = ?", m.upTo.String(), packed(m.above...)).If("s.x < ?", packed(m.upTo+1))
}

// MarkSeen marks the entries that the view covers as seen. Views of several devices, old
// ones and repeats may come in any order. changed is false if all were seen before, and for
// the zero View. After a lost answer it may be false too.
//
// Cost: 1 request, 2 WCU; beside marks of the last 20 s 2 requests, 3 WCU, at most 9
// WCU.
//
//plaza:cost a mark: 1 request, 2 WCU
//plaza:cost a user's first, or beside marks of the last 20 s: 2 requests, 3 WCU
//plaza:cost beside 100 such marks and 100 dismissals: 2 requests, 9 WCU
func (r *Repository) MarkSeen(ctx context.Context, user string, view View) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.MarkSeen")
	if err := checkMark(user, view); err != nil || view.empty() {
		return false, err
	}
	m := view.marks(r.opts.Now())
	beyond := m.upTo
	if len(m.above) > 0 {
		beyond++
	}
	quick := m.quick(r.quick(user)).If("s.w < ?", beyond.String())
	changed, err = r.mergeState(ctx, user, quick, func(s *state) bool { return s.seen.add(m) })
	return changed, wrap("mark seen", user, err)
}

// MarkAllRead marks the entries that the view covers as read, and so as seen. Groups that the
// user marked as unread become read again. changed is false only for the zero View.
//
// Cost: as MarkSeen.
func (r *Repository) MarkAllRead(ctx context.Context, user string, view View) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.MarkAllRead")
	if err := checkMark(user, view); err != nil || view.empty() {
		return false, err
	}
	id, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	m := view.marks(r.opts.Now())
	// What is read is seen: no mark of r and rx is greater than all of w and x.
	quick := m.quick(r.quick(user)).Set("s.r", m.upTo.String()).SetExpr("s.rx = ?", packed(m.above...)).
		Set("s.ra", id.String()).Set("s.raCall", id.String()).If("s.w <= ? AND s.ra < ?", m.upTo.String(), id.String())
	_, err = r.mergeState(ctx, user, quick, func(s *state) bool {
		if s.allReadBy == id {
			return false // by this call, whose answer was lost
		}
		s.allRead, s.allReadBy = max(id, s.allRead+1), id
		s.seen.add(m)
		s.read.add(m)
		return true
	})
	return err == nil, wrap("mark all read", user, err)
}

func checkMark(user string, view View) error {
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return view.check()
}

// MarkRead marks up to 100 entries as read, as they were shown: a group with a later
// event stays unread. It returns how many it marked, without those that were read already
// or are gone. If an answer is lost and the user marks the group meanwhile, it is
// plaza.ErrUnknownOutcome.
//
// If its request arrives late, after a MarkUnread, it changes nothing, provided that clocks
// differ by less than the time between the two calls.
//
// Only a user's newest 100 announcements that were marked one by one count, until MarkAllRead
// covers them.
//
// Cost: 1 request, 2 WCU for each group; 1 request, 2 WCU more where it was read
// already or changes meanwhile; announcements as Dismiss, together.
//
//plaza:cost each group: 1 request, 2 WCU
//plaza:cost one that was read already or changes meanwhile: 1 request, 2 WCU
//plaza:cost each further KB of a group: 2 WCU
//plaza:cost announcements: as Dismiss
func (r *Repository) MarkRead(ctx context.Context, user string, shown []Shown) (entries int, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.MarkRead")
	if err := checkShown(user, shown); err != nil || len(shown) == 0 {
		return 0, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return 0, err
	}
	groups := slices.DeleteFunc(slices.Clone(shown), func(s Shown) bool { return s.Group == "" })
	var marked atomic.Int64
	err = parallel.ForEach(ctx, len(groups), markReadsOnce, func(ctx context.Context, i int) error {
		changed, err := r.markRead(ctx, In{user, groups[i].Group}, groups[i].Last, call)
		if changed {
			marked.Add(1)
		}
		return err
	})
	if err == nil && len(groups) < len(shown) {
		entries, err = r.markAnnouncements(ctx, user, shown)
	}
	return int(marked.Load()) + entries, wrap("mark read", user, err)
}

// markAnnouncements marks the announcements among shown as read, and so as seen.
func (r *Repository) markAnnouncements(ctx context.Context, user string, shown []Shown) (marked int, err error) {
	latest := ids.At(r.opts.Now().Add(Window)) // nobody has read what is still to come
	changed, err := r.mergeState(ctx, user, nil, func(s *state) bool {
		var m marks
		for _, a := range shown {
			if _, read := s.flags(&group.Head{Last: a.Last}, a.Last); a.Group == "" && !read && a.Last <= latest && !slices.Contains(m.above, a.Last) {
				m.above = append(m.above, a.Last)
			}
		}
		marked = len(m.above)
		s.seen.add(m)
		return s.read.add(m)
	})
	if !changed {
		marked = 0
	}
	return marked, err
}

func checkShown(user string, shown []Shown) error {
	err := cmp.Or(keys.CheckName("User", user), args.Count("Shown", len(shown), "entries", maxShown))
	if err != nil {
		return err
	}
	for i, s := range shown {
		if _, _, err := splitGroup(s.Group); err != nil && s.Group != "" {
			return &plaza.InvalidError{Field: fmt.Sprintf("Shown[%d].Group", i), Reason: "is not the name of a group"}
		}
		if err := keys.CheckID(fmt.Sprintf("Shown[%d].Last", i), s.Last); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repository) markRead(ctx context.Context, in In, last, call ids.ID) (changed bool, err error) {
	_, changed, err = store.Change[shelved]{
		Key: groupKey(in), Call: call, Part: "mark", Last: (*shelved).lastMark, Unread: true,
		Next: func(g *shelved, guard store.Guard) (store.Write, error) {
			if g != nil {
				last = min(last, g.Last) // nobody has read what is still to come
				if g.Read >= last {
					return nil, store.ErrSame
				}
			}
			return guard.Update().Set("read", last).Add("rev", 1).
				If("lv >= ? AND (attribute_not_exists('read') OR 'read' < ?)", last, last), nil
		},
	}.Run(ctx, r.table)
	return changed, ifThere(err)
}

// MarkUnread marks a group as unread, whether it was seen or not. changed is false if it was unread
// or is gone. plaza.ErrUnknownOutcome is as in Archive. If an earlier MarkAllRead was given up, its
// request may arrive later and undo this call: repeat it then.
//
// Cost: 3 requests, 2 RCU, 2 WCU; 1 RCU more for each further 4 KB of the group and
// 2 WCU for each KB.
func (r *Repository) MarkUnread(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.MarkUnread")
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.change(ctx, in, "mark", (*shelved).lastMark, func(g *shelved, guard store.Guard) (*store.Update, error) {
		// Read after the group: a MarkAllRead after that is later than this call.
		s, err := r.get(ctx, in.User, true)
		if err != nil {
			return nil, err
		}
		if _, read := s.flags(&g.Head, g.PlaceID()); !read {
			return nil, store.ErrSame
		}
		// Not a new id: whatever the clocks say, the next MarkAllRead has a greater one.
		return guard.Update().Remove("read").Set("unread", s.allRead+1), nil
	})
	return changed, wrapGroup("mark unread", in, err)
}

// Dismiss hides an announcement from a user, and marks nothing else. Only a user's
// newest 100 dismissals count. changed is false if it was hidden before.
//
// Cost: 2 requests, 1 RCU, 2 WCU; 2 WCU more for each further KB of the state, at
// most 8.
func (r *Repository) Dismiss(ctx context.Context, user string, announcement ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Dismiss")
	if err := keys.CheckName("User", user); err != nil {
		return false, err
	}
	if err := keys.CheckID("Announcement", announcement); err != nil {
		return false, err
	}
	now := r.opts.Now()
	changed, err = r.mergeState(ctx, user, nil, func(s *state) bool { return s.dismiss(announcement, now) })
	return changed, wrap("dismiss for", user, err)
}

func wrap(what, user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("notify: %s %q: %w", what, user, err)
}

func wrapGroup(what string, in In, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("notify: %s %q of %q: %w", what, in.Group, in.User, err)
}
