package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
)

// Outboxes of the moderators. Each object has another one for the reasons that people give,
// reports:<object>.
const (
	reportsBox    = "reports"    // what to look at, once for each object
	moderationBox = "moderation" // what was done
)

// maxReason is in bytes, so that a reason fits into a notification however JSON escapes it.
const maxReason = 600

func (s *api) moderationRoutes() {
	s.route("PUT /api/reports", s.report)
	s.route("GET /api/moderation/reports", moderator(s.reports), "cursor")
	s.route("GET /api/moderation/reasons", moderator(s.reportReasons), "object", "cursor")
	s.route("GET /api/moderation/log", moderator(s.moderationLog), "cursor")
	s.route("POST /api/moderation/actions", moderator(s.moderate))
}

// target is a reported picture or comment.
type target struct {
	object  string // as reactions name it
	picture pictureID
	comment comment.Address // zero for a picture
}

// parseTarget reads the ref of a picture or a comment.
func parseTarget(object string) (s target, err error) {
	s.object = object
	ref, err := feed.ParseRef(object)
	if err == nil {
		s.picture, err = parsePicture(pictureOf(ref))
	}
	if at, ok := commentAt(ref); ok {
		s.comment = at
	}
	if err != nil || s.isComment() != (ref.Kind == "comment") {
		return s, &plaza.InvalidError{Field: "object", Reason: "is neither a picture nor a comment"}
	}
	return s, nil
}

func (s target) isComment() bool { return s.comment.ID != 0 }

