package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
)

// onPosts calls f n times with posts, in proportion to the followers of their authors, and
// with another user each time.
func (s *simulation) onPosts(n float64, f func(author, by int, post string)) {
	by := 0
	for author, n := range s.fanned(n) {
		for i, n := range deal(float64(n), ones(len(s.posts[author]))) {
			for range n {
				if by = (by + 1) % len(s.fans); by == author {
					by = (by + 1) % len(s.fans)
				}
				f(author, by, s.posts[author][i].String())
			}
		}
	}
}

func (s *simulation) comment() {
	s.onPosts(s.total(s.in.Comments), func(_, by int, post string) {
		s.call("feed/comment.Repository.Add", func(ctx context.Context) error {
			return err3(s.comments.Add(ctx, comment.Comment{Object: post, User: user(by), Text: strings.Repeat("x", int(s.in.CommentBytes))}))
		})
	})
	s.onPosts(s.total(s.in.CommentReads), func(_, _ int, post string) {
		s.call("feed/comment.Repository.ByObject", func(ctx context.Context) error {
			return err2(s.comments.ByObject(ctx, post, cursor.PageRequest{Limit: pageSize}, nil))
		})
	})
}

func (s *simulation) react() {
	s.onPosts(s.total(s.in.Likes), func(_, by int, post string) {
		s.call("feed/reaction.Repository.React", func(ctx context.Context) error {
			return err3(s.reactions.React(ctx, reaction.Reaction{User: user(by), Object: post, Kind: "like"}))
		})
	})
}

// ring notifies authors of likes of their posts.
func (s *simulation) ring() {
	s.onPosts(s.total(s.in.Notifications), func(author, by int, post string) {
		s.call("notify.Repository.Notify", func(ctx context.Context) error {
			id, err := s.gen.Next(ctx)
			if err != nil {
				return err
			}
			return err3(s.bell.Notify(ctx, notify.Notification{User: user(author), Activity: feed.Activity{
				ID: id, Actor: feed.Ref{ID: user(by)}, Verb: "like", Object: feed.Ref{Kind: "post", ID: post},
			}, CountBy: notify.ByActor}))
		})
	})
	s.byUsers(s.in.BellChecks, func(who int) {
		s.call("notify.Repository.Unseen", func(ctx context.Context) error { return err2(s.later.Unseen(ctx, notify.Reader{User: user(who)})) })
	})
	s.byUsers(s.in.BellOpens, func(who int) {
		var seen notify.View
		s.call("notify.Repository.List", func(ctx context.Context) error {
			page, err := s.later.List(ctx, notify.Reader{User: user(who)}, cursor.PageRequest{Limit: pageSize})
			seen = notify.See(page.Items)
			return err
		})
		if seen.At != 0 {
			s.call("notify.Repository.MarkSeen", func(ctx context.Context) error { return err2(s.later.MarkSeen(ctx, user(who), seen)) })
		}
	})
}

// talk pairs users up. In each conversation the two take turns, and each reads what the
// other has written. The messages go through the processes as they come.
func (s *simulation) talk() {
	pairs := int(s.total(s.in.Conversations) / 2)
	for i, n := range deal(s.total(s.in.Messages), ones(pairs)) {
		s.converse(user(2*i), user(2*i+1), n)
	}
	s.byUsers(s.in.InboxReads, func(who int) {
		s.call("notify/message.Repository.Inbox", func(ctx context.Context) error {
			return err2(s.mailbox.Inbox(ctx, user(who), cursor.PageRequest{Limit: pageSize}))
		})
	})
}

func (s *simulation) converse(a, b string, n int) {
	pair := message.Pair{User: a, Other: b}.Conversation()
	said := func(by string, n int) message.Message {
		return message.Message{Conversation: pair, Sender: by, Key: fmt.Sprintf("%s-%08d", by, n), Text: strings.Repeat("x", int(s.in.MessageBytes))}
	}
	last, _, err := s.mailbox.Send(s.preparing(), said(b, 0)) // on another day
	assert.NoError(s.t, err)
	for i := 1; i <= n; i++ {
		in := message.In{Conversation: pair, User: a}
		s.call("notify/message.Repository.History", func(ctx context.Context) error {
			return err2(s.mailbox.History(ctx, in, cursor.PageRequest{Limit: pageSize}))
		})
		s.call("notify/message.Repository.MarkRead", func(ctx context.Context) error { return err2(s.mailbox.MarkRead(ctx, in, last.Seq)) })
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
	weights := weightsOf(ranks(math.Round(s.total(s.in.Videos)), s.in.Zipf))
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
	s.videoClock = ahead()
	s.spread(&s.videoClock, s.shuffled(calls))
	calls = nil
	for video, views := range deal(s.total(s.in.Viewers), weights) {
		for range views {
			for segment := range segments {
				calls = append(calls, func() {
					s.call("danmu.Repository.Segment", func(ctx context.Context) error {
						return err2(process().Segment(ctx, fmt.Sprintf("video-%07d", video), segment, nil))
					})
				})
			}
		}
	}
	s.spread(&s.videoClock, s.shuffled(calls))
}

// ahead is when a simulated day begins: no id of the machine's clock is from its future.
func ahead() time.Time { return time.Now().Add(time.Hour) }

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
		_, err := s.boards[0].Define(s.preparing(), leaderboard.Board{Name: name(board), Shards: s.in.BoardShards})
		assert.NoError(s.t, err)
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
				return err3(r.Submit(ctx, leaderboard.Submission{Board: name(player), Player: user(player), Score: leaderboard.Int(score)}))
			}, player)
		}
	}
	for range int(s.in.RankReads) {
		for player := range players {
			call("leaderboard.Repository.Rank", func(ctx context.Context, r *leaderboard.Repository) error {
				return err2(r.Rank(ctx, leaderboard.In{Board: name(player)}, user(player)))
			}, player)
		}
	}
	for range int(s.in.TopReads) {
		for player := range players {
			call("leaderboard.Repository.Top", func(ctx context.Context, r *leaderboard.Repository) error {
				return err2(r.Top(ctx, leaderboard.In{Board: name(player)}, cursor.PageRequest{Limit: pageSize}))
			}, player)
		}
	}
	s.boardClock = ahead()
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
