package message_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// costs are the stated costs, and a meter that compares calls with them.
type costs struct {
	callstest.Costs
	*dynamotest.Meter
	t *testing.T
}

func newCosts(t *testing.T) costs {
	return costs{callstest.ReadCosts(t, "../..", "notify/message"), dynamotest.NewMeter(), t}
}

// at measures a call.
func (c costs) at(name string, want dynamotest.Cost, call func()) {
	c.t.Helper()
	c.t.Logf("%s: %v", name, c.AtMost(c.t, name, want, call))
}

// fails measures a call that is refused.
func (c costs) fails(name string, want dynamotest.Cost, reason error, call func() error) {
	c.t.Helper()
	c.at(name, want, func() { require.ErrorIs(c.t, call(), reason) })
}

// changes measures a call that reports whether it changed anything.
func (c costs) changes(name string, want dynamotest.Cost, changed bool, call func() (bool, error)) {
	c.t.Helper()
	c.at(name, want, func() {
		found, err := call()
		require.NoError(c.t, err)
		require.Equal(c.t, changed, found)
	})
}

func TestSendCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	w := newWorld(t, nil, c.Wrap)
	for _, n := range faults.Some(1, 3, 2, 30, 98) {
		m := float64(n)
		id, members := fmt.Sprint("g", n), crowd(n)
		create := c.Of("Repository.Create", "a group").Plus(c.Times(m, "Repository.Create", "each member"))
		for _, created := range []bool{true, false} {
			c.changes("create", create, created, func() (bool, error) {
				return w.Create(t.Context(), message.Group{ID: id, Members: members}, "ann")
			})
		}
		send := c.Of("Repository.Send", "a message").Plus(c.Times(m, "Repository.Send", "each member"))
		unread := c.Of("Repository.Send", "the sender had unread messages").Plus(send)
		unknown := c.Of("Repository.Send", "a conversation that this process does not know")
		for range 2 {
			c.at("send", send, func() { w.send(t, id, members[0]) })
		}
		p := w.process(t, nil, c.Wrap)
		c.at("unread before, by a new process", unread.Plus(unknown), func() { p.send(t, id, members[1]) })
		c.at("unread before", unread, func() { p.send(t, id, members[1]) })
		long := w.says(id, members[0], string(make([]byte, 3000)))
		require.NoError(t, failed(w.MarkRead(t.Context(), of(members[0], id), 4)))
		outrun, further := c.Of("Repository.Send", "another process wrote to the conversation"), c.Times(3, "Repository.Send", "each further KB of the message")
		c.changes("outrun, and of 3 KB", send.Plus(outrun).Plus(further), true, func() (bool, error) { return sends(t.Context(), w, long) })
		again := c.Of("Repository.Send", "a repeat").Plus(c.Times(m, "Repository.Send", "a repeat, each member"))
		c.changes("a repeat", again.Plus(further), false, func() (bool, error) { return sends(t.Context(), w, long) })
		recalls := func(p world) func() (bool, error) {
			last := p.page(t, of(members[0], id), 1, "").Items[0]
			return func() (bool, error) { return p.Recall(t.Context(), of(last.Sender, id), last.Seq) }
		}
		recall := c.Of("Repository.Recall", "a message").Plus(c.Times(m-1, "Repository.Recall", "each other member who has not read it")).
			Plus(c.Times(3, "Repository.Recall", "each further KB of the message"))
		c.changes("recall", recall, true, recalls(w))
		w.send(t, id, members[0])
		unknownGroup := c.Of("Repository.Recall", "a group that this process does not know")
		c.changes("recall by a new process", recall.Plus(unknownGroup), true, recalls(w.process(t, nil, c.Wrap)))
		c.fails("no member", c.Of("Repository.Send", "refused"), message.ErrNotMember, func() error {
			return failed(w.Send(t.Context(), w.says(id, "stranger", "hello")))
		})
	}
}

