package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// simulation plays a day of the modelled calls through real repositories. Where the
// model has an expectation, the simulation deals it out evenly, so that chance does not
// hide a difference: each followee gets the followers that the law gives, rounded.
type simulation struct {
	t                      *testing.T
	in                     Input
	wire                   *wireMeter
	rng                    *rand.Rand
	videoClock, boardClock time.Time
	fans                   []int   // followers, by rank
	readers                [][]int // who they are
	order                  []int   // users; the followers of one are neighbours in it
	posts                  [][]ids.ID

	gen       *ids.Generator
	follows   *follow.Repository
	feeds     *feed.Repository
	comments  *comment.Repository
	reactions *reaction.Repository
	boards    []*leaderboard.Repository // by process
	danmu     []*danmu.Repository
	bell      *notify.Repository
	later     *notify.Repository // by a clock a minute ahead
	messages  []*message.Repository
	mailbox   *message.Repository // by a clock a minute ahead
}

func simulate(t *testing.T, in Input) *wireMeter { return simulateAll(t, in).wire }

func simulateAll(t *testing.T, in Input) *simulation {
	s := &simulation{t: t, in: in, wire: newWireMeter(), rng: rand.New(rand.NewPCG(1, 2)), videoClock: time.Now(), boardClock: time.Now()}
	s.open()
	s.importGraph()
	s.publish() // what the others read
	group := new(errgroup.Group)
	group.SetLimit(4)
	for _, part := range []func(){s.readHomes, s.readProfiles, s.comment, s.react, s.compete, s.watch, s.ring, s.talk} {
		group.Go(func() error { part(); return nil })
	}
	require.NoError(t, group.Wait())
	s.follow() // last, since it changes the graph
	return s
}

func user(n int) string { return fmt.Sprintf("user-%08d", n) }

func (s *simulation) open() {
	var err error
	ok := func(err error) { require.NoError(s.t, err) }
	db := dynamotest.DB(s.t, s.wire.Wrap)
	table := func(name string, schema func(string) *dynamodb.CreateTableInput) string {
		full := dynamotest.Table(s.t, schema)
		s.wire.tables[full] = name
		return full
	}
	s.gen, err = ids.New(1, nil)
	ok(err)
	s.follows, err = follow.New(db, table("follow", follow.Table), s.gen, nil)
	ok(err)
	s.feeds, err = feed.New(db, table("feed", feed.Table), s.gen, s.follows, &feed.Options{InlineFollowers: s.in.InlineFollowers, JobShards: s.in.JobShards})
	ok(err)
	s.comments, err = comment.New(db, table("comment", comment.Table), s.gen, nil)
	ok(err)
	s.reactions, err = reaction.New(db, table("reaction", reaction.Table), s.gen, &reaction.Options{Kinds: []string{"like"}})
	ok(err)
	boards, videos, messages := table("leaderboard", leaderboard.Table), table("danmu", danmu.Table), table("message", message.Table)
	for range s.in.Processes {
		b, err := leaderboard.New(db, boards, s.gen, &leaderboard.Options{Now: func() time.Time { return s.boardClock }})
		ok(err)
		v, err := danmu.New(db, videos, s.gen, &danmu.Options{Now: func() time.Time { return s.videoClock }, Limiter: ratelimit.Unlimited{}, Cache: time.Duration(s.in.DanmuCache * float64(time.Second)), Refresh: time.Duration(s.in.Refresh * float64(time.Second))})
		ok(err)
		m, err := message.New(db, messages, s.gen, &message.Options{Limiter: ratelimit.Unlimited{}})
		ok(err)
		s.boards, s.danmu, s.messages = append(s.boards, b), append(s.danmu, v), append(s.messages, m)
	}
	bells := table("notify", notify.Table)
	s.bell, err = notify.New(db, bells, s.gen, nil)
	ok(err)
	ahead := func() time.Time { return time.Now().Add(time.Minute) }
	s.later, err = notify.New(db, bells, s.gen, &notify.Options{Now: ahead})
	ok(err)
	s.mailbox, err = message.New(db, messages, s.gen, &message.Options{Now: ahead, Limiter: ratelimit.Unlimited{}})
	ok(err)
}

