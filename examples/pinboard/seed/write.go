package seed

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func (w *writer) follow(ctx context.Context) error {
	edges := func(yield func(follow.Edge, error) bool) {
		for _, e := range w.follows {
			if !yield(e, nil) {
				return
			}
		}
	}
	_, err := w.Follows.Import(ctx, "pinboard", edges, &follow.ImportOptions{Window: 1000, Parallel: atOnce})
	return err
}

// openBoards writes the lists of boards. They are older than what homes keep, so nothing
// is delivered.
func (w *writer) openBoards(ctx context.Context) error {
	return each(ctx, w.members, func(ctx context.Context, m member) error {
		var as []feed.Activity
		for i, b := range m.boards {
			data, err := json.Marshal(map[string]string{"name": b.name})
			if err != nil {
				return err
			}
			id, err := ids.Backdate(w.anchor.AddDate(0, 0, -200).Add(-time.Duration(i)*27*time.Hour), "board/"+b.ID())
			if err != nil {
				return err
			}
			as = append(as, feed.Activity{
				ID: id, Actor: personRef(m.Person), Verb: "create", Object: feed.Ref{Kind: "board", ID: b.ID()},
				ForeignID: b.ID(), To: []string{"about:" + b.ID()}, Data: data,
			})
		}
		_, err := w.Feeds.Outbox("boards:"+m.ID).PublishMany(ctx, as)
		return skip(err)
	})
}

// pin publishes the pictures and then the repins. Publish delivers to the followers' homes.
func (w *writer) pin(ctx context.Context) error {
	err := each(ctx, w.pictures, func(ctx context.Context, pic picture) error {
		return w.publish(ctx, w.members[pic.owner], pic.pin, pic, pic.board, "tag:"+pic.tag)
	})
	if err != nil {
		return err
	}
	return each(ctx, w.repins, func(ctx context.Context, r repin) error {
		pic := w.pictures[r.picture]
		return w.publish(ctx, w.members[r.by], r.pin, pic, r.board, "repins:"+pic.ID)
	})
}

func (w *writer) publish(ctx context.Context, by member, id ids.ID, pic picture, to board, also ...string) error {
	data, err := json.Marshal(map[string]string{"title": pic.title, "board": to.name, "tag": pic.tag})
	if err != nil {
		return err
	}
	_, _, err = w.Feeds.Outbox(by.ID).Publish(ctx, feed.Activity{
		ID: id, Actor: personRef(by.Person), Verb: "pin", Object: pictureRef(pic.ID), Target: feed.Ref{Kind: "board", ID: to.ID()},
		ForeignID: "picture:" + pic.ID, To: append([]string{"board:" + to.ID()}, also...), Data: data,
	})
	return skip(err)
}

func (w *writer) like(ctx context.Context) error {
	return each(ctx, w.likes, func(ctx context.Context, l like) error {
		_, _, err := w.Reactions.React(ctx, reaction.Reaction{User: w.members[l.by].ID, Object: l.object, Kind: "like", ID: l.ID})
		return skip(err)
	})
}

// report reports the spam and one picture to the moderators, each by a few people.
func (w *writer) report(ctx context.Context) error {
	reports, err := w.reports()
	if err != nil {
		return err
	}
	for i, r := range reports { // in order, since the first report of an object represents all
		if _, _, err := w.Reactions.React(ctx, r); skip(err) != nil {
			return err
		}
		if err := w.Report(ctx, r, reasons[i%len(reasons)]); err != nil {
			return err
		}
	}
	return nil
}

var reasons = []string{"This is an advertisement.", "", "Under three of my pictures by now.", "Please have a look.", ""}

func (w *writer) reports() ([]reaction.Reaction, error) {
	var all []reaction.Reaction
	report := func(object string, since ids.ID, author string, n int) error {
		for k := range n {
			m := w.members[(len(all)*13+k*7)%len(w.members)]
			if m.ID == author {
				continue
			}
			key := "report/" + m.ID + "/" + object
			at := since.Time().Add(w.anchor.Sub(since.Time()) * time.Duration(k+1) / time.Duration(n+1))
			id, err := ids.Backdate(at, key)
			if err != nil {
				return err
			}
			all = append(all, reaction.Reaction{User: m.ID, Object: object, Kind: "report", ID: id})
		}
		return nil
	}
	for _, t := range w.threads {
		for _, c := range t.comments {
			for i, text := range remarks.Spam {
				if c.Text != text {
					continue
				}
				if err := report(commentObject(c), c.ID, c.User, 2+i%3); err != nil {
					return nil, err
				}
			}
		}
	}
	pic := w.pictures[len(w.pictures)/2]
	return all, report("picture:"+pic.ID, pic.pin, w.members[pic.owner].ID, 2)
}

// comment writes one picture's comments after each other, because they share its counts.
func (w *writer) comment(ctx context.Context) error {
	return each(ctx, w.threads, func(ctx context.Context, t thread) error {
		object := "picture:" + w.pictures[t.picture].ID
		for _, c := range t.comments {
			_, _, err := w.Comments.Add(ctx, c)
			// What it answers may be hidden by now.
			if skip(err) != nil && !errors.Is(err, plaza.ErrNotFound) {
				return err
			}
		}
		if t.pinned != 0 {
			if _, err := w.Comments.Pin(ctx, comment.Address{Object: object, ID: t.pinned}); skip(err) != nil {
				return err
			}
		}
		if t.hidden != 0 {
			if _, err := w.Comments.Hide(ctx, comment.Address{Object: object, ID: t.hidden}); err != nil {
				return err
			}
		}
		return nil
	})
}

// rankDays covers this week and the last, whenever a week begins.
const rankDays = 14

// recentLikes are the likes of pictures that count for this week's or last week's board.
func (p *plan) recentLikes() []like {
	var recent []like
	since := ids.At(p.anchor.Truncate(24*time.Hour).AddDate(0, 0, -rankDays))
	for _, l := range p.likes {
		if l.picture >= 0 && l.ID >= since {
			recent = append(recent, l)
		}
	}
	return recent
}

// rank gives a point for each like, day by day, with a clock at which that day's period
// is still open.
func (w *writer) rank(ctx context.Context) error {
	days := map[time.Time][]leaderboard.Submission{}
	for _, l := range w.recentLikes() {
		day := l.ID.Time().Truncate(24 * time.Hour)
		days[day] = append(days[day], leaderboard.Submission{
			Board: Board, Player: w.members[w.pictures[l.picture].owner].ID, Score: leaderboard.Int(1),
			Operator: leaderboard.Increment, Op: l.ID, Retractable: true,
		})
	}
	for k := rankDays; k >= 0; k-- {
		day := w.anchor.Truncate(24*time.Hour).AddDate(0, 0, -k)
		if len(days[day]) == 0 {
			continue
		}
		end := day.Add(24*time.Hour - time.Millisecond)
		if end.After(w.anchor) {
			end = w.anchor
		}
		boards, err := w.Boards(func() time.Time { return end })
		if err != nil {
			return err
		}
		results, _ := boards.SubmitMany(ctx, days[day])
		for _, r := range results {
			if skip(r.Err) != nil {
				return r.Err
			}
		}
	}
	return nil
}
