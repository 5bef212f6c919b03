package message_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/stream"
)

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
func list(s ...string) types.AttributeValue {
	l := &types.AttributeValueMemberL{}
	for _, one := range s {
		l.Value = append(l.Value, text(one))
	}
	return l
}
func texts(s ...string) types.AttributeValue {
	return &types.AttributeValueMemberSS{Value: s}
}

func textOf(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

type image = map[string]types.AttributeValue

// TestEachWriteReportsItsChanges has the usual images.
func TestChangesAreReadFromTheImages(t *testing.T) {
	t.Parallel()
	const id = "32SBCWQRR0001"
	at := func(pk, sk string, more image) image {
		item := image{"pk": text(pk), "sk": text(sk)}
		maps.Copy(item, more)
		return item
	}
	with := func(item image, more image) image {
		item = maps.Clone(item)
		maps.Copy(item, more)
		for name, value := range more {
			if value == nil {
				delete(item, name)
			}
		}
		return item
	}
	said := at("C#g#0", "0000000000000002", image{"id": text(id), "sender": text("ann"), "key": text("k"), "text": text("hi"), "replyTo": number("1")})
	recalled := with(said, image{"text": nil, "key": nil, "recalled": number("1")})
	erased := with(recalled, image{"sender": nil})
	entry := at("U#ann", "C#g", image{"lastSeq": number("5"), "read": number("2"), "from": number("1")})
	left := with(entry, image{"till": number("5")})
	pairEntry := at("U#ann", "C#ann#ben", image{"lastSeq": number("5"), "read": number("2")})
	head := at("C#ann#ben", "~", image{"n": number("5"), "blocked": texts("ann")})
	members := at("C#g", "M", image{"mver": number("1"), "members": list("ben", "ann"), "pending": texts("carl")})
	insert := func(item image) stream.Record { return stream.Record{Kind: stream.Insert, New: item} }
	modify := func(before, after image) stream.Record {
		return stream.Record{Kind: stream.Modify, Old: before, New: after}
	}
	remove := func(item image) stream.Record { return stream.Record{Kind: stream.Remove, Old: item} }
	for name, c := range map[string]struct {
		record stream.Record
		want   string
		err    error
	}{
		"its data is another":              {modify(said, with(said, image{"data": text("{}")})), "edited g ann", nil},
		"it was edited to what it was":     {modify(said, with(said, image{"edited": number("1")})), "", nil},
		"a recalled one changes":           {modify(recalled, with(recalled, image{"recalled": number("2")})), "", nil},
		"a recalled one is erased":         {modify(recalled, erased), "erased g ann", nil},
		"a message goes":                   {remove(said), "erased g ann", nil},
		"an erased one goes":               {remove(erased), "", nil},
		"a recalled one appears":           {insert(recalled), "", nil},
		"a message is damaged":             {insert(with(said, image{"id": nil})), "", plaza.ErrCorrupt},
		"it was damaged before":            {modify(with(said, image{"id": text("x")}), said), "", plaza.ErrCorrupt},
		"in another bucket":                {insert(with(said, image{"pk": text("C#g#1")})), "", plaza.ErrCorrupt},
		"of no conversation":               {insert(with(said, image{"pk": text("C#0")})), "", plaza.ErrCorrupt},
		"of three":                         {insert(with(said, image{"pk": text("C#a#b#c#0")})), "", plaza.ErrCorrupt},
		"an entry appears":                 {insert(entry), "joined g ann 2", nil},
		"a pair's entry appears":           {insert(pairEntry), "read ann#ben ann 2", nil},
		"a pair's entry, nothing read":     {insert(with(pairEntry, image{"read": number("0")})), "", nil},
		"a pair's entry, cleared":          {insert(with(pairEntry, image{"read": nil, "lastSeq": nil, "from": number("3")})), "cleared ann#ben ann 3", nil},
		"reads below what was cleared":     {modify(with(entry, image{"from": number("5")}), with(entry, image{"from": number("5"), "read": number("4")})), "", nil},
		"reads on past a mark":             {modify(with(entry, image{"unread": number("2")}), with(entry, image{"read": number("5")})), "read g ann 5", nil},
		"reads below a mark":               {modify(with(entry, image{"unread": number("2")}), with(entry, image{"unread": number("2"), "read": number("3")})), "read g ann 3", nil},
		"clears a mark":                    {modify(with(entry, image{"unread": number("2")}), with(entry, image{"unread": number("2"), "from": number("5")})), "cleared g ann 5", nil},
		"marks another message":            {modify(with(entry, image{"unread": number("3")}), with(entry, image{"unread": number("2")})), "unread g ann 2", nil},
		"an entry goes":                    {remove(entry), "erased g ann", nil},
		"of who left goes":                 {remove(left), "erased g ann", nil},
		"an entry is damaged":              {modify(entry, with(entry, image{"read": text("x")})), "", plaza.ErrCorrupt},
		"an entry of somebody else's pair": {insert(with(pairEntry, image{"pk": text("U#carl")})), "", plaza.ErrCorrupt},
		"the other one too":                {modify(head, with(head, image{"blocked": texts("ben", "ann")})), "blocked ann#ben ben", nil},
		"both unblock":                     {modify(with(head, image{"blocked": texts("ben", "ann")}), with(head, image{"blocked": nil})), "unblocked ann#ben ann, unblocked ann#ben ben", nil},
		"a head is damaged":                {insert(with(head, image{"n": number("-1")})), "", plaza.ErrCorrupt},
		"of no conversation either":        {insert(with(head, image{"pk": text("C")})), "", plaza.ErrCorrupt},
		"a group is created":               {insert(members), "created g [ann ben carl]", nil},
		"a group is described":             {modify(members, with(members, image{"name": text("n"), "picture": text("p")})), "described g n p", nil},
		"its owner leaves":                 {modify(members, with(members, image{"members": list("ann")})), "owned g ann", nil},
		"its last member leaves":           {modify(members, with(members, image{"members": list()})), "", nil},
		"somebody else leaves":             {modify(members, with(members, image{"members": list("ben")})), "", nil},
		"it is handed over":                {modify(members, with(members, image{"owner": text("ann")})), "owned g ann", nil},
		"members of no group":              {insert(with(members, image{"pk": text("C#")})), "", plaza.ErrCorrupt},
		"members are damaged":              {insert(with(members, image{"mver": text("x")})), "", plaza.ErrCorrupt},
		"a key expires":                    {stream.Record{Kind: stream.Remove, Old: at("K#ann#k", "K", nil), ByTTL: true}, "", nil},
		"the marker":                       {insert(at("~", "~", nil)), "", nil},
		"its images were dropped":          {stream.Record{Kind: stream.Insert, New: said, Truncated: true}, "", stream.ErrTruncated},
		"the stream has keys alone":        {stream.Record{Kind: stream.Modify}, "", stream.ErrView},
		"the stream has new images":        {stream.Record{Kind: stream.Modify, New: said}, "", stream.ErrView},
	} {
		key := c.record.New
		if key == nil {
			key = c.record.Old
		}
		if key == nil {
			key = said
		}
		c.record.Keys, c.record.At = image{"pk": key["pk"], "sk": key["sk"]}, noon
		got, err := message.Changes(c.record)
		require.ErrorIs(t, err, c.err, name)
		require.Equal(t, c.want, strings.Join(told(t, got), ", "), name)
		for _, change := range got {
			if change.Message.Seq != 0 {
				require.EqualValues(t, 2, change.Message.Seq, name)
				require.Equal(t, change.User, change.Message.Sender)
				require.Equal(t, name != "a recalled one is erased", change.Message.Text != "")
			}
		}
	}
}

// told describes changes by kind, conversation, user and number.
func told(t testing.TB, changes []message.Change) (all []string) {
	t.Helper()
	for _, c := range changes {
		require.False(t, c.At.IsZero())
		line := strings.TrimSpace(fmt.Sprint(c.Kind, " ", c.Conversation, " ", c.User))
		if c.Seq > 0 {
			line += fmt.Sprint(" ", c.Seq)
		}
		if c.Reaction != "" {
			line += fmt.Sprint(" ", c.Reaction)
		}
		if c.Description != (message.Description{}) {
			line += fmt.Sprint(" ", c.Name, " ", c.Picture)
		}
		if c.Members != nil {
			line += fmt.Sprint(" ", c.Members)
		}
		all = append(all, line)
	}
	return all
}

// Consumers of the stream pass changes on as JSON.
func TestAChangeIsSmallJSON(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]message.Change{
		`{"kind":"read","conversation":"ann#ben","user":"ben","seq":3,"at":"2026-03-10T12:00:00Z"}`: {
			Kind: message.Read, Conversation: "ann#ben", User: "ben", Seq: 3, At: noon,
		},
		`{"kind":"sent","conversation":"g","user":"ann","message":{"conversation":"g","sender":"ann","key":"k","text":"hi","seq":2,"id":"0000000000001"},"at":"2026-03-10T12:00:00Z"}`: {
			Kind: message.Sent, Conversation: "g", User: "ann", At: noon,
			Message: message.Message{Conversation: "g", Sender: "ann", Key: "k", Text: "hi", Seq: 2, ID: 1},
		},
	} {
		got, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		var back message.Change
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, c, back)
	}
}

