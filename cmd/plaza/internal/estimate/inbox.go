package estimate

import "math"

const (
	groupBytes = 264.0 // of a group's row without its events
	eventBytes = 43.0
	listBytes  = 290.0 // of a group in the list
	groupCap   = 100.0 // events that a group stores
	coalesce   = 10.0  // seconds between two moves of a full group by a process
)

// notified is the cost of n events of a group. Beyond groupCap a process writes only now
// and then, by two requests.
func (m *model) notified(n float64) Units {
	var u Units
	for i := range int(math.Min(n, groupCap)) {
		u = u.plus(Units{Requests: 1, Write: write(groupBytes+float64(i+1)*eventBytes) + 2})
	}
	if n > 0 {
		u.Write-- // the first event moves nothing in the list
	}
	if more := n - groupCap; more > 0 {
		full := write(groupBytes + groupCap*eventBytes)
		u = u.plus(Units{Requests: 2, Write: 2*full + 2}.times(m.renewals(more, coalesce)))
	}
	return u
}

func (m *model) notify() {
	n := m.total(m.in.Notifications)
	if n == 0 {
		return
	}
	groups := math.Max(1, m.in.Posts) // that a user can have a day
	events := func(followers float64) float64 { return m.onPost(n, followers/m.edges) }
	m.together("notify.Repository.Notify", n,
		m.perUser(func(followers float64) Units { return whole(m.notified, events(followers)).times(groups) }),
		Units{Requests: 2, Write: 12}.times(n))

	// groupsIn is how many groups a user gets in some days.
	groupsIn := func(followers, days float64) float64 { return groups * math.Min(1, events(followers)) * days }
	checks, opens := m.in.BellChecks, m.in.BellOpens
	between := 1.0 // days between two looks
	if opens > 0 {
		between = 1 / opens
	}
	unseen := func(rows float64) Units { return Units{Requests: 2, Read: 0.5 + read(math.Min(rows, 101), listBytes)} }
	m.together("notify.Repository.Unseen", m.total(checks), m.perUser(func(followers float64) Units {
		return whole(unseen, groupsIn(followers, between/2))
	}).times(checks), unseen(pageSize).times(m.total(checks)))
	list := func(rows float64) Units { return Units{Requests: 1, Read: read(math.Min(rows, readRows), listBytes)} }
	m.together("notify.Repository.List", m.total(opens), m.perUser(func(followers float64) Units {
		return whole(list, groupsIn(followers, math.Min(m.in.Days, retention)))
	}).times(opens), list(readRows).times(m.total(opens)))

	// A page with entries is marked. The first mark of a user costs more, one that shows
	// nothing new less.
	first := math.Min(1, 1/(math.Max(1, opens)*m.in.Days))
	pages := func(followers float64) float64 {
		return opens * math.Min(1, groupsIn(followers, math.Min(m.in.Days, retention)))
	}
	mark := func(followers float64) Units {
		fresh := math.Min(1, groupsIn(followers, between))
		one := Units{Requests: 1, Write: 1 + fresh}.times(1 - first).plus(Units{Requests: 2, Write: 3}.times(first))
		return one.times(pages(followers))
	}
	marks := m.perUser(func(followers float64) Units { return Units{Requests: pages(followers)} }).Requests
	m.together("notify.Repository.MarkSeen", marks, m.perUser(mark), Units{Requests: 2, Write: 3}.times(marks))

	m.heat("notify", "N# of the most followed", whole(m.notified, events(m.g[0].followers)).Write*groups+mark(m.g[0].followers).Write,
		checks*unseen(groupsIn(m.g[0].followers, between/2)).Read, relief{})
}

const (
	inboxRow     = 90.0
	messageRow   = 114.0   // without the text
	rememberedBy = 2_000.0 // conversations, by a process
)

func (m *model) talk() {
	n := m.total(m.in.Messages)
	inbox := func(rows float64) Units {
		return Units{
			Requests: 1 + math.Min(1, rows),
			Read:     read(math.Min(rows, readRows), inboxRow) + 0.5*math.Min(rows, pageSize),
		}
	}
	defer func() {
		m.call("notify/message.Repository.Inbox", m.total(m.in.InboxReads), whole(inbox, m.in.Conversations), inbox(readRows))
	}()
	if n == 0 {
		return
	}
	pairs := m.total(m.in.Conversations) / 2
	each := n / pairs // messages of a conversation a day

	// A process that does not know the conversation reads its head. One that knows an old
	// head is refused, and writes again.
	unknown := math.Max(m.firsts(each)/each, math.Exp(-rememberedBy/pairs))
	outrun := (1 - unknown) * (1 - 1/float64(m.in.Processes))
	stored := 4 + 2*write(messageRow+m.in.MessageBytes)
	m.call("notify/message.Repository.Send", n,
		Units{Requests: 3 + unknown + outrun, Read: unknown, Write: stored + 6 + outrun*stored},
		Units{Requests: 4, Read: 2, Write: 2*stored + 6})
	history := func(rows float64) Units {
		return Units{Requests: 2, Read: 2 + blocks(math.Min(rows, readRows), messageRow+m.in.MessageBytes, 4096)}
	}
	m.call("notify/message.Repository.History", n, whole(history, each*m.in.Days), history(readRows))
	one := Units{Requests: 1, Write: 2}
	m.call("notify/message.Repository.MarkRead", n, one, one)

	// Each message raises the rows of both, and is read by one of them.
	m.heat("message", "U# of a user", math.Max(1, m.in.Conversations)*each*(3+1), m.in.InboxReads*inbox(m.in.Conversations).Read, relief{})
	m.heat("message", "C# of a conversation", each*2*(1+outrun), each*(1+unknown), relief{})
}
