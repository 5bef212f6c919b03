package estimate

import "math"

// The bytes of rows, where ids have 13 bytes.
const (
	followerRow = 55.0  // of a list of followers
	entryRow    = 69.0  // of a home
	postRow     = 105.0 // of an outbox, without the application's data
)

func (m *model) postBytes() float64 { return postRow + m.in.PostBytes }

// outbox is how many activities an outbox has.
func (m *model) outbox() float64 { return m.in.Posts * m.in.Days }

func (m *model) readHomes() {
	n := m.total(m.in.HomeReads)
	home := m.in.Follows * m.in.Posts * math.Min(m.in.Days, retention)
	if m.in.HomeCap > 0 {
		home = math.Min(home, float64(m.in.HomeCap))
	}
	each := byChance(func(rows float64) Units {
		if rows == 0 {
			return Units{Requests: 1, Read: 0.5}
		}
		activities := rows * (1 - m.in.Cached) * read(1, m.postBytes())
		return Units{Requests: 2, Read: read(rows+1, entryRow) + activities}
	}, home)
	m.call("feed.Home.List", n, each, Units{Requests: 2, Read: 12})

	each = byChance(func(rows float64) Units { return Units{math.Min(rows, 1), 0.5 * rows, 0} }, home)
	m.homeRows = 2 * each.Read
	if each.Requests == 0 {
		return
	}
	n *= m.in.HomeCounts * each.Requests
	each = each.times(1 / each.Requests)
	most := Units{Requests: 1, Read: pageSize / 2}
	m.call("feed/reaction.Repository.CountsMany", n, each, most)
	m.call("feed/reaction.Repository.Reacted", n, each, most)
	m.call("feed/comment.Repository.CountsMany", n, each, most)
}

// topReads is how many of the most followed's activities the pages of homes have in a
// day: a follower's page has as many of theirs as of any other source's.
func (m *model) topReads() float64 {
	if m.in.Follows == 0 {
		return 0
	}
	return m.g[0].followers * m.in.HomeReads * m.homeRows / m.in.Follows
}

func (m *model) readProfiles() {
	n := m.total(m.in.ProfileReads)
	one := Units{Requests: 1, Read: 0.5}
	m.call("follow.Repository.Counts", n, one, one)
	one = Units{Requests: 1, Read: 1}
	m.call("follow.Repository.Relations", n, one, one)
	list := func(rows float64) Units { return Units{Requests: 1, Read: read(rows, m.postBytes())} }
	m.call("feed.Outbox.List", n, whole(list, math.Min(readRows, m.outbox())), list(readRows))
}

// mode is the read of whether homes pull a source: by each follow, and by each process
// that delivers.
var mode = Units{Requests: 1, Read: 1}

// copies is the most activities that Follow copies, by default.
const copies = 100

func (m *model) follow() {
	n := m.total(m.in.NewFollows)
	copied := func(rows float64) Units {
		return Units{Requests: 2 + math.Ceil(rows/25), Read: 1 + 2*read(rows, m.postBytes()), Write: 10 + rows}.plus(mode)
	}
	recent := math.Min(copies, m.in.Posts*math.Min(m.in.Days, retention))
	m.call("feed.Home.Follow", n, whole(copied, recent), copied(copies))

	m.heat("follow", "C# of the most followed", 2*n*m.top, m.total(m.in.ProfileReads)*m.top/2+m.in.Posts, relief{})
	m.heat("follow", "R# of the most followed", 2*n*m.top/float64(m.in.FollowShards),
		m.in.Posts*(deliver(math.Min(m.g[0].followers, m.inline())).Read+deliver(math.Max(0, m.g[0].followers-m.inline())).Read)/float64(m.in.FollowShards),
		relief{option: "follow.Options.Shards", now: m.in.FollowShards, most: 64})
	m.heat("feed", "O# of the most followed", 2*m.in.Posts*write(m.postBytes()),
		m.topReads()*(1-m.in.Cached)*read(1, m.postBytes())+
			m.total(m.in.ProfileReads)*m.top*read(math.Min(readRows, m.outbox()), m.postBytes())+
			n*m.top*(whole(copied, recent).Read-1)+ // the home's header is elsewhere
			m.in.Posts*mode.Read,
		relief{option: "feed.Options.Cache"})
}

// inline is how many followers Publish delivers to.
func (m *model) inline() float64 {
	if m.in.InlineFollowers == 0 {
		return 500 // the default
	}
	return math.Max(0, float64(m.in.InlineFollowers))
}

func (m *model) publish() {
	inline := m.inline()
	counters := Units{Requests: 1, Read: 1}
	one := Units{Requests: 1, Write: 1} // a claim, a checkpoint or a job's end
	call := func(followers float64) Units {
		stored := Units{Requests: 1, Write: 2*write(m.postBytes()) + 2}
		if inline == 0 {
			return stored
		}
		return stored.plus(mode).plus(counters).plus(deliver(math.Min(followers, inline))).plus(one)
	}
	later := func(followers float64) Units {
		rest := followers - inline
		switch {
		case rest <= 0 && inline > 0:
			return Units{}
		case inline > 0:
			return mode.plus(deliver(rest)).plus(one.times(1 + math.Ceil(rest/deliveryPage)))
		}
		return mode.plus(counters).plus(deliver(rest)).plus(one.times(1 + math.Max(1, math.Ceil(rest/deliveryPage))))
	}
	ofAll := func(f func(float64) Units) Units {
		return m.perUser(func(followers float64) Units { return whole(f, followers) }).times(m.in.Posts)
	}
	published := ofAll(call)
	m.together("feed.Outbox.Publish", m.total(m.in.Posts), published, published)

	passes := day / m.in.Poll * float64(m.in.Workers)
	looks := Units{Requests: 1, Read: 0.5}.times(passes * float64(1+m.in.JobShards))
	run := ofAll(later).plus(looks)
	m.together("feed.Repository.Run", passes, run, run)

	// A job is put in a transaction, and deleted.
	m.heat("feed", "J# of a job shard", 3*m.total(m.in.Posts)/float64(m.in.JobShards), 0.5*passes,
		relief{option: "feed.Options.JobShards", now: m.in.JobShards, most: 64})
}

const deliveryPage = 1000 // followers

// deliver reads followers and writes an entry into the home of each.
func deliver(followers float64) Units {
	if followers == 0 {
		return Units{}
	}
	full := math.Floor(followers / deliveryPage)
	u := Units{
		Requests: math.Ceil(followers/deliveryPage) + math.Ceil(followers/25),
		Read:     full * blocks(deliveryPage, followerRow, 4096),
		Write:    followers,
	}
	if rest := followers - full*deliveryPage; rest > 0 {
		u.Read += blocks(rest, followerRow, 4096)
	}
	return u
}
