package estimate

import (
	"fmt"
	"testing"
	"time"

	"github.com/plaza-sdk/plaza/meter"
)

// small is a day that takes seconds to play. Its peak and calls are so that every
// operation is called often enough to compare within 5 %.
func small(users int64) Input {
	in := Defaults()
	in.Users, in.Follows, in.Days, in.Peak = users, 5, 1, 1
	in.NewFollows, in.Posts, in.HomeReads, in.HomeCounts, in.ProfileReads = 0.2, 1, 0.5, 1, 0.2
	in.Comments, in.CommentReads, in.Likes, in.Notifications = 0.3, 0.3, 0.3, 0.3
	in.BellChecks, in.BellOpens, in.Messages, in.Conversations, in.InboxReads = 0.2, 0.2, 0.3, 0.1, 0.2
	in.Videos, in.VideoMinutes, in.Danmu, in.Viewers = 0.02, 12, 0.3, 0.2
	in.Players, in.BoardSize, in.BoardSubmits, in.RankReads, in.TopReads = 0.1, 50, 3, 1, 1
	in.Processes, in.Poll, in.InlineFollowers, in.JobShards = 2, 86400, 100, 1
	in.DanmuCache, in.Refresh = 0, 30
	return in
}

func TestX(t *testing.T) {
	in := small(1000)
	start := time.Now()
	w := simulate(t, in)
	fmt.Println(time.Since(start))
	e, err := Of(in, meter.USEast1())
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(in, zipf(in.Users, in.Follows, in.Zipf))
	costs := w.costs.ByOperation()
	for _, r := range m.rows {
		c := costs[r.operation]
		n := float64(w.calls[r.operation])
		fmt.Printf("%-36s %6.0f %6.0f | %7.3f %7.3f | %7.3f %7.3f | %7.3f %7.3f\n", r.operation, r.calls, n,
			r.expected.Requests/r.calls, float64(c.Requests)/n, r.expected.Read/r.calls, c.Read/n, r.expected.Write/r.calls, c.Write/n)
		delete(costs, r.operation)
	}
	fmt.Println(costs)
	for table, keys := range w.keys {
		var bw, br string
		for k, u := range keys {
			if u.Write > keys[bw].Write {
				bw = k
			}
			if u.Read > keys[br].Read {
				br = k
			}
		}
		fmt.Println(table, "| writes", bw, keys[bw].Write, "| reads", br, keys[br].Read)
	}
	for _, k := range m.keys {
		fmt.Printf("model %s %s %s %.1f %.1f\n", k.table, k.key, k.whose, k.write, k.read)
	}
	_ = e
}
