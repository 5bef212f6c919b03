package message

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to a conversation.
type ChangeKind string

// The kinds of changes of a message.
const (
	Sent      ChangeKind = "sent"
	Edited    ChangeKind = "edited"
	Recalled  ChangeKind = "recalled"
	Reacted   ChangeKind = "reacted" // User has a Reaction to the Message, or another one
	Unreacted ChangeKind = "unreacted"
	Erased    ChangeKind = "erased" // its sender was erased; without a Message, a user's entry in a conversation was
)

// The kinds of changes of members, and of what they have read.
const (
	Created   ChangeKind = "created"   // a group; each member also has a Joined
	Described ChangeKind = "described" // a group got another name or picture
	Owned     ChangeKind = "owned"     // User owns the group from now on
	Joined    ChangeKind = "joined"
	Left      ChangeKind = "left"
	Read      ChangeKind = "read"   // also by sending a message
	Unread    ChangeKind = "unread" // marked unread from Seq on
	Cleared   ChangeKind = "cleared"
	Muted     ChangeKind = "muted"
	Unmuted   ChangeKind = "unmuted"
	Blocked   ChangeKind = "blocked" // User blocked the other one of a pair
	Unblocked ChangeKind = "unblocked"
)

// Change is what a write did to a conversation.
type Change struct {
	Kind         ChangeKind `json:"kind"`
	Conversation string     `json:"conversation"`
	User         string     `json:"user,omitzero"` // the sender, or the user that the change is about; empty for Created

	// Message is the message that was Sent, Edited, Reacted or Unreacted. For Recalled and Erased it is the
	// message as it was before.
	Message Message `json:"message,omitzero"`

	// Seq is the number up to which the user has Read, or from which on it is marked Unread.
	// For Cleared, Joined and Left it is the number of the last message at that time.
	// Receipts returns the same number, except for Left and Unread.
	Seq int64 `json:"seq,omitzero"`

	Reaction string `json:"reaction,omitzero"` // the kind that was Reacted or Unreacted

	Members     []string  `json:"members,omitempty"` // of a group that was Created
	Description           // of a group that was Described
	At          time.Time `json:"at"` // of the write, in whole seconds
}

// Changes reads what a write to the table did to a conversation. A write that is only bookkeeping
// has no changes. The table's stream needs new and old images: without them the error is
// stream.ErrView or stream.ErrTruncated. A damaged item is plaza.ErrCorrupt.
//
// A stream may deliver a record twice. Conversation and Seq identify a message.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	var changes []Change
	if err == nil {
		switch begin := keys.Split(i.Key.PK)[0]; {
		case begin == users:
			changes, err = entryChanges(i)
		case begin != conversations:
		case i.Key.SK == headSK:
			changes, err = headChanges(i)
		case i.Key.SK == membersSK:
			changes, err = membersChanges(i)
		default:
			changes, err = messageChanges(i)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("message: changes: %w", err)
	}
	for at := range changes {
		changes[at].At = i.At
	}
	return changes, nil
}

func messageChanges(i images.Images) ([]Change, error) {
	before, after, err := images.Read[item](i)
	if err != nil {
		return nil, err
	}
	conversation, _, ok := parseMessageKey(i.Key)
	if !ok {
		return nil, i.Corrupt("no message has its key")
	}
	change := func(kind ChangeKind, of *item) []Change {
		return []Change{{Kind: kind, Conversation: conversation, User: of.Sender, Message: of.message(conversation)}}
	}
	switch {
	case before == nil && after.lives():
		return change(Sent, after), nil
	case before == nil, before.Sender == "":
		return nil, nil
	case after == nil || after.Sender == "":
		return change(Erased, before), nil
	case before.lives() && !after.lives():
		return change(Recalled, before), nil
	case after.lives() && (before.Text != after.Text || before.Data != after.Data):
		return change(Edited, after), nil
	case after.lives():
		return reactionChanges(before, after, after.message(conversation)), nil
	}
	return nil, nil
}

