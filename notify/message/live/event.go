package live

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Kind says what happened.
type Kind string

// The kinds of what all who watch a conversation are shown. The first three are shown in
// the inbox of each member too, the next three in that of the User.
const (
	Sent     Kind = "sent"
	Edited   Kind = "edited"
	Recalled Kind = "recalled"
	Read     Kind = "read"   // the User has read up to Seq
	Joined   Kind = "joined" // the User became a member
	Left     Kind = "left"   // the User is no member any more
	Typing   Kind = "typing" // the User is typing; only Hub.Typing publishes it
)

// The kinds of what only the User is shown: Cleared in the conversation and the inbox, the
// others in the inbox.
const (
	Cleared   Kind = "cleared"   // the User has hidden what was sent up to Seq
	Blocked   Kind = "blocked"   // the User has blocked the other one of a pair
	Unblocked Kind = "unblocked" // the User has taken that back
)

// Event is something that happened in a conversation.
type Event struct {
	Kind         Kind   `json:"kind"`
	Conversation string `json:"conversation"`
	User         string `json:"user"` // who did it, or to whom it happened

	// Message comes with Sent and Edited. An inbox has it without Data, and with the
	// first 200 runes of its Text.
	Message *message.Message `json:"message,omitempty"`

	// Seq is the number of the message that was sent, edited or recalled, or up to
	// which the User has read or cleared.
	Seq int64 `json:"seq,omitzero"`

	// At is when it happened. Publish sets it where it is zero.
	At time.Time `json:"at"`

	// Until comes with Typing, which ends then, or with the next message of the User. It
	// is a time of the process that published it.
	Until time.Time `json:"until,omitzero"`
}

// Said is the event of a message as Send or Edit returned it. That may be Recalled: the
// answer to a repeat is what became of the message since.
func Said(m message.Message) Event {
	e := Event{Kind: Sent, Conversation: m.Conversation, User: m.Sender, Seq: m.Seq, At: m.ID.Time()}
	switch {
	case !m.Recalled.IsZero():
		e.Kind, e.At = Recalled, m.Recalled
		return e
	case !m.Edited.IsZero():
		e.Kind, e.At = Edited, m.Edited
	}
	e.Message = &m
	return e
}

// OfChange is the event of a change that a consumer of the table's stream reads. Ok is
// false where nobody is shown it: members of a group that was created have joined beside.
func OfChange(c message.Change) (e Event, ok bool) {
	e = Event{Conversation: c.Conversation, User: c.User, Seq: c.Seq, At: c.At}
	switch c.Kind {
	case message.Sent, message.Edited:
		return Said(c.Message), true
	case message.Recalled, message.Erased:
		e.Kind, e.Seq = Recalled, c.Message.Seq
		return e, e.Seq > 0
	case message.Read, message.Cleared:
		e.Kind = Kind(c.Kind)
		return e, true
	case message.Joined, message.Left, message.Blocked, message.Unblocked:
		e.Kind, e.Seq = Kind(c.Kind), 0
		return e, true
	}
	return Event{}, false
}

// validate sets what Publish may leave out, and refuses an event of the wrong shape.
func (e *Event) validate() error {
	said, numbered := false, false
	switch e.Kind {
	case Sent, Edited:
		said, numbered = true, true
	case Recalled, Read, Cleared:
		numbered = true
	case Joined, Left, Blocked, Unblocked:
	default:
		return &plaza.InvalidError{Field: "Kind", Reason: fmt.Sprintf("is %q", e.Kind)}
	}
	if err := checkConversation(e.Conversation); err != nil {
		return err
	}
	if err := keys.CheckName("User", e.User); err != nil {
		return err
	}
	if said != (e.Message != nil) {
		return &plaza.InvalidError{Field: "Message", Reason: "comes with Sent and Edited, and with nothing else"}
	}
	if said {
		if e.Message.Conversation != e.Conversation || e.Message.Sender != e.User {
			return &plaza.InvalidError{Field: "Message", Reason: "is of another conversation or sender"}
		}
		e.Seq = e.Message.Seq
	}
	if numbered != (e.Seq > 0) {
		return &plaza.InvalidError{Field: "Seq", Reason: fmt.Sprintf("is %d with %q", e.Seq, e.Kind)}
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.At, e.Until = e.At.UTC(), time.Time{}
	return nil
}

// checkConversation refuses what no conversation is called, so that no name is long.
func checkConversation(name string) error {
	const longest = 2*2*keys.MaxName + 1 // a pair of names that are escaped throughout
	switch {
	case name == "":
		return &plaza.InvalidError{Field: "Conversation", Reason: "is empty"}
	case len(name) > longest:
		return &plaza.InvalidError{Field: "Conversation", Reason: fmt.Sprintf("is %d bytes long", len(name))}
	case !utf8.ValidString(name):
		return &plaza.InvalidError{Field: "Conversation", Reason: "is not UTF-8"}
	}
	return nil
}

// preview is e as inboxes show it.
func (e Event) preview() Event {
	if e.Message == nil {
		return e
	}
	m := *e.Message
	m.Data = nil
	runes := 0
	for i := range m.Text {
		if runes++; runes > previewRunes {
			m.Text = m.Text[:i]
			break
		}
	}
	e.Message = &m
	return e
}

const previewRunes = 200

// encode panics if an event cannot be written. Every event that was read can be written.
func encode(events []Event) []byte {
	data, err := json.Marshal(events)
	if err != nil {
		panic(err)
	}
	return data
}