// call runs a call under its operation's name.
func (s *simulation) call(operation string, f func(context.Context) error) {
	s.wire.call(operation)
	require.NoError(s.t, f(plaza.WithOperation(s.t.Context(), operation)), operation)
}

// deal splits n into whole parts that are proportional to the weights.
func deal(n float64, weights []float64) []int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	parts := make([]int, len(weights))
	owed := 0.5
	for i, w := range weights {
		owed += n * w / sum
		parts[i] = int(math.Floor(owed))
		owed -= float64(parts[i])
	}
	return parts
}

func (s *simulation) importGraph() {
	n := int(s.in.Users)
	weights := make([]float64, 0, n)
	for _, b := range zipf(s.in.Users, s.in.Follows, s.in.Zipf) {
		for range int(b.users) {
			weights = append(weights, b.followers)
		}
	}
	s.fans = deal(float64(n)*s.in.Follows, weights)
	s.readers = make([][]int, n)
	s.order = s.rng.Perm(n)
	order := s.order
	at := 0
	edges := func(yield func(follow.Edge, error) bool) {
		for followee, fans := range s.fans {
			for range fans {
				if order[at%n] == followee {
					at++
				}
				follower := order[at%n]
				at++
				s.readers[followee] = append(s.readers[followee], follower)
				if !yield(follow.Edge{Follower: user(follower), Followee: user(followee)}, nil) {
					return
				}
			}
		}
	}
	_, err := s.follows.Import(s.t.Context(), "graph", edges, nil)
	require.NoError(s.t, err)
}

// fanned deals n calls out in proportion to the followers.
func (s *simulation) fanned(n float64) []int {
	weights := make([]float64, len(s.fans))
	for i, fans := range s.fans {
		weights[i] = float64(fans)
	}
	return deal(n, weights)
}

// evenly deals n calls out to all users, in an order that has nothing to do with ranks.
func (s *simulation) evenly(perUser float64) []int {
	n := len(s.fans)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	return deal(perUser*float64(n), weights)
}

func (s *simulation) total(perUser float64) float64 { return perUser * float64(s.in.Users) }

func (s *simulation) publish() {
	s.posts = make([][]ids.ID, len(s.fans))
	_, _, err := s.feeds.Outbox("nobody").Publish(s.t.Context(), s.post("nobody")) // a process's first
	require.NoError(s.t, err)
	group := new(errgroup.Group)
	group.SetLimit(4)
	for author, n := range s.evenly(s.in.Posts) {
		group.Go(func() error {
			for range n {
				s.call("feed.Outbox.Publish", func(ctx context.Context) error {
					a, _, err := s.feeds.Outbox(user(author)).Publish(ctx, s.post(user(author)))
					s.posts[author] = append(s.posts[author], a.ID)
					return err
				})
			}
			return nil
		})
	}
	require.NoError(s.t, group.Wait())
	for range int(day / s.in.Poll * float64(s.in.Workers)) {
		s.call("feed.Repository.Run", func(ctx context.Context) error { _, err := s.feeds.Deliver(ctx); return err })
	}
}

func (s *simulation) post(author string) feed.Activity {
	return feed.Activity{
		Actor: feed.Ref{ID: author}, Verb: "post", Object: feed.Ref{Kind: "note", ID: "0123456789abc"},
		Data: []byte(`"` + strings.Repeat("x", int(s.in.PostBytes)-2) + `"`),
	}
}

func (s *simulation) readHomes() {
	for i, n := range s.evenly(s.in.HomeReads) {
		for range n {
			s.readHome(user(s.order[i]))
		}
	}
}

