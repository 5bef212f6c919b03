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
	"github.com/stretchr/testify/assert"
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
	worker    *feed.Repository
	comments  *comment.Repository
	reactions *reaction.Repository
	boards    []*leaderboard.Repository // by process
	danmu     []*danmu.Repository
	bell      *notify.Repository
	later     *notify.Repository // by a clock ahead
	messages  []*message.Repository
	mailbox   *message.Repository // by a clock ahead
}

func newSimulation(t *testing.T, in Input) *simulation {
	return &simulation{t: t, in: in, wire: newWireMeter(), rng: rand.New(rand.NewPCG(1, 2))}
}

func simulate(t *testing.T, in Input) *wireMeter {
	s := newSimulation(t, in)
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
	return s.wire
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
	feeds, opts := table("feed", feed.Table), feed.Options{InlineFollowers: s.in.InlineFollowers, JobShards: s.in.JobShards}
	s.feeds, err = feed.New(db, feeds, s.gen, s.follows, &opts)
	ok(err)
	s.worker, err = feed.New(db, feeds, s.gen, s.follows, &opts)
	ok(err)
	s.comments, err = comment.New(db, table("comment", comment.Table), s.gen, nil)
	ok(err)
	s.reactions, err = reaction.New(db, table("reaction", reaction.Table), s.gen, &reaction.Options{Kinds: []string{"like"}})
	ok(err)
	boards, videos, messages := table("leaderboard", leaderboard.Table), table("danmu", danmu.Table), table("message", message.Table)
	seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	for range s.in.Processes {
		b, err := leaderboard.New(db, boards, s.gen, &leaderboard.Options{Refresh: seconds(s.in.Refresh), Now: func() time.Time { return s.boardClock }})
		ok(err)
		v, err := danmu.New(db, videos, s.gen, &danmu.Options{
			Limiter: ratelimit.Unlimited{}, Refresh: seconds(s.in.Refresh), Cache: seconds(s.in.DanmuCache),
			Now: func() time.Time { return s.videoClock },
		})
		ok(err)
		m, err := message.New(db, messages, s.gen, &message.Options{Limiter: ratelimit.Unlimited{}})
		ok(err)
		s.boards, s.danmu, s.messages = append(s.boards, b), append(s.danmu, v), append(s.messages, m)
	}
	bells := table("notify", notify.Table)
	s.bell, err = notify.New(db, bells, s.gen, nil)
	ok(err)
	s.later, err = notify.New(db, bells, s.gen, &notify.Options{Now: ahead})
	ok(err)
	s.mailbox, err = message.New(db, messages, s.gen, &message.Options{Now: ahead, Limiter: ratelimit.Unlimited{}})
	ok(err)
}

// call runs a call under its operation's name.
func (s *simulation) call(operation string, f func(context.Context) error) {
	s.wire.call(operation)
	assert.NoError(s.t, f(plaza.WithOperation(s.t.Context(), operation)), operation) // in any goroutine
}

// err2 and err3 return the error of a call with other results.
func err2[A any](_ A, err error) error { return err }

func err3[A, B any](_ A, _ B, err error) error { return err }

// prepared is the operation of calls that are not part of the day.
const prepared = "prepared"

func (s *simulation) preparing() context.Context { return plaza.WithOperation(s.t.Context(), prepared) }

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

// dealGraph gives each rank the followers that the law gives, from a round of users in
// random order, so that everybody follows as many.
func (s *simulation) dealGraph() {
	n := int(s.in.Users)
	weights := weightsOf(zipf(s.in.Users, s.in.Follows, s.in.Zipf))
	s.fans = deal(float64(n)*s.in.Follows, weights)
	s.readers = make([][]int, n)
	s.order = s.rng.Perm(n)
	at := 0
	for followee, fans := range s.fans {
		for range fans {
			if s.order[at%n] == followee {
				at++
			}
			s.readers[followee] = append(s.readers[followee], s.order[at%n])
			at++
		}
	}
}

func weightsOf(bins []bin) (weights []float64) {
	for _, b := range bins {
		for range int(b.users) {
			weights = append(weights, b.followers)
		}
	}
	return weights
}

func (s *simulation) importGraph() {
	s.dealGraph()
	_, err := s.follows.Import(s.preparing(), "graph", func(yield func(follow.Edge, error) bool) {
		for followee, readers := range s.readers {
			for _, follower := range readers {
				if !yield(follow.Edge{Follower: user(follower), Followee: user(followee)}, nil) {
					return
				}
			}
		}
	}, nil)
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
	return deal(perUser*float64(len(s.fans)), ones(len(s.fans)))
}

// byUsers calls f as often as evenly says.
func (s *simulation) byUsers(perUser float64, f func(who int)) {
	for who, n := range s.evenly(perUser) {
		for range n {
			f(who)
		}
	}
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func (s *simulation) total(perUser float64) float64 { return perUser * float64(s.in.Users) }

func (s *simulation) publish() {
	s.posts = make([][]ids.ID, len(s.fans))
	_, _, err := s.feeds.Outbox("nobody").Publish(s.preparing(), s.post("nobody")) // a process's first
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
		s.call("feed.Repository.Run", func(ctx context.Context) error { return err2(s.worker.Deliver(ctx)) })
	}
}

func (s *simulation) post(author string) feed.Activity {
	return feed.Activity{
		Actor: feed.Ref{ID: author}, Verb: "post", Object: feed.Ref{Kind: "note", ID: "0123456789abc"},
		Data: []byte(`"` + strings.Repeat("x", int(s.in.PostBytes)-2) + `"`),
	}
}

func (s *simulation) readHomes() {
	s.byUsers(s.in.HomeReads, func(i int) { s.readHome(user(s.order[i])) })
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
	s.call("feed/reaction.Repository.CountsMany", func(ctx context.Context) error { return err2(s.reactions.CountsMany(ctx, objects)) })
	s.call("feed/reaction.Repository.Reacted", func(ctx context.Context) error { return err2(s.reactions.Reacted(ctx, reader, objects)) })
	s.call("feed/comment.Repository.CountsMany", func(ctx context.Context) error { return err2(s.comments.CountsMany(ctx, objects)) })
}

func (s *simulation) readProfiles() {
	viewer := 0
	for owner, n := range s.fanned(s.total(s.in.ProfileReads)) {
		for range n {
			viewer = (viewer + 1) % len(s.fans)
			other := user(viewer)
			s.call("follow.Repository.Counts", func(ctx context.Context) error { return err2(s.follows.Counts(ctx, user(owner))) })
			s.call("follow.Repository.Relations", func(ctx context.Context) error { return err2(s.follows.Relations(ctx, other, []string{user(owner)})) })
			s.call("feed.Outbox.List", func(ctx context.Context) error {
				return err2(s.feeds.Outbox(user(owner)).List(ctx, cursor.PageRequest{Limit: pageSize}))
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
				return err2(s.feeds.Home(user(follower)).Follow(ctx, user(followee), nil))
			})
		}
	}
}
