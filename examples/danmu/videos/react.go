package videos

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/guard"
)

// like counts a like of the user. All viewers of the video get the new number.
func (s *Service) like(r *http.Request) (any, error) { return s.react(r, s.hub.Like) }

// unlike takes the like of the user back.
func (s *Service) unlike(r *http.Request) (any, error) { return s.react(r, s.hub.Unlike) }

// report counts a report of the user. Some reports hide a danmu from everybody.
func (s *Service) report(r *http.Request) (any, error) {
	return s.react(r, func(ctx context.Context, what danmu.Action) (bool, error) {
		own, err := s.isOwn(ctx, what)
		switch {
		case err != nil:
			return false, err
		case own:
			return false, &guard.RefusedError{Status: http.StatusForbidden, Reason: "you cannot report your own"}
		}
		return s.danmu.Report(ctx, what)
	})
}

func (s *Service) react(r *http.Request, do func(context.Context, danmu.Action) (bool, error)) (any, error) {
	if err := s.reactions.Take(guard.Client(r)); err != nil {
		return nil, err
	}
	what, err := readAction(r)
	if err != nil {
		return nil, err
	}
	if err := s.videoReactions.Take(what.Object); err != nil {
		return nil, err
	}
	changed, err := do(r.Context(), what)
	return struct {
		Changed bool `json:"changed"` // by this call
	}{changed}, err
}

// readAction reads which danmu a request is about, and whose request it is.
func readAction(r *http.Request) (danmu.Action, error) {
	id, err := danmu.ParseID(r.PathValue("danmu"))
	return danmu.Action{Object: r.PathValue("id"), ID: id, User: r.URL.Query().Get("user")}, err
}

// isOwn reports whether the user sent the danmu. It also finds one that was sent just
// now, and one that is hidden: a report that is repeated must not fail.
func (s *Service) isOwn(ctx context.Context, what danmu.Action) (bool, error) {
	at := what.ID.Progress()
	window, err := s.danmu.Window(ctx, what.Object, at, at+time.Millisecond, &danmu.WindowOptions{Consistent: true, WithHidden: true})
	return slices.ContainsFunc(window.Comments, func(c danmu.Comment) bool {
		return c.ID == what.ID && c.User == what.User
	}), err
}

// reactionsOf lists the danmu of a segment that the user liked or reported.
func (s *Service) reactionsOf(r *http.Request) (any, error) {
	n, err := parseNumber("segment", r.PathValue("n"))
	if err == nil && n < 0 {
		err = &plaza.InvalidError{Field: "segment", Reason: "is negative"}
	}
	if err != nil {
		return nil, err
	}
	object := r.PathValue("id")
	settings, err := s.danmu.Settings(r.Context(), object)
	if err != nil {
		return nil, err
	}
	n = min(n, int(danmu.MaxProgress/settings.Segment)+1) // past the end there are none
	from := time.Duration(n) * settings.Segment
	found, err := s.danmu.Reactions(r.Context(), r.URL.Query().Get("user"), object, from, from+settings.Segment)
	answer := struct {
		Liked    []danmu.ID `json:"liked"`
		Reported []danmu.ID `json:"reported"`
	}{[]danmu.ID{}, []danmu.ID{}}
	for id, reaction := range found {
		if reaction.Liked {
			answer.Liked = append(answer.Liked, id)
		}
		if reaction.Reported {
			answer.Reported = append(answer.Reported, id)
		}
	}
	for _, ids := range [][]danmu.ID{answer.Liked, answer.Reported} {
		slices.SortFunc(ids, func(a, b danmu.ID) int { return strings.Compare(a.String(), b.String()) })
	}
	return answer, err
}