func FuzzChanges(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		const id = "32SBCWQRR0001"
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs: []string{"C#g", "C#g#0", "C#ann#ben", "C#ann#ben#0", "C#ann#ben#1", "C", "C#", "C##0", "C#a#a#0", "C#b#a", "U#ann", "U#", "U", `U#\a`, "K#ann#k", "~"},
			SKs: []string{"~", "M", "0000000000000001", "0000000000065536", "0000000000000000", "00", "C#g", "C#ann#ben", "C#", "C#ben#ann", "K"},
			Attributes: []string{
				"n", "mver", "blocked", "block", "call", "members", "pending", "made", "owner", "name", "picture", "last", "lastSeq", "read", "own", "from", "till", "muted", "unread", "marked", "mute", "muteBefore",
				"id", "sender", "key", "text", "data", "replyTo", "edited", "edit", "recalled", "recall", "reactions",
			},
			Values: []string{id, "ann", "ben", "{}", `{"a":1}`},
		}, func(r stream.Record) error {
			_, err := message.Changes(r)
			return err
		})
	})
}

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		w := world{table: dynamotest.Table(t, streamtest.Streamed(message.Table)), clock: &clock{now: noon}}.process(t, nil, wrap)
		changes := streamtest.Watch(t, w.table, message.Changes)
		ctx := t.Context()
		hello := w.says(pair, "ann", "hello")
		sent, created, err := w.Send(ctx, hello)
		does(t, true)(created, err)
		last := changes.Next(t)
		require.ElementsMatch(t, []string{"sent ann#ben ann", "read ann#ben ann 1"}, told(t, last))
		at := slices.IndexFunc(last, func(c message.Change) bool { return c.Kind == message.Sent })
		require.Equal(t, sent, last[at].Message)

		who := message.Pair{User: "ben", Other: "ann"}
		edit := message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: "hello!"}
		// If the SDK repeats a mark, the answer may be that nothing changed.
		reads := func(user string, upTo int64, marks bool) func() (bool, error) {
			return func() (bool, error) { return marks, failed(w.MarkRead(ctx, of(user, pair), upTo)) }
		}
		clears := func(marks bool) func() (bool, error) {
			return func() (bool, error) { return marks, failed(w.Clear(ctx, of("ann", pair))) }
		}
		edits := func() (bool, error) { _, changed, err := w.Edit(ctx, edit); return changed, err }
		recalls := func() (bool, error) { return w.Recall(ctx, of("ann", pair), 1) }
		blocks := func() (bool, error) { return w.Block(ctx, who) }
		creates := func() (bool, error) {
			return w.Create(ctx, message.Group{ID: "g", Members: []string{"ben", "ann"}}, "ann")
		}
		says := func(conversation string, senders ...string) func() (bool, error) {
			return func() (bool, error) { return w.send(t, conversation, senders...).Seq > 0, nil }
		}
		adds := func() (bool, error) { return w.Add(ctx, of("carl", "g"), "ann") }
		leaves := func() (bool, error) { return w.Leave(ctx, of("carl", "g")) }
		erases := func(changed bool) func() (bool, error) {
			return func() (bool, error) { return changed, w.Erase(ctx, "ann") }
		}
		for i, step := range []struct {
			call func() (bool, error)
			want []string
		}{
			{func() (bool, error) { return sends(ctx, w, hello) }, nil},
			{reads("ben", 1, true), []string{"read ann#ben ben 1"}},
			{reads("ben", 1, false), nil},
			{func() (bool, error) { return true, failed(w.MarkUnread(ctx, of("ben", pair), 1)) }, []string{"unread ann#ben ben 1"}},
			{func() (bool, error) { return false, failed(w.MarkUnread(ctx, of("ben", pair), 1)) }, nil},
			{reads("ben", 1, true), []string{"read ann#ben ben 1"}},
			{func() (bool, error) { return w.Mute(ctx, of("ben", pair)) }, []string{"muted ann#ben ben"}},
			{func() (bool, error) { return w.Mute(ctx, of("ben", pair)) }, nil},
			{func() (bool, error) { return w.Unmute(ctx, of("ben", pair)) }, []string{"unmuted ann#ben ben"}},
			{func() (bool, error) { return w.React(ctx, of("ben", pair), 1, "like") }, []string{"reacted ann#ben ben like"}},
			{func() (bool, error) { return w.React(ctx, of("ben", pair), 1, "like") }, nil},
			{func() (bool, error) { return w.React(ctx, of("ben", pair), 1, "love") }, []string{"reacted ann#ben ben love"}},
			{func() (bool, error) { return w.Unreact(ctx, of("ben", pair), 1) }, []string{"unreacted ann#ben ben love"}},
			{edits, []string{"edited ann#ben ann"}},
			{edits, nil},
			{recalls, []string{"recalled ann#ben ann"}},
			{recalls, nil},
			{says(pair, "ben", "ben", "ann"), []string{
				"sent ann#ben ben", "sent ann#ben ben", "sent ann#ben ann", "read ann#ben ben 2", "read ann#ben ben 3", // ann has not read them
			}},
			{clears(true), []string{"cleared ann#ben ann 4"}},
			{clears(false), nil},
			{reads("ann", 4, false), nil}, // it was cleared
			{blocks, []string{"blocked ann#ben ben"}},
			{blocks, nil},
			{func() (bool, error) { return w.Unblock(ctx, who) }, []string{"unblocked ann#ben ben"}},
			{creates, []string{"created g [ann ben]", "joined g ann", "joined g ben"}},
			{creates, nil},
			{func() (bool, error) { return w.SetOwner(ctx, of("ann", "g"), "ben") }, []string{"owned g ben"}},
			{func() (bool, error) { return w.SetOwner(ctx, of("ann", "g"), "ben") }, nil},
			{func() (bool, error) {
				return w.Describe(ctx, of("ben", "g"), message.Description{Name: "n", Picture: "p"})
			}, []string{"described g n p"}},
			{says("g", "ann"), []string{"sent g ann", "read g ann 1"}},
			{adds, []string{"joined g carl 1"}},
			{adds, nil},
			{leaves, []string{"left g carl 1"}},
			{leaves, nil},
			{says("g", "ben"), []string{"sent g ben"}},
			{adds, []string{"joined g carl 2"}},
			{erases(true), []string{
				"erased ann#ben ann", "erased ann#ben ann", "erased ann#ben ann", "blocked ann#ben ann", "erased g ann", "erased g ann", "left g ann 2",
			}},
			{erases(false), nil},
		} {
			does(t, step.want != nil, i)(step.call())
			last = changes.Next(t)
			require.ElementsMatch(t, step.want, told(t, last), i)
			if len(last) == 1 && (last[0].Kind == message.Edited || last[0].Kind == message.Recalled) {
				require.Equal(t, edit.Text, last[0].Message.Text)
			}
		}
	})
}
