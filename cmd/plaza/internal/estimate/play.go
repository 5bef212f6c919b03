package estimate

import "math"

const (
	danmuRow      = 103.0 // bytes, with a text of 20
	scoreRow      = 130.0 // of a board's index
	segmentLength = 6.0   // minutes; danmu.Settings.Segment by default
)

func (m *model) watch() {
	sends, views := m.total(m.in.Danmu), m.total(m.in.Viewers)
	if sends+views == 0 {
		return
	}
	segments := math.Ceil(m.in.VideoMinutes / segmentLength)
	places := ranks(math.Max(1, math.Round(m.total(m.in.Videos))), m.in.Zipf)
	weights := graph(places).edges()
	look := Units{Requests: 1, Read: 1} // at the object
	var sent, seen, most Units
	for i, p := range places {
		n, reads := sends*p.followers/weights, views*p.followers/weights*segments
		looks := m.renewals(n+reads, m.in.Refresh)
		bySends := math.Max(0, looks*n/(n+reads)-m.firsts(n)) // a process's first writes instead
		send, segment := m.sent(n, segments), m.seen(reads, n, segments)
		sent = sent.plus(send.plus(look.times(bySends)).times(p.users))
		seen = seen.plus(segment.plus(look.times(looks * reads / (n + reads))).times(p.users))
		most = most.plus(m.read(reads, n, segments).plus(look.times(reads)).times(p.users))
		if i == 0 {
			parts := segments * float64(m.in.DanmuShards)
			cooled := relief{option: "danmu.Settings.Shards", now: m.in.DanmuShards, most: 32}
			if segment.Read/MaxRead > n/MaxWrite {
				cooled = relief{option: "a longer danmu.Options.Cache"}
			}
			m.heat("danmu", "D# of the most watched segment", n/parts, segment.Read/parts, cooled)
			m.heat("danmu", "M# of the most watched video", send.Write-2*n, looks, relief{option: "a longer Options.Refresh"})
		}
	}
	m.together("danmu.Repository.Send", sends, sent, Units{Requests: 3, Read: 1, Write: 4}.times(sends))
	m.together("danmu.Repository.Segment", views*segments, seen, most)
}

// sent is the cost of n danmu of a video, without looks at the object. A process's first
// danmu writes the object instead, and so does the first of each segment.
func (m *model) sent(n, segments float64) Units {
	noted := m.firsts(n) + math.Max(0, math.Min(n, segments)-1)
	return Units{Requests: n + noted, Write: 2*n + noted}
}

// seen is the cost of views of the segments of a video with n danmu.
func (m *model) seen(views, n, segments float64) Units {
	return m.read(m.renewals(views/segments, m.in.DanmuCache)*segments, n, segments)
}

// read is the cost of reads of them.
func (m *model) read(reads, n, segments float64) Units {
	shards := float64(m.in.DanmuShards)
	return whole(func(rows float64) Units {
		return Units{Requests: shards, Read: shards * read(rows/shards, danmuRow)}
	}, n/segments).times(reads)
}

func (m *model) compete() {
	players := m.total(m.in.Players)
	if players == 0 {
		return
	}
	boards := math.Ceil(players / m.in.BoardSize)
	size := players / boards
	shards := float64(m.in.BoardShards)
	submits, ranks, tops := players*m.in.BoardSubmits, players*m.in.RankReads, players*m.in.TopReads
	calls := submits + ranks + tops
	looks := boards * m.renewals(calls/boards, m.in.Refresh)
	look := Units{Requests: 2, Read: 2} // at the board and its periods
	looked := func(n float64) Units { return look.times(looks * n / calls) }

	first := math.Min(1, m.in.BoardSubmits)
	better := whole(func(n float64) Units { return Units{Write: improvements(n)} }, m.in.BoardSubmits).Write
	opened := Units{Requests: 1, Write: 6}.times(boards) // a period of a board that resets
	m.together("leaderboard.Repository.Submit", submits,
		Units{Requests: submits, Write: submits + players*(first+2*better)}.plus(looked(submits)).plus(opened),
		Units{Requests: 3, Read: 2, Write: 3}.times(submits).plus(opened))

	// A rank reads the entry, counts those above, and then the ties.
	above := Units{Requests: 2 * shards, Read: shards * (readAbove(size/shards, scoreRow) + 0.5)}.times(ranks)
	all := Units{Requests: 2 * shards, Read: shards * (read(size/shards, scoreRow) + 0.5)}.times(ranks)
	if m.in.FoldEvery > 0 {
		above, all = m.folded(boards, size, ranks)
		m.fold(boards, size, players*(first+better)/boards)
	}
	entry := Units{Requests: 1, Read: 1}.times(ranks)
	m.together("leaderboard.Repository.Rank", ranks, entry.plus(above).plus(looked(ranks)), entry.plus(all).plus(look.times(ranks)))
	top := Units{Requests: shards, Read: shards * read(math.Min(readRows, size/shards), scoreRow)}
	m.together("leaderboard.Repository.Top", tops, top.times(tops).plus(looked(tops)), top.plus(look).times(tops))

	m.heat("leaderboard", "ranking of a board", players*(first+2*better)/boards/shards,
		(above.Read+tops*top.Read)/boards/shards, relief{option: "leaderboard.Board.Shards", now: m.in.BoardShards, most: 64})
	m.heat("leaderboard", "B# of all boards", 0, looks, relief{option: "a longer Options.Refresh"})
}

// readAbove is the RCU of an eventually consistent read of the rows above one of n, on
// average.
func readAbove(n, bytes float64) float64 {
	all := n * bytes / 4096
	full := math.Floor(all)
	if full == 0 {
		return 0.5
	}
	return (full*(full+1)/2 + (full+1)*(all-full)) / all / 2
}

// improvements is how many of n scores in random order are better than all before, but
// for the first: the k-th is with probability 1/k.
func improvements(n float64) float64 {
	const many = 1000
	if n > many {
		return improvements(many) + math.Log(n/many)
	}
	sum := 0.0
	for k := 2.0; k <= n; k++ {
		sum += 1 / k
	}
	return sum
}
