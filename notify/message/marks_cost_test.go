package message_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify/message"
)

func TestListsAndMarksCostWhatIsStated(t *testing.T) {
	t.Parallel()
	type cost = dynamotest.Cost
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	w := quiet.process(t, &message.Options{}, meter.Wrap)
	consistent := quiet.process(t, nil, meter.Wrap)
	p := message.Pair{User: "ann-567890123456", Other: "ben-567890123456"}
	l := quiet.lay(t, p.Conversation(), 0, p.User, p.Other)
	l.send(t, 60)
	g := quiet.lay(t, "a group of 10", 0, "ann-567890123456", "2", "3", "4", "5", "6", "7", "8", "9", "10")
	g.send(t, 60)
	for n := range 18 {
		name := message.Pair{User: p.User, Other: fmt.Sprintf("other-%011d", n)}.Conversation()
		quiet.lay(t, name, 0, p.User).send(t, 1)
	}
	ann, ben := message.In{Conversation: l.name, User: p.User}, message.In{Conversation: l.name, User: p.Other}
	member := message.In{Conversation: g.name, User: p.User}
	var page cursor.Page[message.Message]
	history := func(c func() cursor.Cursor) func() error {
		return func() (err error) {
			page, err = w.History(t.Context(), ann, cursor.PageRequest{Limit: 20, Cursor: c()})
			return err
		}
	}
	inbox := func(w world) func() error {
		return func() error {
			_, err := w.Inbox(t.Context(), p.User, cursor.PageRequest{Limit: 20})
			return err
		}
	}
	unread := func(w world) func() error {
		return func() error { _, err := w.Unread(t.Context(), p.User); return err }
	}
	receipts := func(in message.In) func() error {
		return func() error { _, err := w.Receipts(t.Context(), in); return err }
	}
	read := func(in message.In, upTo int64) func() error {
		return func() error { return errOf(w.MarkRead(t.Context(), in, upTo)) }
	}
	clear := func() error { return errOf(w.Clear(t.Context(), ben)) }
	lag := func() { l.entry(t, p.Other, attributes{"lastSeq": 3, "read": 3}) }
	var newest cursor.Cursor
	for _, c := range []struct {
		name   string
		want   cost
		call   func() error
		before func()
	}{
		{name: "history", want: cost{Requests: 2, Read: 3}, call: history(func() cursor.Cursor { return "" })},
		{name: "its second page", want: cost{Requests: 2, Read: 2}, call: history(func() cursor.Cursor { newest = page.Prev; return page.Next })},
		{name: "on the way up, nothing new", want: cost{Requests: 1, Read: 2}, call: history(func() cursor.Cursor { return newest })},
		{name: "a history of 8 KB", want: cost{Requests: 2, Read: 4}, before: func() {
			for seq := range int64(5) {
				pk, sk := messageAt(l.name, 60-seq)
				quiet.damage(t, pk, sk, attributes{"text": strings.Repeat("x", 1000)})
			}
		}, call: history(func() cursor.Cursor { return "" })},
		{name: "inbox", want: cost{Requests: 2, Read: 0.5 + 20*0.5}, call: inbox(w)},
		{name: "inbox, consistent", want: cost{Requests: 2, Read: 1 + 20}, call: inbox(consistent)},
		{name: "unread", want: cost{Requests: 1, Read: 0.5}, call: unread(w)},
		{name: "unread, consistent", want: cost{Requests: 1, Read: 1}, call: unread(consistent)},
		{name: "receipts of a pair", want: cost{Requests: 1, Read: 2}, call: receipts(ben)},
		{name: "receipts of ten", want: cost{Requests: 2, Read: 1 + 10}, call: receipts(member)},
		{name: "read", want: cost{Requests: 1, Write: 2}, call: read(ben, 30)},
		{name: "read again", want: cost{Requests: 1, Write: 1}, call: read(ben, 30)},
		{name: "read where the entry lags", want: cost{Requests: 3, Read: 2, Write: 3}, before: lag, call: read(ben, 30)},
		{name: "clear", want: cost{Requests: 2, Read: 2, Write: 2}, call: clear},
		{name: "clear again", want: cost{Requests: 1, Read: 2}, call: clear},
	} {
		if c.before != nil {
			c.before()
		}
		meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(), c.name) })
	}
}
