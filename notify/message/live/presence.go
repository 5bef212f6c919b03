package live

import (
	"slices"
	"sync"

	"github.com/plaza-sdk/plaza/notify/message"
)

// presence counts the viewers of each user in each conversation.
type presence struct {
	mu sync.Mutex
	by map[string][]watcher // by conversation
}

// watcher is a user with one or more viewers of a conversation.
type watcher struct {
	user    string
	viewers int
}

func find(in []watcher, user string) int {
	return slices.IndexFunc(in, func(w watcher) bool { return w.user == user })
}

func (p *presence) enter(in message.In) {
	p.mu.Lock()
	defer p.mu.Unlock()
	watching := p.by[in.Conversation]
	if i := find(watching, in.User); i >= 0 {
		watching[i].viewers++
		return
	}
	p.by[in.Conversation] = append(watching, watcher{in.User, 1})
}

func (p *presence) leave(in message.In) {
	p.mu.Lock()
	defer p.mu.Unlock()
	watching := p.by[in.Conversation]
	i := find(watching, in.User)
	if watching[i].viewers--; watching[i].viewers > 0 {
		return
	}
	if watching = slices.Delete(watching, i, i+1); len(watching) == 0 {
		delete(p.by, in.Conversation)
		return
	}
	p.by[in.Conversation] = watching
}

// Present returns the users who watch a conversation through this hub, sorted, at most
// message.MaxMembers. It does not know the viewers of other processes. It does not
// check who asks: show the result to members only.
func (h *Hub) Present(conversation string) []string {
	p := &h.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	watching := p.by[conversation]
	users := make([]string, len(watching))
	for i, w := range watching {
		users[i] = w.user
	}
	slices.Sort(users)
	return users[:min(len(users), message.MaxMembers)]
}
