package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func (s *api) messageRoutes() {
	s.route("GET /api/inbox", s.inbox, "cursor")
	s.route("GET /api/inbox/unread", s.unread)
	s.route("GET /api/talks/{with}", inTalk(s.talk))
	s.route("PUT /api/talks/{with}", inTalk(s.createGroup))
	s.route("GET /api/talks/{with}/messages", inTalk(s.history), "cursor")
	s.route("POST /api/talks/{with}/messages", inTalk(s.say))
	s.route("PUT /api/talks/{with}/messages/{seq}", inTalk(s.editMessage))
	s.route("DELETE /api/talks/{with}/messages/{seq}", inTalk(s.recallMessage))
	s.route("PUT /api/talks/{with}/read", inTalk(s.readTo))
	s.route("PUT /api/talks/{with}/typing", inTalk(s.typing))
	s.route("DELETE /api/talks/{with}/members", inTalk(s.leave))
}

// groupPrefix begins the names of groups, which no person has.
const groupPrefix = "group_"

func isGroupID(text string) bool {
	name, ok := strings.CutPrefix(text, groupPrefix)
	return ok && isPlain(name)
}

// inTalk calls an action with the conversation in the path, as its reader sees it.
func inTalk(do func(*http.Request, message.In) (any, error)) action {
	return func(r *http.Request, me people.Person) (any, error) {
		in, err := talkWith(me, r.PathValue("with"))
		if err != nil {
			return nil, err
		}
		return do(r, in)
	}
}

// talkWith returns the conversation of me that is named by the other person or the group.
func talkWith(me people.Person, with string) (message.In, error) {
	in := message.In{Conversation: with, User: me.ID}
	switch {
	case with == me.ID:
		return in, &plaza.InvalidError{Field: "with", Reason: "is you"}
	case known(with):
		in.Conversation = message.Pair{User: me.ID, Other: with}.Conversation()
	case !isGroupID(with):
		return in, plaza.ErrNotFound
	}
	return in, nil
}

// letter is a message with the time when it was sent.
type letter struct {
	message.Message
	Time time.Time `json:"time"`
}

func letterOf(m message.Message) letter { return letter{m, m.ID.Time()} }

// preview is a conversation in an inbox.
type preview struct {
	message.Entry
	Last    *letter  `json:"last,omitempty"`
	Members []string `json:"members,omitempty"` // of a group
}

func (s *api) inbox(r *http.Request, me people.Person) (any, error) {
	page, err := s.Messages.Inbox(r.Context(), me.ID, pageOf(r, 30))
	if err != nil {
		return nil, err
	}
	shown := cursor.Page[preview]{Next: page.Next, Items: make([]preview, len(page.Items))}
	for i, e := range page.Items {
		p := preview{Entry: e}
		if e.Last.Seq > 0 {
			last := letterOf(e.Last)
			p.Last = &last
		}
		if e.Other == "" {
			if p.Members, err = s.Messages.Members(r.Context(), message.In{Conversation: e.Conversation, User: me.ID}); err != nil {
				return nil, err
			}
		}
		shown.Items[i] = p
	}
	return shown, nil
}

func (s *api) unread(r *http.Request, me people.Person) (any, error) {
	return s.Messages.Unread(r.Context(), me.ID)
}

// talk is a conversation. One of two people begins with its first message, so to open it
// writes nothing.
type talk struct {
	Conversation string           `json:"conversation"`
	Members      []string         `json:"members"`
	Read         map[string]int64 `json:"read"`    // up to which message, by member
	Blocked      bool             `json:"blocked"` // one of the two has blocked the other
	Mine         bool             `json:"mine"`    // I have
}

func (s *api) talk(r *http.Request, in message.In) (any, error) {
	access, err := s.Messages.Access(r.Context(), in)
	if err != nil {
		return nil, err
	}
	t := talk{Conversation: in.Conversation, Blocked: access.Blocked}
	if t.Members, err = s.Messages.Members(r.Context(), in); err != nil {
		return nil, err
	}
	if t.Read, err = s.Messages.Receipts(r.Context(), in); err != nil {
		return nil, err
	}
	if other := r.PathValue("with"); known(other) {
		t.Mine, err = s.Prefs.Blocked(r.Context(), prefs.Pair{User: in.User, Actor: other})
	}
	return t, err
}

