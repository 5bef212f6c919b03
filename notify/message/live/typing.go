package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
)

const (
	maxTypists = 8       // users whom a hub shows typing in a conversation at a time
	maxTyping  = 1 << 16 // conversations whose typists a hub remembers
)

// Typing shows the viewers of a conversation that the user is typing, for twice
// Options.TypingEvery. Call it for each keystroke or every few seconds. shown is false
// if this hub showed it within TypingEvery, or shows eight others in the conversation.
// A user who is not a member is message.ErrNotMember; if one of a pair has blocked the
// other, the error is message.ErrBlocked. A late or slow viewer does not get Typing
// that is over.
//
// Cost: as Store.Access and live.Backplane.Publish; none where shown is false without an
// error.
func (h *Hub) Typing(ctx context.Context, in message.In) (shown bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message/live.Hub.Typing")
	if err := checkConversation(in.Conversation); err != nil {
		return false, err
	}
	if err := keys.CheckName("User", in.User); err != nil {
		return false, err
	}
	giveBack, ok := h.typists.take(in)
	if !ok {
		return false, nil
	}
	err = h.typing(ctx, in)
	switch {
	case errors.Is(err, plaza.ErrForbidden):
		h.typists.refuse(in)
	case err != nil:
		giveBack()
	}
	return err == nil, err
}

func (h *Hub) typing(ctx context.Context, in message.In) error {
	access, err := h.store.Access(ctx, in)
	switch {
	case err != nil:
		return err
	case access.Left:
		err = message.ErrNotMember
	case access.Blocked:
		err = message.ErrBlocked
	}
	if err == nil {
		now := time.Now().UTC()
		e := Event{Kind: Typing, Conversation: in.Conversation, User: in.User, At: now, Until: now.Add(2 * h.typists.every)}
		var payload []byte
		if payload, err = json.Marshal(e); err == nil {
			err = h.plane.Publish(ctx, roomOf(conversationRooms, in.Conversation), payload)
		}
	}
	if err != nil {
		return fmt.Errorf("live: typing in %q: %w", in.Conversation, err)
	}
	return nil
}

// typists remembers who is typing in each conversation. It keeps hashes, since
// strangers may pass long names.
type typists struct {
	every time.Duration
	seed  maphash.Seed

	mu sync.Mutex
	by *simplelru.LRU[uint64, []typist]
}

type typist struct {
	user  uint64
	shown time.Time
}

func newTypists(every time.Duration) (*typists, error) {
	by, err := simplelru.NewLRU[uint64, []typist](maxTyping, nil)
	return &typists{every: every, seed: maphash.MakeSeed(), by: by}, err
}

// take counts a user as shown, unless the user was shown less than every ago or eight
// others are.
func (t *typists) take(in message.In) (giveBack func(), ok bool) {
	conversation, user := maphash.String(t.seed, in.Conversation), maphash.String(t.seed, in.User)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if refused, ok := t.by.Get(conversation ^ bits.RotateLeft64(user, 1)); ok && now.Sub(refused[0].shown) < t.every {
		return nil, false
	}
	shown, _ := t.by.Get(conversation)
	shown = slices.DeleteFunc(shown, func(o typist) bool { return now.Sub(o.shown) >= t.every })
	if len(shown) >= maxTypists || slices.ContainsFunc(shown, func(o typist) bool { return o.user == user }) {
		t.by.Add(conversation, shown)
		return nil, false
	}
	t.by.Add(conversation, append(shown, typist{user, now}))
	return func() { t.remove(conversation, user) }, true
}

// refuse lets a stranger ask the store once in a while. It takes the place that take gave
// away: eight strangers would keep the members from typing.
func (t *typists) refuse(in message.In) {
	conversation, user := maphash.String(t.seed, in.Conversation), maphash.String(t.seed, in.User)
	t.remove(conversation, user)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.by.Add(conversation^bits.RotateLeft64(user, 1), []typist{{user, time.Now()}})
}

func (t *typists) remove(conversation, user uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if shown, ok := t.by.Get(conversation); ok {
		t.by.Add(conversation, slices.DeleteFunc(shown, func(o typist) bool { return o.user == user }))
	}
}