// The names of 30 members have 7.3 KB.
func TestLongNamesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	elsewhere := newPrefs(t)
	w := newWorld(t, &message.Options{Consistent: true, Blocks: elsewhere}, c.Wrap)
	var members []string
	for i := range 30 {
		members = append(members, fmt.Sprintf("%-250d", i))
	}
	g, in := message.Group{ID: "g", Members: members}, of(members[0], "g")
	create := func() (bool, error) { return w.Create(t.Context(), g, members[0]) }
	c.changes("create", c.Of("Repository.Create", "a group").Plus(c.Times(30, "Repository.Create", "each member")).
		Plus(c.Times(7, "Repository.Create", "each further KB of the members' names")), true, create)
	does(t, true)(elsewhere.Block(t.Context(), prefs.Pair{User: members[0], Actor: members[1]}))
	c.changes("a repeat after a block", c.Of("Repository.Create", "refused by Options.Blocks", "refused by Options.Blocks, each further 4 KB of names"), false, create)
	send := c.Of("Repository.Send", "a message").Plus(c.Times(30, "Repository.Send", "each member"))
	c.at("send", send.Plus(c.Of("Repository.Send", "a conversation that this process does not know", "each further 4 KB of its members' names")), func() {
		w.process(t, nil, c.Wrap).send(t, "g", members[0])
	})
	recall := c.Of("Repository.Recall", "a message", "a group that this process does not know", "each further 4 KB of its members' names").
		Plus(c.Times(29, "Repository.Recall", "each other member who has not read it"))
	c.changes("recall", recall, true, func() (bool, error) { return w.process(t, nil, c.Wrap).Recall(t.Context(), in, 1) })
	leave := c.Of("Repository.Add", "a user").Plus(c.Times(7, "Repository.Add", "each further KB of the members' names")).
		Plus(c.Of("Repository.Add", "a group that this process does not know", "each further 4 KB of its members' names"))
	c.at("receipts", c.Of("Repository.Receipts", "a group").Plus(c.Times(30, "Repository.Receipts", "each member")).
		Plus(c.Times(2, "Repository.Receipts", "each 4 KB of their names")), func() { w.receipts(t, in) })
	c.at("details", c.Of("Repository.Details", "each 100 groups", "each group", "each further 4 KB of its members' names"), func() {
		w.details(t, members[1], "g")
	})
	further := c.Times(7, "Repository.SetOwner", "each further KB of the members' names").
		Plus(c.Of("Repository.SetOwner", "a change", "a group that this process does not know", "each further 4 KB of its members' names"))
	c.changes("set owner", further, true, func() (bool, error) { return w.process(t, nil, c.Wrap).SetOwner(t.Context(), in, members[1]) })
	c.changes("leave", leave, true, func() (bool, error) { return w.process(t, nil, c.Wrap).Leave(t.Context(), in) })
}

func TestOtherWritesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	asked := faults.New(t, 1, faults.Rates{})
	elsewhere := newPrefs(t, asked.Wrap)
	w := newWorld(t, &message.Options{Blocks: elsewhere, Rate: ratelimit.Rate{Burst: 3, Every: time.Hour}}, c.Wrap)
	send := c.Of("Repository.Send", "a message").Plus(c.Times(2, "Repository.Send", "each member"))
	first := c.Of("Repository.Send", "a conversation that this process does not know", "a pair's first message")
	c.at("a pair's first", send.Plus(first), func() { w.send(t, pair, "ann") })
	require.Equal(t, 2, asked.Requests())
	c.at("its next", send, func() { w.send(t, pair, "ann") })
	require.Equal(t, 4, asked.Requests())
	w.send(t, pair, "ann")
	sends := func(sender string) func() error {
		return func() error { return failed(w.Send(t.Context(), w.says(pair, sender, "refused"))) }
	}
	c.fails("too many", dynamotest.Cost{Requests: 1, Read: 1}, ratelimit.ErrExceeded, sends("ann"))
	edit := message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: "edited"}
	edits := func() (bool, error) { _, changed, err := w.Edit(t.Context(), edit); return changed, err }
	usual := c.Of("Repository.Edit", "an edit")
	further := func(n float64) dynamotest.Cost {
		return usual.Plus(c.Times(n, "Repository.Edit", "each further KB of the larger content"))
	}
	c.changes("edit", usual, true, edits)
	c.changes("edit again", usual, false, edits)
	edit.Text = string(make([]byte, 3000))
	c.changes("edit to 3 KB", further(3), true, edits)
	edit.Data = json.RawMessage(strconv.Quote(strings.Repeat("x", 3000)))
	c.changes("edit to 6 KB", further(6), true, edits)
	edit.Data = nil
	c.changes("edit of 6 KB", further(6).Plus(c.Of("Repository.Edit", "each further 4 KB of the stored content")), true, edits)
	overlaps := faults.Before(t, "UpdateItem", func() {
		meanwhile := message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: "meanwhile"}
		require.NoError(t, failed(w.process(t, nil).Edit(t.Context(), meanwhile)))
	})
	edit.Text = "overlaps"
	c.changes("an edit that overlaps", c.Of("Repository.Edit", "an edit", "each edit that overlaps"), true, func() (bool, error) {
		_, changed, err := w.process(t, nil, c.Wrap, overlaps.Wrap).Edit(t.Context(), edit)
		return changed, err
	})
	edit.Text = string(make([]byte, 3000))
	require.NoError(t, failed(edits()))
	reacts := func(p world, seq int64, kind string) func() (bool, error) {
		return func() (bool, error) { return p.React(t.Context(), of("ben", pair), seq, kind) }
	}
	reaction := c.Of("Repository.React", "a reaction")
	for _, changed := range []bool{true, false} {
		c.changes("react", reaction, changed, reacts(w, 2, "like"))
	}
	c.changes("unreact", reaction, true, func() (bool, error) { return w.Unreact(t.Context(), of("ben", pair), 2) })
	c.changes("react to 3 KB", reaction.Plus(c.Times(3, "Repository.React", "each further KB of the message with its reactions")), true, reacts(w, 1, "like"))
	meanwhile := faults.Before(t, "UpdateItem", func() { does(t, true)(w.process(t, nil).React(t.Context(), of("ann", pair), 2, "like")) })
	overlapping := w.process(t, nil, c.Wrap, meanwhile.Wrap)
	c.changes("which overlaps", c.Of("Repository.React", "a reaction", "each reaction that overlaps"), true, reacts(overlapping, 2, "like"))
	large := message.Message{Conversation: pair, Sender: "ann", Seq: 2, Text: string(make([]byte, 3000)), Data: json.RawMessage(strconv.Quote(strings.Repeat("x", 3000)))}
	require.NoError(t, failed(w.Edit(t.Context(), large)))
	c.changes("react to 6 KB", reaction.Plus(c.Of("Repository.React", "each further 4 KB of them")).
		Plus(c.Times(6, "Repository.React", "each further KB of the message with its reactions")), true, reacts(w, 2, "love"))
	recall := func() (bool, error) { return w.Recall(t.Context(), of("ann", pair), 1) }
	c.changes("recall of 3 KB", c.Of("Repository.Recall", "a message", "each other member who has not read it").Plus(c.Times(3, "Repository.Recall", "each further KB of the message")), true, recall)
	c.changes("recall again", c.Of("Repository.Recall", "a message", "each other member who has"), false, recall)
	c.fails("recall of none", c.Of("Repository.Recall", "refused"), plaza.ErrNotFound, func() error {
		return failed(w.Recall(t.Context(), of("ann", pair), 9))
	})
	who := message.Pair{User: "ann", Other: "ben"}
	for _, changed := range []bool{true, false} {
		c.changes("block", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, changed, func() (bool, error) { return w.Block(t.Context(), who) })
	}
	c.fails("blocked", c.Of("Repository.Send", "refused"), message.ErrBlocked, sends("ben"))
	for _, changed := range []bool{true, false} {
		c.changes("unblock", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, changed, func() (bool, error) { return w.Unblock(t.Context(), who) })
	}

	before := asked.Requests()
	w.create(t, "g", crowd(3)...)
	require.Equal(t, before+2*3, asked.Requests())
	add := func(p world) func() (bool, error) {
		return func() (bool, error) { return p.Add(t.Context(), of("ann", "g"), "ann") }
	}
	leave := func(p world) func() (bool, error) {
		return func() (bool, error) { return p.Leave(t.Context(), of("ann", "g")) }
	}
	fresh := func() world { return w.process(t, nil, c.Wrap) }
	one, unknown := c.Of("Repository.Add", "a user"), c.Of("Repository.Add", "a user", "a group that this process does not know")
	nothing := c.Of("Repository.Add", "nothing to change")
	c.changes("add", one, true, add(w))
	c.changes("add again", nothing, false, add(w))
	c.changes("leave", one, true, leave(w))
	c.changes("leave again", nothing.Plus(c.Of("Repository.Leave", "nothing to change, beside that")), false, leave(w))
	c.changes("add by another", one, true, func() (bool, error) { return w.Add(t.Context(), of("cleo", "g"), "user 000") })
	c.changes("add by a new process", unknown, true, add(fresh()))
	c.changes("leave by a new process", unknown, true, leave(fresh()))
	c.at("members", dynamotest.Cost{Requests: 1, Read: 1}, func() { w.members(t, of("user 000", "g")) })
	c.at("members of a pair", dynamotest.Cost{}, func() { w.members(t, of("ann", pair)) })
	require.Equal(t, before+2*3+2, asked.Requests(), "for the one who was added by another")
	does(t, true)(elsewhere.Block(t.Context(), prefs.Pair{User: "ben", Actor: "ann"}))
	c.fails("a group refused", c.Of("Repository.Create", "refused by Options.Blocks"), message.ErrBlocked, func() error {
		return failed(w.Create(t.Context(), message.Group{ID: "refused", Members: []string{"ann", "ben"}}, "ann"))
	})
	owner := of("user 000", "g")
	described := func(p world, name string) func() (bool, error) {
		return func() (bool, error) { return p.Describe(t.Context(), owner, message.Description{Name: name}) }
	}
	change := c.Of("Repository.SetOwner", "a change")
	require.NoError(t, failed(described(w, "as w knows it")()))
	c.changes("describe", change, true, described(w, "a"))
	c.changes("remove", one, true, func() (bool, error) { return w.Remove(t.Context(), of("cleo", "g"), "user 000") })
	c.changes("describe again", c.Of("Repository.SetOwner", "nothing to change"), false, described(w, "a"))
	c.changes("describe by a new process", change.Plus(c.Of("Repository.SetOwner", "a group that this process does not know")), true, described(fresh(), "b"))
	setOwner := func() (bool, error) { return fresh().SetOwner(t.Context(), owner, "user 001") }
	c.changes("set owner by a new process", change.Plus(c.Of("Repository.SetOwner", "a group that this process does not know")), true, setOwner)
	c.at("details", c.Of("Repository.Details", "each 100 groups").Plus(c.Times(2, "Repository.Details", "each group")), func() {
		require.NoError(t, failed(w.Details(t.Context(), "user 000", "g", "other")))
	})
	hundred := c.Of("Repository.Create", "a group").Plus(c.Times(98, "Repository.Create", "each member")).Plus(c.Times(2, "Repository.Add", "a user"))
	c.at("create with a hundred", hundred, func() { w.create(t, "h", crowd(100)...) })
}