func (s *simulation) readHome(reader string) {
	var objects []string
	s.call("feed.Home.List", func(ctx context.Context) error {
		page, err := s.feeds.Home(reader).List(ctx, cursor.PageRequest{Limit: pageSize})
		for _, a := range page.Items {
			objects = append(objects, a.ID.String())
		}
		return err
	})
	if len(objects) == 0 || s.in.HomeCounts == 0 {
		return
	}
	s.call("feed/reaction.Repository.CountsMany", func(ctx context.Context) error { _, err := s.reactions.CountsMany(ctx, objects); return err })
	s.call("feed/reaction.Repository.Reacted", func(ctx context.Context) error { _, err := s.reactions.Reacted(ctx, reader, objects); return err })
	s.call("feed/comment.Repository.CountsMany", func(ctx context.Context) error { _, err := s.comments.CountsMany(ctx, objects); return err })
}

func (s *simulation) readProfiles() {
	viewer := 0
	for owner, n := range s.fanned(s.total(s.in.ProfileReads)) {
		for range n {
			viewer = (viewer + 1) % len(s.fans)
			other := user(viewer)
			s.call("follow.Repository.Counts", func(ctx context.Context) error { _, err := s.follows.Counts(ctx, user(owner)); return err })
			s.call("follow.Repository.Relations", func(ctx context.Context) error {
				_, err := s.follows.Relations(ctx, other, []string{user(owner)})
				return err
			})
			s.call("feed.Outbox.List", func(ctx context.Context) error {
				_, err := s.feeds.Outbox(user(owner)).List(ctx, cursor.PageRequest{Limit: pageSize})
				return err
			})
		}
	}
}

// follow makes new edges to people in proportion to their followers.
func (s *simulation) follow() {
	follower := 0
	for followee, n := range s.fanned(s.total(s.in.NewFollows)) {
		follows := make(map[int]bool, s.fans[followee])
		for _, reader := range s.readers[followee] {
			follows[reader] = true
		}
		for range n {
			for follower = (follower + 1) % len(s.fans); follows[follower] || follower == followee; {
				follower = (follower + 1) % len(s.fans)
			}
			follows[follower] = true
			s.call("feed.Home.Follow", func(ctx context.Context) error {
				_, err := s.feeds.Home(user(follower)).Follow(ctx, user(followee), nil)
				return err
			})
		}
	}
}

// onPosts calls f n times with posts, in proportion to the followers of their authors.
func (s *simulation) onPosts(n float64, f func(author int, post string, n int)) {
	for author, n := range s.fanned(n) {
		each := make([]float64, len(s.posts[author]))
		for i := range each {
			each[i] = 1
		}
		for i, n := range deal(float64(n), each) {
			f(author, s.posts[author][i].String(), n)
		}
	}
}

func (s *simulation) comment() {
	by := 0
	s.onPosts(s.total(s.in.Comments), func(_ int, post string, n int) {
		for range n {
			by = (by + 1) % len(s.fans)
			s.call("feed/comment.Repository.Add", func(ctx context.Context) error {
				_, _, err := s.comments.Add(ctx, comment.Comment{Object: post, User: user(by), Text: strings.Repeat("x", int(s.in.CommentBytes))})
				return err
			})
		}
	})
	s.onPosts(s.total(s.in.CommentReads), func(_ int, post string, n int) {
		for range n {
			s.call("feed/comment.Repository.ByObject", func(ctx context.Context) error {
				_, err := s.comments.ByObject(ctx, post, cursor.PageRequest{Limit: pageSize}, nil)
				return err
			})
		}
	})
}

func (s *simulation) react() {
	by := 0
	s.onPosts(s.total(s.in.Likes), func(_ int, post string, n int) {
		for range n {
			by = (by + 1) % len(s.fans)
			s.call("feed/reaction.Repository.React", func(ctx context.Context) error {
				_, _, err := s.reactions.React(ctx, reaction.Reaction{User: user(by), Object: post, Kind: "like"})
				return err
			})
		}
	})
}

