package message_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	ctx := t.Context()
	send := func(change func(*message.Message)) error {
		m := message.Message{Conversation: pair, Sender: "ann", Key: "k", Text: "text"}
		change(&m)
		return failed(w.Send(ctx, m))
	}
	create := func(id string, members ...string) error {
		return failed(w.Create(ctx, message.Group{ID: id, Members: members}, "ann"))
	}
	_, noLimiter := message.New(dynamotest.DB(t), w.table, w.clock, &message.Options{Limiter: ratelimit.Unlimited{}, SharedRate: true})
	kinds := func(kinds ...string) error {
		return failed(message.New(dynamotest.DB(t), w.table, w.clock, &message.Options{Reactions: kinds}))
	}
	cases := map[string]invalid{
		"an empty kind": {"Options.Reactions[0]", kinds("")},
		"a kind twice":  {"Options.Reactions[1]", kinds("like", "like")},
		"a long kind":   {"Options.Reactions", kinds(strings.Repeat("k", 65))},
		"17 kinds":      {"Options.Reactions", kinds(crowd(17)...)},

		"no key":           {"Key", send(func(m *message.Message) { m.Key = "" })},
		"a long key":       {"Key", send(func(m *message.Message) { m.Key = strings.Repeat("k", 257) })},
		"nothing said":     {"Text", send(func(m *message.Message) { m.Text = "" })},
		"a broken text":    {"Text", send(func(m *message.Message) { m.Text = "\xff" })},
		"a long text":      {"Text", send(func(m *message.Message) { m.Text = strings.Repeat("é", 4_001) })},
		"no JSON":          {"Data", send(func(m *message.Message) { m.Data = json.RawMessage("{") })},
		"half a surrogate": {"Data", send(func(m *message.Message) { m.Data = json.RawMessage(`"\ud800"`) })},
		"large data":       {"Data", send(func(m *message.Message) { m.Data = json.RawMessage(`"` + strings.Repeat("a", 4_096) + `"`) })},
		"negative answer":  {"ReplyTo", send(func(m *message.Message) { m.ReplyTo = -1 })},

		"edit of no message":   {"Seq", failed(w.Edit(ctx, message.Message{Conversation: pair, Sender: "ann", Text: "text"}))},
		"recall of no message": {"seq", failed(w.Recall(ctx, of("ann", pair), 0))},
		"read up to none":      {"UpTo", failed(w.MarkRead(ctx, of("ann", pair), 0))},
		"read up to less":      {"UpTo", failed(w.MarkRead(ctx, of("ann", pair), -1))},
		"unread from none":     {"From", failed(w.MarkUnread(ctx, of("ann", pair), 0))},
		"nobody's inbox":       {"User", failed(w.Inbox(ctx, "", cursor.PageRequest{}))},
		"nobody's unread":      {"User", failed(w.Unread(ctx, ""))},
		"an undeclared kind":   {"Kind", failed(w.React(ctx, of("ann", pair), 1, "hate"))},
		"no kind":              {"Kind", failed(w.React(ctx, of("ann", pair), 1, ""))},
		"reaction to none":     {"seq", failed(w.React(ctx, of("ann", pair), 0, "like"))},
		"reaction of none":     {"seq", failed(w.Unreact(ctx, of("ann", pair), 0))},
		"two limiters":         {"Options.Limiter", noLimiter},

		"a group without id":     {"ID", create("", "ann")},
		"a group of a pair's id": {"ID", create(pair, "ann")},
		"an escaped id":          {"ID", create(`a\`, "ann")},
		"a long id":              {"ID", create(strings.Repeat("a", 257), "ann")},
		"no members":             {"Members", create("g")},
		"too many":               {"Members", create("g", crowd(101)...)},
		"no name":                {"Members[1]", create("g", "ann", "")},
		"one is twice":           {"Members[2]", create("g", "ann", "ben", "ann")},
		"created by nobody":      {"By", failed(w.Create(ctx, message.Group{ID: "g", Members: crowd(1)}, ""))},
		"added by nobody":        {"By", failed(w.Add(ctx, of("ann", "g"), ""))},
		"added to a pair":        {"Conversation", failed(w.Add(ctx, of("cleo", pair), "ann"))},
		"removed by nobody":      {"By", failed(w.Remove(ctx, of("ann", "g"), ""))},
		"removed from a pair":    {"Conversation", failed(w.Remove(ctx, of("ann", pair), "ann"))},
		"a long name":            {"Name", failed(w.Describe(ctx, of("ann", "g"), message.Description{Name: strings.Repeat("é", 129)}))},
		"a broken name":          {"Name", failed(w.Describe(ctx, of("ann", "g"), message.Description{Name: "\xff"}))},
		"a long picture":         {"Picture", failed(w.Describe(ctx, of("ann", "g"), message.Description{Picture: strings.Repeat("p", 1_025)}))},
		"a broken picture":       {"Picture", failed(w.Describe(ctx, of("ann", "g"), message.Description{Picture: "\xff"}))},
		"a described pair":       {"Conversation", failed(w.Describe(ctx, of("ann", pair), message.Description{}))},
		"owned by nobody":        {"To", failed(w.SetOwner(ctx, of("ann", "g"), ""))},
		"an owned pair":          {"Conversation", failed(w.SetOwner(ctx, of("ann", pair), "ben"))},
		"details of a pair":      {"Conversation", failed(w.Details(ctx, "ann", "g", pair))},
		"details for nobody":     {"User", failed(w.Details(ctx, "", "g"))},
		"who leaves a pair":      {"Conversation", failed(w.Leave(ctx, of("ann", pair)))},
	}
	for field, pairs := range map[string][]message.Pair{"User": {{Other: "ann"}}, "Other": {{User: "ann"}, {User: "ann", Other: "ann"}}} {
		for _, p := range pairs {
			cases[fmt.Sprint("block ", p)] = invalid{field, failed(w.Block(ctx, p))}
			cases[fmt.Sprint("unblock ", p)] = invalid{field, failed(w.Unblock(ctx, p))}
		}
	}
	calls := map[string]func(message.In) error{
		"Send": func(in message.In) error { return failed(w.Send(ctx, w.says(in.Conversation, in.User, "text"))) },
		"Edit": func(in message.In) error {
			return failed(w.Edit(ctx, message.Message{Conversation: in.Conversation, Sender: in.User, Seq: 1, Text: "text"}))
		},
		"Recall":     func(in message.In) error { return failed(w.Recall(ctx, in, 1)) },
		"History":    func(in message.In) error { return failed(w.History(ctx, in, cursor.PageRequest{})) },
		"Clear":      func(in message.In) error { return failed(w.Clear(ctx, in)) },
		"MarkRead":   func(in message.In) error { return failed(w.MarkRead(ctx, in, 1)) },
		"MarkUnread": func(in message.In) error { return failed(w.MarkUnread(ctx, in, 1)) },
		"Mute":       func(in message.In) error { return failed(w.Mute(ctx, in)) },
		"Unmute":     func(in message.In) error { return failed(w.Unmute(ctx, in)) },
		"React":      func(in message.In) error { return failed(w.React(ctx, in, 1, "like")) },
		"Unreact":    func(in message.In) error { return failed(w.Unreact(ctx, in, 1)) },
		"Receipts":   func(in message.In) error { return failed(w.Receipts(ctx, in)) },
		"Access":     func(in message.In) error { return failed(w.Access(ctx, in)) },
		"Members":    func(in message.In) error { return failed(w.Members(ctx, in)) },
		"Add":        func(in message.In) error { return failed(w.Add(ctx, in, "ann")) },
		"Leave":      func(in message.In) error { return failed(w.Leave(ctx, in)) },
	}
	for name, c := range map[string]struct {
		field string
		in    message.In
	}{
		"no user":              {"User", of("", "g")},
		"a broken user":        {"User", of("\xff", "g")},
		"no conversation":      {"Conversation", of("ann", "")},
		"three parts":          {"Conversation", of("a", "a#b#c")},
		"the wrong way round":  {"Conversation", of("a", "b#a")},
		"a needless escape":    {"Conversation", of("a", `\a#b`)},
		"a group with escapes": {"Conversation", of("a", `a\#b`)},
		"a pair with itself":   {"Other", of("a", "a#a")},
		"nobody and somebody":  {"Other", of("b", "#b")},
	} {
		for call, do := range calls {
			field := c.field
			switch {
			case field == "User" && (call == "Send" || call == "Edit"):
				field = "Sender"
			case field == "Other" && (call == "Add" || call == "Leave"): // they name a pair
				field = "Conversation"
			}
			cases[call+": "+name] = invalid{field, do(c.in)}
		}
	}
	callstest.RequireInvalid(t, cases)
	require.Zero(t, in.Requests())
}
