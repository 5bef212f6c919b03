package leaderboard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Period is a board's time from one reset to the next.
type Period struct {
	Name  string    `json:"name"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end,omitzero"` // exclusive; zero if the board never resets
}

func (i periodItem) show() Period {
	return Period{Name: i.period().name(), Start: i.Start.Time, End: i.End}
}

// Periods lists the board's periods that somebody submitted to and that are still
// kept, newest first. An unknown board is plaza.ErrNotFound.
//
// Cost: 1 request, 0.5 RCU eventually consistent for each 4 KB; up to 6 requests
// where many have expired.
func (r *Repository) Periods(ctx context.Context, board string, req cursor.PageRequest) (cursor.Page[Period], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Periods")
	if err := (In{Board: board}).checkPage(req); err != nil {
		return cursor.Page[Period]{}, err
	}
	page, err := r.periods(ctx, board, req)
	if err != nil {
		return page, fmt.Errorf("leaderboard: periods of %q: %w", board, err)
	}
	return page, nil
}

func (r *Repository) periods(ctx context.Context, board string, req cursor.PageRequest) (cursor.Page[Period], error) {
	if _, err := r.board(ctx, board); err != nil {
		return cursor.Page[Period]{}, err
	}
	gap := func(p periodItem) string { return periodKey(board, p.Start.Time).SK }
	list := store.List[periodItem, Period]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "leaderboard/periods", Partition: board},
		Read: func(ctx context.Context, reach store.Reach) ([]periodItem, string, error) {
			span := reach.Span(periodsPK(board))
			span.Consistent = r.opts.Consistent
			return store.Read[periodItem](ctx, r.table, span)
		},
		Order: store.Order[periodItem]{
			Below: gap,
			Above: func(p periodItem) string { return gap(p) + afterName },
			Valid: isPeriodGap,
		},
		Show: r.showPeriods,
		Item: periodItem.show,
	}
	return list.Page(ctx, req)
}

func isPeriodGap(gap string) bool {
	parts := keys.Split(strings.TrimSuffix(gap, afterName))
	if len(parts) != 2 || parts[0] != "T" {
		return false
	}
	_, ok := parsePeriod(parts[1])
	return ok
}

func (r *Repository) showPeriods(_ context.Context, rows []periodItem) ([]periodItem, error) {
	now := r.opts.Now()
	return slices.DeleteFunc(rows, func(i periodItem) bool { return i.period().expired(now) }), nil
}
