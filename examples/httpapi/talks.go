package main

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
)

// The kinds of talk.
const (
	messageTalk  = "message"  // was sent or edited
	recalledTalk = "recalled" // the message with the Seq
	readTalk     = "read"     // the User has read up to the Seq
	typingTalk   = "typing"   // the User is writing, or has stopped
	membersTalk  = "members"  // somebody came or went
	presentTalk  = "present"  // somebody opened or closed the conversation
)

// talk is what happens in a conversation, for those who have it open.
type talk struct {
	Kind    string  `json:"kind"`
	Message *letter `json:"message,omitempty"`
	User    string  `json:"user,omitempty"`
	Seq     int64   `json:"seq,omitempty"`
	On      bool    `json:"on,omitempty"`
}

// talks are the rooms of conversations and inboxes, and who is in them.
type talks struct {
	rooms   *live.Hub[talk] // of conversations
	inboxes *live.Hub[ring] // of users: something in the inbox has changed

	mu   sync.Mutex
	here map[string]map[string]int // windows by conversation and user; values are above 0
}

func newTalks() (*talks, error) {
	rooms, err := live.New[talk](nil) // several processes would need a live/redisstream backplane
	if err != nil {
		return nil, err
	}
	inboxes, err := newHub()
	return &talks{rooms: rooms, inboxes: inboxes, here: map[string]map[string]int{}}, err
}

func (t *talks) close() {
	t.rooms.Close()
	t.inboxes.Close()
}

// count adds a window that has a conversation open, or with -1 removes it. It reports
// whether the user came or went by that.
func (t *talks) count(in message.In, n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	users := t.here[in.Conversation]
	if users == nil {
		users = map[string]int{}
		t.here[in.Conversation] = users
	}
	before := users[in.User]
	if users[in.User] += n; users[in.User] == 0 {
		delete(users, in.User)
	}
	if len(users) == 0 {
		delete(t.here, in.Conversation)
	}
	return before == 0 || before+n == 0
}

// present are the users who have a conversation open, by this process alone.
func (t *talks) present(conversation string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.here[conversation]))
}

// present tells a conversation that the user opened it, or with -1 closed it, in a window.
func (s *service) present(ctx context.Context, in message.In, n int) {
	if s.talks.count(in, n) {
		s.tell(ctx, in.Conversation, talk{Kind: presentTalk})
	}
}

// tell tells who has the conversation open.
func (s *service) tell(ctx context.Context, conversation string, t talk) {
	if err := s.talks.rooms.Publish(ctx, conversation, t); err != nil {
		s.log.Warn("a conversation was not told", "err", err)
	}
}

// tellMembers tells also the inboxes of all members. What it tells is stored: it does
// not stop if the client that stored it goes.
func (s *service) tellMembers(ctx context.Context, in message.In, t talk) {
	ctx = context.WithoutCancel(ctx)
	s.tell(ctx, in.Conversation, t)
	members, err := s.messages.Members(ctx, in)
	if err != nil {
		s.log.Warn("inboxes were not told", "err", err)
		return
	}
	s.tellInboxes(ctx, members...)
}

func (s *service) tellInboxes(ctx context.Context, users ...string) {
	for _, user := range users {
		if err := s.talks.inboxes.Publish(ctx, user, ring{}); err != nil {
			s.log.Warn("an inbox was not told", "err", err)
		}
	}
}