func TestListsAndMarksCostWhatIsStated(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	quiet := newWorld(t, nil)
	w := quiet.process(t, &message.Options{}, c.Wrap)
	consistent := quiet.process(t, nil, c.Wrap)
	p := message.Pair{User: "ann-567890123456", Other: "ben-567890123456"}
	l := quiet.lay(t, p.Conversation(), 0, p.User, p.Other)
	l.send(t, 60)
	g := quiet.lay(t, "a group of 10", 0, "ann-567890123456", "2", "3", "4", "5", "6", "7", "8", "9", "10")
	g.send(t, 60)
	for n := range 18 {
		name := message.Pair{User: p.User, Other: fmt.Sprintf("other-%011d", n)}.Conversation()
		quiet.lay(t, name, 0, p.User).send(t, 1)
	}
	ann, ben, member := of(p.User, l.name), of(p.Other, l.name), of(p.User, g.name)

	var first, second cursor.Page[message.Message]
	c.at("history", c.Of("Repository.History", "the first page"), func() { first = w.page(t, ann, 20, "") })
	c.at("its second page", c.Of("Repository.History", "a later page"), func() { second = w.page(t, ann, 20, first.Next) })
	require.Len(t, second.Items, 20)
	c.at("on the way up, nothing new", c.Of("Repository.History", "nothing new on the way up"), func() { w.page(t, ann, 20, first.Prev) })
	for seq := range int64(5) {
		pk, sk := messageAt(l.name, 60-seq)
		quiet.damage(t, pk, sk, attributes{"text": strings.Repeat("x", 1000)})
	}
	c.at("a history of 8 KB", c.Of("Repository.History", "the first page", "each further 4 KB of messages"), func() { w.page(t, ann, 20, "") })

	reads := func(name string, want dynamotest.Cost, call func() error) {
		t.Helper()
		c.at(name, want, func() { require.NoError(t, call(), name) })
	}
	inbox := cursor.PageRequest{Limit: 20}
	reads("inbox", c.Of("Repository.Inbox", "a page", "each 4 KB of entries, some 20").Plus(c.Times(20, "Repository.Inbox", "each message")),
		func() error { return failed(w.Inbox(t.Context(), p.User, inbox)) })
	reads("inbox, consistent", c.Of("Repository.Inbox", "a page", "with Options.Consistent, each 4 KB of entries").
		Plus(c.Times(20, "Repository.Inbox", "with Options.Consistent, each message")),
		func() error { return failed(consistent.Inbox(t.Context(), p.User, inbox)) })
	reads("unread", dynamotest.Cost{Requests: 1, Read: 0.5}, func() error { return failed(w.Unread(t.Context(), p.User)) })
	reads("unread, consistent", dynamotest.Cost{Requests: 1, Read: 1}, func() error { return failed(consistent.Unread(t.Context(), p.User)) })
	reads("receipts of a pair", c.Of("Repository.Receipts", "a pair"), func() error { return failed(w.Receipts(t.Context(), ben)) })
	reads("receipts of ten", c.Of("Repository.Receipts", "a group", "each 4 KB of their names").Plus(c.Times(10, "Repository.Receipts", "each member")),
		func() error { return failed(w.Receipts(t.Context(), member)) })
	for name, in := range map[string]message.In{"pair": ben, "pair without messages": of("ann", "ann#cid")} {
		reads("access to a "+name, dynamotest.Cost{Requests: 1, Read: 2}, func() error { return failed(w.Access(t.Context(), in)) })
	}
	reads("access to a group", dynamotest.Cost{Requests: 1, Read: 1}, func() error { return failed(w.Access(t.Context(), member)) })

	read := func() (bool, error) { return w.MarkRead(t.Context(), ben, 30) }
	clears := func() (bool, error) { return w.Clear(t.Context(), ben) }
	c.changes("read", c.Of("Repository.MarkRead", "a mark"), true, read)
	c.changes("read again", c.Of("Repository.MarkRead", "nothing to change"), false, read)
	for _, changed := range []bool{true, false} {
		c.changes("mute", c.Of("Repository.Mute"), changed, func() (bool, error) { return w.Mute(t.Context(), ben) })
	}
	c.changes("unmute", c.Of("Repository.Mute"), true, func() (bool, error) { return w.Unmute(t.Context(), ben) })
	c.changes("mark unread", c.Of("Repository.MarkUnread"), true, func() (bool, error) { return w.MarkUnread(t.Context(), ben, 9) })
	c.changes("which a read ends", c.Of("Repository.MarkRead", "only to end a MarkUnread"), true, read)
	c.changes("mark unread", c.Of("Repository.MarkUnread"), true, func() (bool, error) { return w.MarkUnread(t.Context(), ben, 9) })
	c.changes("which a read beyond ends", c.Of("Repository.MarkRead", "a mark"), true, func() (bool, error) { return w.MarkRead(t.Context(), ben, 31) })
	l.entry(t, p.Other, attributes{"lastSeq": 3, "read": 3})
	c.changes("read where the entry lags", c.Of("Repository.MarkRead", "an entry that lags or is missing"), true, read)
	c.changes("clear", c.Of("Repository.Clear"), true, clears)
	c.changes("clear again", dynamotest.Cost{Requests: 1, Read: 2}, false, clears)
}

func TestEraseCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	w := newWorld(t, nil)
	w.meeting(t)
	const conversations, messages = 4, 9
	want := c.Of("Repository.Erase", "each 1,000 entries, or 1 MB", "each 4 KB of entries").
		Plus(c.Times(conversations, "Repository.Erase", "a conversation")).
		Plus(c.Times(conversations, "Repository.Erase", "each 1,000 messages of anybody, or 1 MB")).
		Plus(c.Times(conversations, "Repository.Erase", "each 4 KB of messages")).
		Plus(c.Times(messages, "Repository.Erase", "a message of the user")).
		Plus(c.Times(2, "Repository.Erase", "a reaction of the user")).
		Plus(c.Times(0, "Repository.Erase", "each further KB of a message")).
		Plus(c.Times(conversations, "Repository.Add", "a user")).
		Plus(c.Times(conversations, "Repository.Add", "a group that this process does not know"))
	c.at("erase", want, func() { require.NoError(t, w.process(t, nil, c.Wrap).Erase(t.Context(), gone)) })
}