// shown is a target as it was when somebody reported it or decided about it.
type shown struct {
	Object string `json:"object"`
	By     string `json:"by"`             // its author, empty if nothing says whose the comment was
	Title  string `json:"title"`          // of the picture
	Text   string `json:"text,omitempty"` // of the comment
	Action string `json:"action,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// lookIfThere is look at a target that may be gone.
func (a *app) lookIfThere(ctx context.Context, about target) (shown, error) {
	see, err := a.look(ctx, about)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return see, err
}

// look reads a target. A removed or hidden one is plaza.ErrNotFound.
func (a *app) look(ctx context.Context, about target) (shown, error) {
	see := shown{Object: about.object}
	if !about.isComment() {
		see.By = about.picture.owner
	}
	pin, err := a.firstPin(ctx, about.picture)
	if err != nil {
		return see, err
	}
	var data pinData
	if err := json.Unmarshal(pin.Data, &data); err != nil {
		return see, fmt.Errorf("data of %s: %w", about.picture, err)
	}
	see.Title = data.Title
	if about.isComment() {
		c, err := a.Comments.Get(ctx, about.comment)
		if err != nil {
			return see, err
		}
		see.By, see.Text = c.User, c.Text
		if c.Removed != nil {
			return see, fmt.Errorf("%s: %w", about.object, plaza.ErrNotFound)
		}
	}
	return see, nil
}

// complaint is the body of a report, and a part of a decision about it.
type complaint struct {
	Object string `json:"object"`
	Reason string `json:"reason"`
}

func (c complaint) target() (target, error) {
	if n := len(c.Reason); n > maxReason {
		return target{}, &plaza.InvalidError{Field: "reason", Reason: fmt.Sprintf("has %d bytes, at most %d are allowed", n, maxReason)}
	}
	return parseTarget(c.Object)
}

// report counts one report of a person for each object, and brings the object before the
// moderators. The reaction's id names what is written, so a repeat writes nothing.
func (s *api) report(r *http.Request, me people.Person) (any, error) {
	var body complaint
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	about, err := body.target()
	if err != nil {
		return nil, err
	}
	see, err := s.look(r.Context(), about)
	if err != nil {
		return nil, err
	}
	mine, reported, err := s.Reactions.React(r.Context(), reaction.Reaction{User: me.ID, Object: about.object, Kind: report})
	if err != nil {
		return nil, err
	}
	see.Reason = body.Reason
	return changed{reported}, s.file(r.Context(), about, mine, see)
}

// file adds a report to those of its object, and the object to the moderators' list.
func (a *app) file(ctx context.Context, about target, mine reaction.Reaction, see shown) error {
	said, err := json.Marshal(see)
	if err != nil {
		return err
	}
	entry := feed.Activity{ID: mine.ID, Actor: feed.Ref{ID: mine.User}, Verb: report, Object: about.picture.ref(), Data: said}
	if err := a.publishOnce(ctx, reportsBox+":"+about.object, entry); err != nil {
		return err
	}
	entry.ForeignID = about.object // of all who report it, the first one
	return a.publishOnce(ctx, reportsBox, entry)
}

// fileSeeded is file for a report that the seed made up.
func (a *app) fileSeeded(ctx context.Context, mine reaction.Reaction, reason string) error {
	about, err := parseTarget(mine.Object)
	if err != nil {
		return err
	}
	see, err := a.lookIfThere(ctx, about)
	if err != nil {
		return err
	}
	see.Reason = reason
	return a.file(ctx, about, mine, see)
}

// publishOnce does nothing if there is an activity of this id, or if it was removed.
func (a *app) publishOnce(ctx context.Context, box string, entry feed.Activity) error {
	_, _, err := a.Feeds.Outbox(box).Publish(ctx, entry)
	if errors.Is(err, plaza.ErrConflict) || errors.Is(err, plaza.ErrRemoved) {
		return nil
	}
	return err
}

// moderator wraps the actions that only moderators may take.
func moderator(do action) action {
	return func(r *http.Request, me people.Person) (any, error) {
		if !people.Moderator(me.ID) {
			return nil, &guard.RefusedError{Status: http.StatusForbidden, Reason: "only moderators see this"}
		}
		return do(r, me)
	}
}

// line is an entry of the reports or of the log.
type line struct {
	shown

	ID      ids.ID    `json:"id"`
	Actor   string    `json:"actor"` // who reported it, or who did it
	Picture string    `json:"picture"`
	At      time.Time `json:"at"`
	Reports int64     `json:"reports,omitempty"` // by how many people
}

// lines reads an outbox of the moderators.
func (s *api) lines(r *http.Request, box string) (page cursor.Page[line], err error) {
	stored, err := s.Feeds.Outbox(box).List(r.Context(), pageOf(r, 20))
	page.Next, page.Prev, page.Items = stored.Next, stored.Prev, []line{}
	for _, a := range stored.Items {
		l := line{ID: a.ID, Actor: a.Actor.ID, Picture: a.Object.ID, At: a.Time}
		if err := json.Unmarshal(a.Data, &l.shown); err != nil {
			return page, fmt.Errorf("reading %s in %s: %w", a.ID, box, err)
		}
		page.Items = append(page.Items, l)
	}
	return page, err
}

// reports lists the objects to look at, with their numbers of reports.
func (s *api) reports(r *http.Request, _ people.Person) (any, error) {
	page, err := s.lines(r, reportsBox)
	if err != nil || len(page.Items) == 0 {
		return page, err
	}
	var objects []string
	for _, l := range page.Items {
		objects = append(objects, l.Object)
	}
	counts, err := s.Reactions.CountsMany(r.Context(), objects)
	for i, l := range page.Items {
		page.Items[i].Reports = counts[l.Object][report]
	}
	return page, err
}

// reportReasons lists the reports of an object.
func (s *api) reportReasons(r *http.Request, _ people.Person) (any, error) {
	about, err := parseTarget(r.URL.Query().Get("object"))
	if err != nil {
		return nil, err
	}
	return s.lines(r, reportsBox+":"+about.object)
}

func (s *api) moderationLog(r *http.Request, _ people.Person) (any, error) {
	return s.lines(r, moderationBox)
}

// decision is the body of an action of a moderator.
type decision struct {
	complaint
	Key    string `json:"key"`
	Action string `json:"action"`
}

func (d decision) target() (target, error) {
	about, err := d.complaint.target()
	switch {
	case err != nil:
	case d.Key == "":
		err = &plaza.InvalidError{Field: "key", Reason: "is empty"}
	case d.Action == "dismiss", d.Action == "remove":
	case about.isComment() && (d.Action == "hide" || d.Action == "unhide"):
	default:
		err = &plaza.InvalidError{Field: "action", Reason: "is unknown for this object"}
	}
	return about, err
}

// moderate does something about a target, and takes it off the list. Before, it writes down
// what it does, once for each key of the page: the log's entry notifies the author, who
// cannot be read from what is gone. After an error, repeat it.
func (s *api) moderate(r *http.Request, me people.Person) (any, error) {
	var body decision
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	about, err := body.target()
	if err != nil {
		return nil, err
	}
	did, unhide := false, body.Action == "unhide"
	if unhide { // only then the comment can be read
		if did, err = s.act(r.Context(), me, about, body); err != nil {
			return nil, err
		}
	}
	see, err := s.lookIfThere(r.Context(), about)
	if err != nil {
		return nil, err
	}
	see.Action, see.Reason = body.Action, body.Reason
	done, err := json.Marshal(see)
	if err != nil {
		return nil, err
	}
	_, _, err = s.Feeds.Outbox(moderationBox).Publish(r.Context(), feed.Activity{
		Actor: feed.Ref{ID: me.ID}, Verb: body.Action, Object: about.picture.ref(), ForeignID: body.Key, Data: done,
	})
	if err == nil && !unhide {
		did, err = s.act(r.Context(), me, about, body)
	}
	if err != nil {
		return nil, err
	}
	_, err = s.Feeds.Outbox(reportsBox).RemoveForeign(r.Context(), about.object)
	return changed{did}, err
}

// act applies a decision to its target.
func (s *api) act(ctx context.Context, me people.Person, on target, d decision) (changed bool, err error) {
	switch {
	case d.Action == "hide":
		return s.Comments.Hide(ctx, on.comment)
	case d.Action == "unhide":
		return s.Comments.Unhide(ctx, on.comment)
	case d.Action == "remove" && on.isComment():
		return s.Comments.Remove(ctx, on.comment, comment.Removal{By: me.ID, Reason: d.Reason})
	case d.Action == "remove":
		return s.removePicture(ctx, on.picture)
	}
	return true, nil // it is dismissed
}
