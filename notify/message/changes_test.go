package message_test

import (
	"encoding/json"
	"fmt"
	"maps"
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

type changes = streamtest.Changes[message.Change]

// newStreamed is newWorld with a stream on its table.
func newStreamed(t *testing.T, opts *message.Options, wrap ...wrapper) (world, *changes) {
	t.Helper()
	w := world{table: dynamotest.Table(t, streamtest.Streamed(message.Table)), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...), streamtest.Watch(t, w.table, message.Changes)
}

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
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
	members := at("C#g", "M", image{"mver": number("1"), "members": texts("ben", "ann"), "pending": texts("carl")})
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
		"a message appears":                {insert(said), "sent g ann", nil},
		"its text is another":              {modify(said, with(said, image{"text": text("ho"), "edited": number("1")})), "edited g ann", nil},
		"its data is another":              {modify(said, with(said, image{"data": text("{}")})), "edited g ann", nil},
		"it was edited to what it was":     {modify(said, with(said, image{"edited": number("1")})), "", nil},
		"it is recalled":                   {modify(said, recalled), "recalled g ann", nil},
		"a recalled one changes":           {modify(recalled, with(recalled, image{"recalled": number("2")})), "", nil},
		"it is erased":                     {modify(said, erased), "erased g ann", nil},
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
		"a user leaves":                    {modify(entry, left), "left g ann 5", nil},
		"joins again":                      {modify(left, with(entry, image{"from": number("7"), "read": number("7")})), "joined g ann 7", nil},
		"reads":                            {modify(entry, with(entry, image{"read": number("4")})), "read g ann 4", nil},
		"reads below what was cleared":     {modify(with(entry, image{"from": number("5")}), with(entry, image{"from": number("5"), "read": number("4")})), "", nil},
		"clears":                           {modify(entry, with(entry, image{"from": number("5")})), "cleared g ann 5", nil},
		"a message moves the entry":        {modify(entry, with(entry, image{"lastSeq": number("6"), "last": text(id)})), "", nil},
		"of the user's own":                {modify(pairEntry, with(pairEntry, image{"lastSeq": number("6"), "last": text(id), "read": number("6")})), "read ann#ben ann 6", nil},
		"an entry goes":                    {remove(entry), "erased g ann", nil},
		"of who left goes":                 {remove(left), "erased g ann", nil},
		"an entry is damaged":              {modify(entry, with(entry, image{"read": text("x")})), "", plaza.ErrCorrupt},
		"an entry of somebody else's pair": {insert(with(pairEntry, image{"pk": text("U#carl")})), "", plaza.ErrCorrupt},
		"a user blocks":                    {insert(head), "blocked ann#ben ann", nil},
		"the other one too":                {modify(head, with(head, image{"blocked": texts("ben", "ann")})), "blocked ann#ben ben", nil},
		"both unblock":                     {modify(with(head, image{"blocked": texts("ben", "ann")}), with(head, image{"blocked": nil})), "unblocked ann#ben ann, unblocked ann#ben ben", nil},
		"a head counts":                    {modify(head, with(head, image{"n": number("6")})), "", nil},
		"a head is damaged":                {insert(with(head, image{"n": number("-1")})), "", plaza.ErrCorrupt},
		"of no conversation either":        {insert(with(head, image{"pk": text("C")})), "", plaza.ErrCorrupt},
		"a group is created":               {insert(members), "created g [ann ben carl]", nil},
		"its members change":               {modify(members, with(members, image{"members": texts("ann")})), "", nil},
		"members of no group":              {insert(with(members, image{"pk": text("C#")})), "", plaza.ErrCorrupt},
		"members are damaged":              {insert(with(members, image{"mver": text("x")})), "", plaza.ErrCorrupt},
		"a key expires":                    {stream.Record{Kind: stream.Remove, Old: at("K#ann#k", "K", nil), ByTTL: true}, "", nil},
		"a key":                            {insert(at("K#ann#k", "K", nil)), "", nil},
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
		`{"kind":"created","conversation":"g","members":["ann","ben"],"at":"2026-03-10T12:00:00Z"}`: {
			Kind: message.Created, Conversation: "g", Members: []string{"ann", "ben"}, At: noon,
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
				"n", "mver", "blocked", "block", "call", "members", "pending", "made", "last", "lastSeq", "read", "own", "from", "till",
				"id", "sender", "key", "text", "data", "replyTo", "edited", "edit", "recalled", "recall",
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
		w, changes := newStreamed(t, nil, wrap)
		ctx := t.Context()
		var last []message.Change
		sees := func(what string, want ...string) {
			t.Helper()
			last = changes.Next(t)
			require.ElementsMatch(t, want, told(t, last), what)
		}
		does := func(want bool) func(changed bool, err error) {
			t.Helper()
			return func(changed bool, err error) {
				t.Helper()
				require.NoError(t, err)
				require.Equal(t, want, changed)
			}
		}
		ann, ben := message.In{Conversation: pair, User: "ann"}, message.In{Conversation: pair, User: "ben"}

		hello := w.says(pair, "ann", "hello")
		sent, created, err := w.Send(ctx, hello)
		does(true)(created, err)
		sees("Send", "sent ann#ben ann", "read ann#ben ann 1")
		for _, c := range last {
			if c.Kind == message.Sent {
				require.Equal(t, sent, c.Message)
			}
		}
		_, created, err = w.Send(ctx, hello)
		does(false)(created, err)
		sees("a repeat")
		w.read(t, ben, 1)
		sees("Read", "read ann#ben ben 1")
		w.read(t, ben, 1)
		sees("another Read")
		sent.Text = "hello!"
		edited, changed, err := w.Edit(ctx, sent)
		does(true)(changed, err)
		sees("Edit", "edited ann#ben ann")
		require.Equal(t, edited, last[0].Message)
		_, changed, err = w.Edit(ctx, sent)
		does(false)(changed, err)
		sees("another Edit")
		does(true)(w.Recall(ctx, ann, 1))
		sees("Recall", "recalled ann#ben ann")
		require.Equal(t, "hello!", last[0].Message.Text)
		does(false)(w.Recall(ctx, ann, 1))
		sees("another Recall")
		w.send(t, pair, "ben", "ben", "ann")
		sees("three messages, the last before the others were read", "sent ann#ben ben", "sent ann#ben ben", "sent ann#ben ann", "read ann#ben ben 2", "read ann#ben ben 3")
		require.NoError(t, errOf(w.Clear(ctx, ann)))
		sees("Clear", "cleared ann#ben ann 4")
		require.NoError(t, errOf(w.Clear(ctx, ann)))
		w.read(t, ann, 4)
		sees("another Clear, and a Read of what was cleared")
		does(true)(w.Block(ctx, message.Pair{User: "ben", Other: "ann"}))
		sees("Block", "blocked ann#ben ben")
		does(false)(w.Block(ctx, message.Pair{User: "ben", Other: "ann"}))
		sees("another Block")
		does(true)(w.Unblock(ctx, message.Pair{User: "ben", Other: "ann"}))
		sees("Unblock", "unblocked ann#ben ben")

		w.create(t, "g", "ben", "ann")
		sees("Create", "created g [ann ben]", "joined g ann", "joined g ben")
		does(false)(w.Create(ctx, message.Group{ID: "g", Members: []string{"ann", "ben"}}, "ann"))
		sees("another Create")
		w.send(t, "g", "ann")
		sees("Send to a group", "sent g ann", "read g ann 1")
		carl := message.In{Conversation: "g", User: "carl"}
		does(true)(w.Add(ctx, carl, "ann"))
		sees("Add", "joined g carl 1")
		does(false)(w.Add(ctx, carl, "ann"))
		sees("another Add")
		does(true)(w.Leave(ctx, carl))
		sees("Leave", "left g carl 1")
		does(false)(w.Leave(ctx, carl))
		sees("another Leave")
		w.send(t, "g", "ben")
		changes.Next(t)
		does(true)(w.Add(ctx, carl, "ann"))
		sees("Add of who left", "joined g carl 2")

		require.NoError(t, w.Erase(ctx, "ann"))
		sees("Erase", "erased ann#ben ann", "erased ann#ben ann", "erased ann#ben ann", "blocked ann#ben ann",
			"erased g ann", "erased g ann", "left g ann 2")
		require.NoError(t, w.Erase(ctx, "ann"))
		sees("another Erase")
	})
}