// ring notifies authors of likes of their posts.
func (s *simulation) ring() {
	by := 0
	s.onPosts(s.total(s.in.Notifications), func(author int, post string, n int) {
		for range n {
			by = (by + 1) % len(s.fans)
			if by == author {
				by = (by + 1) % len(s.fans)
			}
			s.call("notify.Repository.Notify", func(ctx context.Context) error {
				id, err := s.gen.Next(ctx)
				if err != nil {
					return err
				}
				_, _, err = s.bell.Notify(ctx, notify.Notification{User: user(author), Activity: feed.Activity{
					ID: id, Actor: feed.Ref{ID: user(by)}, Verb: "like", Object: feed.Ref{Kind: "post", ID: post},
				}, CountBy: notify.ByActor})
				return err
			})
		}
	})
	for who, n := range s.evenly(s.in.BellChecks) {
		for range n {
			s.call("notify.Repository.Unseen", func(ctx context.Context) error {
				_, err := s.later.Unseen(ctx, notify.Reader{User: user(who)})
				return err
			})
		}
	}
	for who, n := range s.evenly(s.in.BellOpens) {
		for range n {
			var seen notify.View
			s.call("notify.Repository.List", func(ctx context.Context) error {
				page, err := s.later.List(ctx, notify.Reader{User: user(who)}, cursor.PageRequest{Limit: pageSize})
				seen = notify.See(page.Items)
				return err
			})
			if seen.At == 0 {
				continue
			}
			s.call("notify.Repository.MarkSeen", func(ctx context.Context) error { return s.later.MarkSeen(ctx, user(who), seen) })
		}
	}
}

// talk pairs users up. In each conversation the two take turns, and each reads what the
// other has written. The messages go through the processes as they come.
func (s *simulation) talk() {
	pairs := int(s.total(s.in.Conversations) / 2)
	each := make([]float64, pairs)
	for i := range each {
		each[i] = 1
	}
	for i, n := range deal(s.total(s.in.Messages), each) {
		s.converse(user(2*i), user(2*i+1), n)
	}
	for who, n := range s.evenly(s.in.InboxReads) {
		for range n {
			s.call("notify/message.Repository.Inbox", func(ctx context.Context) error {
				_, err := s.mailbox.Inbox(ctx, user(who), cursor.PageRequest{Limit: pageSize})
				return err
			})
		}
	}
}

func (s *simulation) converse(a, b string, n int) {
	pair := message.Pair{User: a, Other: b}.Conversation()
	said := func(by string, n int) message.Message {
		return message.Message{Conversation: pair, Sender: by, Key: fmt.Sprintf("%s-%08d", by, n), Text: strings.Repeat("x", int(s.in.MessageBytes))}
	}
	last, _, err := s.mailbox.Send(s.t.Context(), said(b, 0)) // on another day
	require.NoError(s.t, err)
	for i := 1; i <= n; i++ {
		in := message.In{Conversation: pair, User: a}
		s.call("notify/message.Repository.History", func(ctx context.Context) error {
			_, err := s.mailbox.History(ctx, in, cursor.PageRequest{Limit: pageSize})
			return err
		})
		s.call("notify/message.Repository.Read", func(ctx context.Context) error { return s.mailbox.Read(ctx, in, last.Seq) })
		s.call("notify/message.Repository.Send", func(ctx context.Context) (err error) {
			p := s.messages[(i/2)%len(s.messages)] // after a message the next one is as likely from another process
			last, _, err = p.Send(ctx, said(a, i))
			return err
		})
		a, b = b, a
	}
}

