package live

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Kind says what happened.
type Kind string

// These kinds are shown to everybody who watches the conversation. Sent, Edited and
// Recalled are also shown in each member's inbox; Read, Joined and Left in the User's.
const (
	Sent     Kind = "sent"
	Edited   Kind = "edited"
	Recalled Kind = "recalled"
	Read     Kind = "read"   // the User has read up to Seq
	Joined   Kind = "joined" // the User became a member
	Left     Kind = "left"   // the User is no member any more
	Typing   Kind = "typing" // the User is typing; only Hub.Typing publishes it
)

// These kinds are shown to the User only: Cleared in the conversation and the inbox,
// the others in the inbox.
const (
	Cleared   Kind = "cleared"   // the User has hidden the messages up to Seq
	Blocked   Kind = "blocked"   // the User has blocked the other user of a pair
	Unblocked Kind = "unblocked" // the User has ended the block
)

// Event is something that happened in a conversation.
type Event struct {
	Kind         Kind   `json:"kind"`
	Conversation string `json:"conversation"`
	User         string `json:"user"` // the user who did it or whom it concerns

	// Message is set for Sent and Edited. In an inbox it has no Data and Reactions, and only the
	// first 200 runes of its Text.
	Message *message.Message `json:"message,omitempty"`

	// Seq is the number of the message that was sent, edited or recalled, or the number
	// up to which the User has read or cleared.
	Seq int64 `json:"seq,omitzero"`

	// At is when it happened. If it is zero, Publish sets it.
	At time.Time `json:"at"`

	// Until is when a Typing ends, unless a message of the User ends it earlier. It is by
	// the clock of the process that published it.
	Until time.Time `json:"until,omitzero"`
}

// Said returns the event for a message that Send or Edit returned. After a repeat of
// Send it may be an Edited or Recalled event.
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

// OfChange returns the event for a change that a consumer of the table's stream reads.
// ok is false for a change that is not shown: Created, whose members also have Joined, Reacted,
// Muted and the like.
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
		return &plaza.InvalidError{Field: "Message", Reason: "is required for Sent and Edited, and must be nil otherwise"}
	}
	if said {
		if e.Message.Conversation != e.Conversation || e.Message.Sender != e.User {
			return &plaza.InvalidError{Field: "Message", Reason: "has another conversation or sender"}
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

// checkConversation bounds the length of a name.
func checkConversation(name string) error {
	const longest = 2*2*keys.MaxName + 1 // two names whose every byte is escaped
	switch {
	case name == "":
		return &plaza.InvalidError{Field: "Conversation", Reason: "is empty"}
	case !utf8.ValidString(name):
		return &plaza.InvalidError{Field: "Conversation", Reason: "is not UTF-8"}
	}
	return args.Count("Conversation", len(name), "bytes", longest)
}

// preview returns e as inboxes show it.
func (e Event) preview() Event {
	if e.Message == nil {
		return e
	}
	m := *e.Message
	m.Data, m.Reactions = nil, nil
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
