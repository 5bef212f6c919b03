package estimate

import "math"

const commentRow = 53.0 // bytes, without the text

// onPost is how many of a day's n calls go to the newest post of an author with that
// share of all followers.
func (m *model) onPost(n, share float64) float64 { return n * share / math.Max(1, m.in.Posts) }

// topPostReads is how many pages of homes show the most followed's newest post on its day.
func (m *model) topPostReads() float64 {
	if m.in.Posts == 0 {
		return 0
	}
	return m.in.HomeCounts * math.Min(m.topReads()/m.in.Posts, m.g[0].followers*m.in.HomeReads)
}

func (m *model) comment() {
	n, reads := m.total(m.in.Comments), m.total(m.in.CommentReads)
	add := Units{Requests: 1, Write: 4 + 2*write(commentRow+m.in.CommentBytes)}
	m.call("feed/comment.Repository.Add", n, add, add)

	list := func(comments float64) Units {
		return Units{Requests: 1, Read: read(math.Min(readRows, comments), commentRow+m.in.CommentBytes)}
	}
	// Reads are spread over the posts as comments are. A post gets comments until its
	// author's next one.
	comments := func(share float64) float64 { return n * share / m.in.Posts }
	if reads > 0 {
		m.together("feed/comment.Repository.ByObject", reads, m.perUser(func(followers float64) Units {
			share := followers / m.edges
			return whole(list, comments(share)).times(reads * share)
		}), list(readRows).times(reads))
	}
	if n+reads > 0 {
		hot := 2 * m.onPost(n, m.top)
		m.heat("comment", "N# of the top author's post", hot, m.topPostReads()/2, relief{})
		m.heat("comment", "T# of the top author's post", hot, m.onPost(reads, m.top)*list(comments(m.top)).Read, relief{})
	}
}

func (m *model) react() {
	n := m.total(m.in.Likes)
	one := Units{Requests: 1, Write: 8}
	m.call("feed/reaction.Repository.React", n, one, one)
	m.heat("reaction", "C# of the top author's post", 2*m.onPost(n, m.top)/float64(m.in.LikeShards), m.topPostReads()/2,
		relief{option: "reaction.Options.Shards", now: m.in.LikeShards, most: 64, writes: true})
}
