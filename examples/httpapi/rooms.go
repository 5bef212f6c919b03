package main

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
)

// The kinds of what happened.
const (
	messageEvent  = "message"  // was sent or edited
	recalledEvent = "recalled" // the message with the Seq
	readEvent     = "read"     // the User has read up to the Seq
	typingEvent   = "typing"   // the User is writing, or has stopped
	membersEvent  = "members"  // somebody came or went, or has blocked somebody: read who may write
	presentEvent  = "present"  // somebody opened or closed the conversation
)

// happened is what happened in a conversation, for those who have it open.
type happened struct {
	Kind    string  `json:"kind"`
	Message *letter `json:"message,omitempty"`
	User    string  `json:"user,omitempty"`
	Seq     int64   `json:"seq,omitempty"`
	On      bool    `json:"on,omitempty"`
}

// rooms are those of conversations and inboxes, and who is in them.
type rooms struct {
	talks   *live.Hub[happened] // of conversations
	inboxes *live.Hub[ring]     // of users: something in the inbox has changed

	mu   sync.Mutex
	here map[string]map[string]int // windows by conversation and user; values are above 0
}

func newRooms() (*rooms, error) {
	talks, err := live.New[happened](nil) // several processes would need a live/redisstream backplane
	if err != nil {
		return nil, err
	}
	inboxes, err := newHub()
	return &rooms{talks: talks, inboxes: inboxes, here: map[string]map[string]int{}}, err
}

func (r *rooms) close() {
	r.talks.Close()
	r.inboxes.Close()
}

// count adds a window that has a conversation open, or with -1 removes it. It reports
// whether the user came or went by that.
func (r *rooms) count(in message.In, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	users := r.here[in.Conversation]
	if users == nil {
		users = map[string]int{}
		r.here[in.Conversation] = users
	}
	before := users[in.User]
	if users[in.User] += n; users[in.User] == 0 {
		delete(users, in.User)
	}
	if len(users) == 0 {
		delete(r.here, in.Conversation)
	}
	return before == 0 || before+n == 0
}

// present are the users who have a conversation open, by this process alone.
func (r *rooms) present(conversation string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.here[conversation]))
}

// present tells a conversation that the user opened it, or with -1 closed it, in a window.
func (s *service) present(ctx context.Context, in message.In, n int) {
	if s.rooms.count(in, n) {
		s.tell(ctx, in.Conversation, happened{Kind: presentEvent})
	}
}

// tell tells who has the conversation open.
func (s *service) tell(ctx context.Context, conversation string, h happened) {
	if err := s.rooms.talks.Publish(ctx, conversation, h); err != nil {
		s.log.Warn("a conversation was not told", "err", err)
	}
}

// tellMembers tells also the inboxes of all members. What it tells is stored: it does
// not stop if the client that stored it goes.
func (s *service) tellMembers(ctx context.Context, in message.In, h happened) {
	ctx = context.WithoutCancel(ctx)
	s.tell(ctx, in.Conversation, h)
	members, err := s.messages.Members(ctx, in)
	if err != nil {
		s.log.Warn("inboxes were not told", "err", err)
		return
	}
	s.tellInboxes(ctx, members...)
}

func (s *service) tellInboxes(ctx context.Context, users ...string) {
	for _, user := range users {
		if err := s.rooms.inboxes.Publish(ctx, user, ring{}); err != nil {
			s.log.Warn("an inbox was not told", "err", err)
		}
	}
}
