package live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

func TestSaidIsSentEditedOrRecalled(t *testing.T) {
	t.Parallel()
	m := said(pair, "ann", 3)
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	require.Equal(t, live.Event{Kind: live.Sent, Conversation: pair, User: "ann", Seq: 3, Message: &m, At: m.ID.Time()}, live.Said(m))
	m.Edited = at
	require.Equal(t, live.Event{Kind: live.Edited, Conversation: pair, User: "ann", Seq: 3, Message: &m, At: at}, live.Said(m))
	m.Recalled = at.Add(time.Hour)
	require.Equal(t, live.Event{Kind: live.Recalled, Conversation: pair, User: "ann", Seq: 3, At: m.Recalled}, live.Said(m))
}

func TestTheJSONOfEvents(t *testing.T) {
	t.Parallel()
	e := sent("x", "ann", 1)
	data, err := json.Marshal([]live.Event{e, did(live.Read, "x", "ben", 1)})
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"kind":"sent","conversation":"x","user":"ann","seq":1,"at":"2026-01-01T00:00:01Z",
		 "message":{"conversation":"x","sender":"ann","key":"key","text":"hello","seq":1,"id":"`+e.Message.ID.String()+`"}},
		{"kind":"read","conversation":"x","user":"ben","seq":1,"at":"0001-01-01T00:00:00Z"}]`, string(data))
	var got []live.Event
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, e, got[0])
}

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

func TestInvalidInputNamesItsField(t *testing.T) {
	t.Parallel()
	plane := newPlane(t)
	hub := newHub(t, newRoster(pair, "ann", "ben"), &live.Options{Backplane: plane})
	foreign := said(pair, "ann", 1)
	tooLong := strings.Repeat("x", 1026)
	cases := map[string]invalid{
		"no store":       {"store", failed(live.New(nil, nil))},
		"nobody's inbox": {"User", failed(hub.JoinInbox(t.Context(), "", ""))},
	}
	for field, in := range map[string]message.In{"Conversation": in(tooLong, "ann"), "User": in(pair, long+"#")} {
		cases["join: "+field] = invalid{field, failed(hub.Join(t.Context(), in, ""))}
		cases["typing: "+field] = invalid{field, failed(hub.Typing(t.Context(), in))}
	}
	for field, o := range map[string]live.Options{
		"Options.Every": {Every: -1}, "Options.PresentEvery": {PresentEvery: -1}, "Options.Batches": {Batches: -1}, "Options.Bytes": {Bytes: -1},
		"Options.TypingEvery": {TypingEvery: -1}, "Options.Recheck": {Recheck: -1},
	} {
		cases[field] = invalid{field, failed(live.New(newRoster(pair), &o))}
	}
	for i, c := range []struct {
		field string
		event live.Event
	}{
		{"Kind", did("", pair, "ann", 0)},
		{"Kind", did(live.Typing, pair, "ann", 0)}, // its rate would have no bound
		{"Conversation", did(live.Read, "", "ann", 1)},
		{"Conversation", did(live.Read, "\xff", "ann", 1)},
		{"Conversation", did(live.Read, tooLong, "ann", 1)},
		{"User", did(live.Read, pair, "", 1)},
		{"User", did(live.Read, pair, long+"#", 1)},
		{"Seq", did(live.Read, pair, "ann", 0)},
		{"Seq", did(live.Recalled, pair, "ann", -1)},
		{"Seq", did(live.Left, pair, "ann", 1)},
		{"Seq", live.Said(message.Message{Conversation: pair, Sender: "ann"})},
		{"Message", did(live.Sent, pair, "ann", 1)},
		{"Message", live.Event{Kind: live.Read, Conversation: pair, User: "ann", Seq: 1, Message: &foreign}},
		{"Message", live.Event{Kind: live.Sent, Conversation: "other", User: "ann", Message: &foreign}},
		{"Message", live.Event{Kind: live.Sent, Conversation: pair, User: "ben", Message: &foreign}},
	} {
		cases[fmt.Sprint("event ", i)] = invalid{c.field, hub.Publish(t.Context(), c.event)}
	}
	callstest.RequireInvalid(t, cases)
	published, _ := plane.took()
	require.Empty(t, published)
}

// Bytes from another process are decoded or counted as lost. They never end a room.
func FuzzEvents(f *testing.F) {
	e, err := json.Marshal(sent(pair, "ann", 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(e)
	f.Add([]byte(`{"kind":"typing","until":"9999-12-31T23:59:59Z"}`))
	f.Add([]byte(`{"message":{"data":null},"seq":-1}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		if len(payload) == 0 {
			return
		}
		plane := newPlane(t)
		hub := newHub(t, newRoster(pair, "ann"), &live.Options{Backplane: plane, Every: time.Nanosecond})
		v := join(t, hub, in(pair, "ann"), "")
		_, subscribed := plane.took()
		require.NoError(t, plane.Publish(t.Context(), subscribed[0], payload))
		publish(t, hub, did(live.Read, pair, "ann", 1))
		for {
			if b := next(t, v); len(b.Events) > 0 && b.Events[len(b.Events)-1].Kind == live.Read {
				return
			}
		}
	})
}