// createGroup creates a group under a name that the page has made up, so that a repeat
// creates no other.
func (s *api) createGroup(r *http.Request, in message.In) (any, error) {
	var body struct {
		Members []string `json:"members"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	if !isGroupID(in.Conversation) {
		return nil, &plaza.InvalidError{Field: "with", Reason: "is no group"}
	}
	if i := slices.IndexFunc(body.Members, func(m string) bool { return !known(m) }); i >= 0 {
		return nil, &plaza.InvalidError{Field: "members", Reason: "has nobody's name"}
	}
	if !slices.Contains(body.Members, in.User) {
		body.Members = append(body.Members, in.User)
	}
	did, err := s.Messages.Create(r.Context(), message.Group{ID: in.Conversation, Members: body.Members}, in.User)
	if err != nil {
		return nil, err
	}
	// After a repeat some have left, perhaps the caller too.
	members, err := s.Messages.Members(r.Context(), in)
	if err != nil && !errors.Is(err, message.ErrNotMember) {
		return nil, err
	}
	for _, member := range members {
		s.tell(r.Context(), msglive.Event{Kind: msglive.Joined, Conversation: in.Conversation, User: member})
	}
	return changed{did}, nil
}

func (s *api) history(r *http.Request, in message.In) (any, error) {
	page, err := s.Messages.History(r.Context(), in, pageOf(r, 30))
	shown := cursor.Page[letter]{Next: page.Next, Items: make([]letter, len(page.Items))}
	for i, m := range page.Items {
		shown.Items[i] = letterOf(m)
	}
	return shown, err
}

// say sends a message. The page repeats it with the same key, which stores it once.
func (s *api) say(r *http.Request, in message.In) (any, error) {
	var body struct {
		Key     string `json:"key"`
		Text    string `json:"text"`
		ReplyTo int64  `json:"replyTo"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	m, _, err := s.Messages.Send(r.Context(), message.Message{
		Conversation: in.Conversation, Sender: in.User, Key: body.Key, Text: body.Text, ReplyTo: body.ReplyTo,
	})
	if err != nil {
		return nil, err
	}
	s.tell(r.Context(), msglive.Said(m)) // also after a repeat: the first call may have died before this
	return letterOf(m), nil
}

// seqOf returns the number of the message that the path names.
func seqOf(r *http.Request) (int64, error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return 0, &plaza.InvalidError{Field: "seq", Reason: "is not the number of a message"}
	}
	return seq, nil
}

func (s *api) editMessage(r *http.Request, in message.In) (any, error) {
	var body struct {
		Text string `json:"text"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	seq, err := seqOf(r)
	if err != nil {
		return nil, err
	}
	m, _, err := s.Messages.Edit(r.Context(), message.Message{Conversation: in.Conversation, Sender: in.User, Seq: seq, Text: body.Text})
	if err != nil {
		return nil, err
	}
	s.tell(r.Context(), msglive.Said(m))
	return letterOf(m), nil
}

func (s *api) recallMessage(r *http.Request, in message.In) (any, error) {
	seq, err := seqOf(r)
	if err != nil {
		return nil, err
	}
	did, err := s.Messages.Recall(r.Context(), in, seq)
	if err == nil {
		s.tell(r.Context(), msglive.Event{Kind: msglive.Recalled, Conversation: in.Conversation, User: in.User, Seq: seq})
	}
	return changed{did}, err
}

// readTo marks messages as read.
func (s *api) readTo(r *http.Request, in message.In) (any, error) {
	var body struct {
		UpTo int64 `json:"upTo"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	_, err := s.Messages.MarkRead(r.Context(), in, body.UpTo)
	if err == nil {
		s.tell(r.Context(), msglive.Event{Kind: msglive.Read, Conversation: in.Conversation, User: in.User, Seq: body.UpTo})
	}
	return struct{}{}, err
}

func (s *api) typing(r *http.Request, in message.In) (any, error) {
	_, err := s.talks.Typing(r.Context(), in)
	return struct{}{}, err
}

// leave ends a membership of a group.
func (s *api) leave(r *http.Request, in message.In) (any, error) {
	did, err := s.Messages.Leave(r.Context(), in)
	if err == nil {
		s.tell(r.Context(), msglive.Event{Kind: msglive.Left, Conversation: in.Conversation, User: in.User})
	}
	return changed{did}, err
}

// tell publishes what was stored to the pages that it concerns, even if the page that
// stored it is gone by now. If that fails, pages show it when they read again.
func (a *app) tell(ctx context.Context, e msglive.Event) {
	if err := a.talks.Publish(context.WithoutCancel(ctx), e); err != nil {
		a.log.Warn("pages were not told", "kind", e.Kind, "err", err)
	}
}

// happened is an event as pages get it.
type happened struct {
	msglive.Event
	Message *letter `json:"message,omitempty"`
}

// encodeEvents encodes a batch once for all viewers.
func encodeEvents(events []msglive.Event) []byte {
	all := make([]happened, len(events))
	for i, e := range events {
		all[i] = happened{Event: e}
		if e.Message != nil {
			said := letterOf(*e.Message)
			all[i].Message = &said
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // they were read from JSON
	}
	return text
}