// reactionChanges are those of one write, which is about one user.
func reactionChanges(before, after *item, m Message) (changes []Change) {
	users := map[string]string{}
	maps.Copy(users, before.Reactions)
	maps.Copy(users, after.Reactions)
	for _, user := range slices.Sorted(maps.Keys(users)) {
		_, was := parseReaction(before.Reactions[user])
		_, is := parseReaction(after.Reactions[user])
		c := Change{Kind: Reacted, Conversation: m.Conversation, User: user, Message: m, Reaction: is}
		if is == "" {
			c.Kind, c.Reaction = Unreacted, was
		}
		if is != was {
			changes = append(changes, c)
		}
	}
	return changes
}

func (i *item) lives() bool { return i != nil && i.Recalled == 0 }

func entryChanges(i images.Images) (changes []Change, err error) {
	before, after, err := images.Read[entry](i)
	if err != nil || before == nil && after == nil {
		return nil, err
	}
	in, _ := parseEntryKey(i.Key) // one of them was decoded
	add := func(kind ChangeKind, seq int64) {
		changes = append(changes, Change{Kind: kind, Conversation: in.Conversation, User: in.User, Seq: seq})
	}
	if after == nil {
		add(Erased, 0)
		return changes, nil
	}
	_, isPair := in.pair()
	was, is := !isPair && before.joined(), !isPair && after.joined()
	if before == nil {
		before = new(entry)
	}
	switch {
	case is && !was:
		add(Joined, after.readUpTo())
		return changes, nil
	case was && !is:
		add(Left, *after.Till)
	case after.From > before.From:
		add(Cleared, after.From)
	}
	read := after.Read > before.Read && after.Read > after.From
	if read || before.unreadFrom() > after.From && after.Unread == 0 {
		add(Read, after.readUpTo())
	}
	if after.Unread != before.Unread && after.unreadFrom() > 0 {
		add(Unread, after.Unread)
	}
	if after.Muted && !before.Muted {
		add(Muted, 0)
	}
	if before.Muted && !after.Muted {
		add(Unmuted, 0)
	}
	return changes, nil
}

// joined reports whether a group's entry is that of a member.
func (e *entry) joined() bool { return e != nil && e.Till == nil }

func headChanges(i images.Images) (changes []Change, err error) {
	before, after, err := images.Read[head](i)
	if err != nil {
		return nil, err
	}
	conversation, ok := parseConversationPK(i.Key.PK)
	if !ok {
		return nil, i.Corrupt("no conversation has its key")
	}
	was, is := before.blockers(), after.blockers()
	for _, user := range is {
		if !slices.Contains(was, user) {
			changes = append(changes, Change{Kind: Blocked, Conversation: conversation, User: user})
		}
	}
	for _, user := range was {
		if !slices.Contains(is, user) {
			changes = append(changes, Change{Kind: Unblocked, Conversation: conversation, User: user})
		}
	}
	return changes, nil
}

func (h *head) blockers() []string {
	if h == nil {
		return nil
	}
	return slices.Sorted(slices.Values(h.Blocked))
}

func membersChanges(i images.Images) (changes []Change, err error) {
	before, after, err := images.Read[roster](i)
	if err != nil {
		return nil, err
	}
	conversation, ok := parseConversationPK(i.Key.PK)
	switch {
	case !ok:
		return nil, i.Corrupt("no group has its key")
	case after == nil:
		return nil, nil
	case before != nil:
		was, is := before.known(0), after.known(0)
		if was.name != is.name || was.picture != is.picture {
			changes = append(changes, Change{Kind: Described, Conversation: conversation, Description: Description{is.name, is.picture}})
		}
		if owner := is.owns(); owner != "" && owner != was.owns() {
			changes = append(changes, Change{Kind: Owned, Conversation: conversation, User: owner})
		}
		return changes, nil
	}
	members := slices.Concat(after.Members, after.Pending)
	slices.Sort(members)
	return []Change{{Kind: Created, Conversation: conversation, Members: members}}, nil
}