// watch sends danmu to videos and shows their segments, in a random order over the day.
func (s *simulation) watch() {
	var weights []float64
	for _, b := range ranks(math.Round(s.total(s.in.Videos)), s.in.Zipf) {
		for range int(b.users) {
			weights = append(weights, b.followers)
		}
	}
	segments := int(math.Ceil(s.in.VideoMinutes / segmentLength))
	var calls []func()
	n := 0
	process := func() *danmu.Repository { n++; return s.danmu[n%len(s.danmu)] }
	for video, sends := range deal(s.total(s.in.Danmu), weights) {
		for i := range sends {
			calls = append(calls, func() {
				s.call("danmu.Repository.Send", func(ctx context.Context) error {
					_, _, err := process().Send(ctx, danmu.Comment{
						Object: fmt.Sprintf("video-%07d", video), User: user(i), Text: strings.Repeat("x", 20),
						Progress: time.Duration(i%segments)*time.Duration(segmentLength)*time.Minute + time.Duration(i)*time.Millisecond,
					})
					return err
				})
			})
		}
	}
	s.spread(&s.videoClock, s.shuffled(calls))
	calls = nil
	for video, views := range deal(s.total(s.in.Viewers), weights) {
		for range views {
			for segment := range segments {
				calls = append(calls, func() {
					s.call("danmu.Repository.Segment", func(ctx context.Context) error {
						_, err := process().Segment(ctx, fmt.Sprintf("video-%07d", video), segment, nil)
						return err
					})
				})
			}
		}
	}
	s.spread(&s.videoClock, s.shuffled(calls))
}

// spread makes the calls, spread over the clock's day.
func (s *simulation) spread(clock *time.Time, calls []func()) {
	for _, call := range calls {
		call()
		*clock = clock.Add(time.Duration(day * float64(time.Second) / float64(len(calls))))
	}
}

func (s *simulation) shuffled(calls []func()) []func() {
	s.rng.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	return calls
}

// compete submits each player's scores in one of their orders after another.
func (s *simulation) compete() {
	players := int(s.total(s.in.Players))
	boards := int(math.Ceil(float64(players) / s.in.BoardSize))
	name := func(player int) string { return fmt.Sprintf("board-%07d", player%boards) }
	for board := range boards {
		_, err := s.boards[0].Define(s.t.Context(), leaderboard.Board{Name: name(board), Shards: s.in.BoardShards})
		require.NoError(s.t, err)
	}
	var calls []func()
	call := func(operation string, f func(context.Context, *leaderboard.Repository) error, player int) {
		calls = append(calls, func() {
			s.call(operation, func(ctx context.Context) error { return f(ctx, s.boards[player%len(s.boards)]) })
		})
	}
	n := int(s.in.BoardSubmits)
	orders := permutations(n)
	for i := range n {
		for player := range players {
			call("leaderboard.Repository.Submit", func(ctx context.Context, r *leaderboard.Repository) error {
				score := int64(1000*orders[player/boards%len(orders)][i] + player)
				_, _, err := r.Submit(ctx, leaderboard.Submission{Board: name(player), Player: user(player), Score: leaderboard.Int(score)})
				return err
			}, player)
		}
	}
	for range int(s.in.RankReads) {
		for player := range players {
			call("leaderboard.Repository.Rank", func(ctx context.Context, r *leaderboard.Repository) error {
				_, err := r.Rank(ctx, leaderboard.In{Board: name(player)}, user(player))
				return err
			}, player)
		}
	}
	for range int(s.in.TopReads) {
		for player := range players {
			call("leaderboard.Repository.Top", func(ctx context.Context, r *leaderboard.Repository) error {
				_, err := r.Top(ctx, leaderboard.In{Board: name(player)}, cursor.PageRequest{Limit: pageSize})
				return err
			}, player)
		}
	}
	s.spread(&s.boardClock, calls)
}

// permutations returns all orders of 0 to n-1.
func permutations(n int) [][]int {
	all := [][]int{{}}
	for i := range n {
		var next [][]int
		for _, p := range all {
			for at := range len(p) + 1 {
				next = append(next, slices.Insert(slices.Clone(p), at, i))
			}
		}
		all = next
	}
	return all
}
