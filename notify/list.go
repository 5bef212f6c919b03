package notify

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// aboveIDs is above the places of all listed groups, and below the state's.
const aboveIDs = "8"

// List lists a user's groups and announcements, newest first. First it brings back snoozed
// groups that are due, as unseen: up to 25 a call. A page whose Filter hides many may be short or
// empty, and has a Next.
//
// Cost: 1 request, 0.5 RCU for each 4 KB; a later page 1 request, 0.5 RCU more; where
// snoozed groups are due, as Unseen.
//
//plaza:cost 4 KB: 1 request, 0.5 RCU
//plaza:cost each further 4 KB: 0.5 RCU
//plaza:cost a later page: 1 request, 0.5 RCU
//plaza:cost past rows that are hidden, expired or damaged, at most: 5 requests
func (r *Repository) List(ctx context.Context, reader Reader, req cursor.PageRequest) (cursor.Page[Entry], error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.List")
	if err := reader.check(); err != nil {
		return cursor.Page[Entry]{}, err
	}
	page, err := r.listed(ctx, reader, req)
	return page, wrap("list", reader.User, err)
}

func (r *Repository) listed(ctx context.Context, reader Reader, req cursor.PageRequest) (cursor.Page[Entry], error) {
	l := r.reading(reader.User, group.Listed)
	l.filter = reader.Filter
	l.before = func(ctx context.Context) (err error) {
		l.live, err = r.live(ctx, reader)
		return err
	}
	return l.list("notify").Page(ctx, req)
}

// Archived lists archived groups, newest first.
//
// Cost: 2 requests, 1 RCU; 0.5 RCU for each further 4 KB; past expired or damaged rows
// at most 7 requests.
func (r *Repository) Archived(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Archived")
	return r.shelf(ctx, group.Archived, "notify/archived", user, req)
}

// Snoozed lists snoozed groups, soonest due first.
//
// Cost: as Archived.
func (r *Repository) Snoozed(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Snoozed")
	return r.shelf(ctx, group.Snoozed, "notify/snoozed", user, req)
}

func (r *Repository) shelf(ctx context.Context, shelf group.Shelf, name, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Entry]{}, err
	}
	page, err := r.reading(user, shelf).list(name).Page(ctx, req)
	return page, wrap(name+" of", user, err)
}

// reading is one call that lists a shelf.
type reading struct {
	r      *Repository
	user   string
	shelf  group.Shelf
	filter Filter
	now    time.Time

	before func(context.Context) error // nil after it was called
	live   []Announcement              // newest first
	state  *state                      // nil before the first read
}

func (r *Repository) reading(user string, shelf group.Shelf) *reading {
	return &reading{r: r, user: user, shelf: shelf, now: r.opts.Now()}
}

func (l *reading) list(name string) store.List[row, Entry] {
	scope := cursor.Scope{List: name, Partition: l.user, Filter: l.filter.text()}
	if l.shelf == group.Snoozed {
		scope.Order = "oldest"
	}
	from, to := l.shelf.Span()
	if l.shelf == group.Listed {
		to = aboveIDs // no reach may begin above it, where the state is
	}
	return store.List[row, Entry]{
		Codec:  l.r.opts.Codec,
		Scope:  scope,
		Oldest: l.shelf == group.Snoozed,
		Read:   l.read,
		Order: store.Order[row]{
			Below: func(w row) string { return w.Place },
			Above: func(w row) string { return w.Place + after },
			// Also the place of a damaged row, so that a reader gets past it.
			Valid: func(gap string) bool {
				return from <= gap && gap <= to && len(gap) <= maxPlace && utf8.ValidString(gap)
			},
		},
		Show: func(_ context.Context, rows []row) ([]row, error) {
			return slices.DeleteFunc(rows, l.hides), nil
		},
		Item: l.entry,
	}
}

const (
	after    = "\x00" // appended to a place: the next greater one
	maxPlace = 1024   // bytes of a sort key
)

func (l *reading) hides(w row) bool {
	if expired(&w.Head, l.now) || !l.filter.of(w.entry.Activity.Verb) {
		return true
	}
	return l.filter.Unread && l.entry(w).Read
}

// entry returns a row's entry, with Seen and Read.
func (l *reading) entry(w row) Entry {
	e := w.entry
	e.Seen, e.Read = l.state.flags(&w.Head, e.Last)
	if len(l.filter.Verbs) == 0 { // otherwise a mark would cover entries that are not shown
		e.Listed = ids.At(l.now)
	}
	return e
}

