package message

import (
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// MaxMembers is how many members a group may have. For more, use a feed.
const MaxMembers = 100

// Pair is two users. If only one of them acts, as in Block, it is User.
type Pair struct {
	User  string `json:"user"`
	Other string `json:"other"`
}

// Conversation returns the name of the pair's conversation. It is the same for both
// users.
func (p Pair) Conversation() string {
	return keys.Join(min(p.User, p.Other), max(p.User, p.Other))
}

// Group is a conversation of up to MaxMembers.
type Group struct {
	ID      string   `json:"id"` // the conversation's name, chosen by you; without # and \
	Members []string `json:"members"`
}

// In is a user in a conversation.
type In struct {
	Conversation string `json:"conversation"`
	User         string `json:"user"`
}

// pair returns the two users of a pair's conversation, the user first.
func (in In) pair() (Pair, bool) {
	parts := keys.Split(in.Conversation)
	if len(parts) != 2 {
		return Pair{}, false
	}
	if parts[1] == in.User {
		parts[0], parts[1] = parts[1], parts[0]
	}
	return Pair{parts[0], parts[1]}, true
}

// check refuses a name that is neither a pair's nor a group's, and a pair without the
// user. Errors call the user field.
func (in In) check(field string) error {
	if err := keys.CheckName(field, in.User); err != nil {
		return err
	}
	p, isPair := in.pair()
	if !isPair {
		return checkGroupID("Conversation", in.Conversation)
	}
	if p.Conversation() != in.Conversation {
		return &plaza.InvalidError{Field: "Conversation", Reason: "is not the name of a conversation"}
	}
	if err := p.check(); err != nil {
		return err
	}
	if p.User != in.User {
		return ErrNotMember
	}
	return nil
}

func (p Pair) check() error {
	if err := keys.CheckName("User", p.User); err != nil {
		return err
	}
	if err := keys.CheckName("Other", p.Other); err != nil {
		return err
	}
	if p.User == p.Other {
		return &plaza.InvalidError{Field: "Other", Reason: "is the same as User"}
	}
	return checkLength("Other", p.Conversation())
}

func checkGroupID(field, id string) error {
	if err := keys.CheckName(field, id); err != nil {
		return err
	}
	if strings.ContainsAny(id, `#\`) {
		return &plaza.InvalidError{Field: field, Reason: `has # or \`}
	}
	return nil
}

// checkLength refuses a conversation whose name is too long for a sort key.
func checkLength(field, conversation string) error {
	return args.Count(field, len(conversation), "bytes in the conversation's name", maxConversation)
}
