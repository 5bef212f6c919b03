package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/notify"
)

// everybody is the audience of announcements. An application may have more, such as the
// users of a country.
const everybody = "everybody"

// reader is the user in the path. An application also knows since when: announcements
// from before that time do not show.
func reader(r *http.Request) notify.Reader {
	return notify.Reader{User: r.PathValue("user"), Audiences: []string{everybody}}
}

// shown is a page of notifications, with what a mark covers that is made after it.
type shown struct {
	cursor.Page[notify.Entry]
	View notify.View `json:"view"`
}

func (a *api) unseen(r *http.Request) (any, error) { return a.bell.Unseen(r.Context(), reader(r)) }

func (a *api) notifications(r *http.Request) (any, error) {
	page, err := list(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
		return a.bell.List(ctx, reader(r), req)
	})
	return shown{page, notify.See(page.Items)}, err
}

func (a *api) archived(r *http.Request) (any, error) { return listOf(r, a.bell.Archived) }

func (a *api) snoozed(r *http.Request) (any, error) { return listOf(r, a.bell.Snoozed) }

func listOf(r *http.Request, read func(context.Context, string, cursor.PageRequest) (cursor.Page[notify.Entry], error)) (any, error) {
	return list(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
		return read(ctx, r.PathValue("user"), req)
	})
}

// none is the answer to a call that has nothing to say.
type none struct{}

func (a *api) markSeen(r *http.Request) (any, error) { return markView(r, a.bell.MarkSeen) }

func (a *api) markAllRead(r *http.Request) (any, error) { return markView(r, a.bell.MarkAllRead) }

func markView(r *http.Request, mark func(context.Context, string, notify.View) (bool, error)) (any, error) {
	var view notify.View
	if err := guard.ReadJSON(r, &view); err != nil {
		return nil, err
	}
	_, err := mark(r.Context(), r.PathValue("user"), view)
	return none{}, err
}

func (a *api) markRead(r *http.Request) (any, error) {
	var read struct {
		Shown []notify.Shown `json:"shown"`
	}
	if err := guard.ReadJSON(r, &read); err != nil {
		return nil, err
	}
	_, err := a.bell.MarkRead(r.Context(), r.PathValue("user"), read.Shown)
	return none{}, err
}

func (a *api) dismiss(r *http.Request) (any, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	_, err = a.bell.Dismiss(r.Context(), r.PathValue("user"), id)
	return none{}, err
}

func (a *api) markUnread(r *http.Request) (any, error) { return moved(r, a.bell.MarkUnread) }

func (a *api) archive(r *http.Request) (any, error) { return moved(r, a.bell.Archive) }

func (a *api) unarchive(r *http.Request) (any, error) { return moved(r, a.bell.Unarchive) }

func (a *api) snooze(r *http.Request) (any, error) {
	var sleep struct {
		Until string `json:"until"` // RFC 3339
	}
	if err := guard.ReadJSON(r, &sleep); err != nil {
		return nil, err
	}
	until, err := parseTime("until", sleep.Until)
	if err != nil {
		return nil, err
	}
	return moved(r, func(ctx context.Context, in notify.In) (bool, error) { return a.bell.Snooze(ctx, in, until) })
}

func (a *api) unsnooze(r *http.Request) (any, error) { return moved(r, a.bell.Unsnooze) }

// moved changes the group in the path.
func moved(r *http.Request, do func(context.Context, notify.In) (bool, error)) (any, error) {
	changed, err := do(r.Context(), notify.In{User: r.PathValue("user"), Group: r.PathValue("group")})
	return change{changed}, err
}