// read reads a reach of the shelf. The first read of a list also reads the state.
func (l *reading) read(ctx context.Context, reach store.Reach) ([]row, string, error) {
	if l.before != nil {
		if err := l.before(ctx); err != nil {
			return nil, "", err
		}
		l.before = nil
	}
	first := l.state == nil
	rows, rest, err := l.rows(ctx, reach)
	// Groups that wake come to the top.
	if err == nil && first && l.shelf == group.Listed && (reach.Gap == "" || reach.Up) && l.state.wake <= ids.At(l.now) {
		var woken bool
		if woken, _, err = l.r.wake(ctx, l.user, l.state, l.now); woken {
			rows, rest, err = l.rows(ctx, reach)
		}
	}
	if err != nil {
		return nil, "", err
	}
	return l.merge(rows, reach, rest), rest, nil
}

// rows reads groups, and the state if it is not known yet.
func (l *reading) rows(ctx context.Context, reach store.Reach) (rows []row, rest string, err error) {
	span := store.IndexSpan{
		Partition: userPK(l.user), Ascending: reach.Ascending(), Limit: reach.Limit, Consistent: l.r.opts.Consistent,
	}
	from, to := l.shelf.Span()
	withState := l.state == nil && l.shelf == group.Listed && reach.Gap == ""
	switch {
	case withState:
		span.Limit++
	case l.shelf == group.Listed:
		to = aboveIDs
	}
	switch {
	case reach.Gap == "":
	case span.Ascending:
		from = max(from, reach.Gap)
	default:
		to = min(to, reach.Gap)
		span.Limit++ // a range of an index includes both ends: it returns the row at the gap again
	}
	span.From, span.To = []byte(from), []byte(to)
	read := func(ctx context.Context) (err error) {
		rows, rest, err = l.query(ctx, span)
		return err
	}
	if l.state != nil || withState {
		err = read(ctx)
	} else {
		err = parallel.ForEach(ctx, 2, 2, func(ctx context.Context, i int) error {
			if i == 0 {
				return read(ctx)
			}
			s, err := l.r.load(ctx, l.user)
			l.state = &s
			return err
		})
	}
	if err != nil {
		return nil, "", err
	}
	if l.state == nil {
		s := none()
		l.state = &s
	}
	if n := len(rows); !span.Ascending && n > 0 && rows[0].Place == reach.Gap {
		rows = rows[1:]
	}
	return rows, rest, nil
}

// query reads rows, and keeps the state if it is one of them.
func (l *reading) query(ctx context.Context, span store.IndexSpan) ([]row, string, error) {
	items, rest, err := store.ReadIndex[dynamo.Item](ctx, l.r.table, recent, span)
	if err != nil {
		return nil, "", err
	}
	rows := make([]row, len(items))
	n := 0
	for _, item := range items {
		if store.KeyOf(item).SK == stateSK {
			s := none()
			if err := l.r.table.Decode(item, &s); l.r.table.Skips(err) {
				s = none()
			}
			l.state = &s
			continue
		}
		if err := l.r.table.Decode(item, &rows[n]); l.r.table.Skips(err) {
			rows[n] = row{}
			continue
		}
		n++
	}
	return rows[:n], rest, nil
}

// merge adds to rows the announcements that belong in the same reach.
func (l *reading) merge(rows []row, reach store.Reach, rest string) []row {
	groups := len(rows)
	for _, a := range l.live {
		place := announcementPlace(a.ID)
		beyond := rest != "" && (place < rest) != reach.Ascending()
		if reach.Covers(place) && !beyond && !l.state.dismissed(a.ID) {
			rows = append(rows, announced(a))
		}
	}
	if len(rows) > groups {
		slices.SortStableFunc(rows, func(a, b row) int {
			if reach.Ascending() {
				return strings.Compare(a.Place, b.Place)
			}
			return strings.Compare(b.Place, a.Place)
		})
	}
	return rows
}

// live returns the announcements that the reader may see.
func (r *Repository) live(ctx context.Context, reader Reader) ([]Announcement, error) {
	if r.opts.Announcements == nil || len(reader.Filter.Verbs) > 0 {
		return nil, nil
	}
	return r.opts.Announcements.Live(ctx, reader)
}
