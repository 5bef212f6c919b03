package seed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify/message"
)

// talk writes the conversations, each with ids of its time.
func (w *writer) talk(ctx context.Context) error {
	for i, t := range talks {
		clock := newClock(w.anchor.Add(-time.Duration(t.Hours)*time.Hour), fmt.Sprintf("talk/%d", i))
		messages, err := w.Messages(clock, clock.Now)
		if err != nil {
			return err
		}
		conversation := t.Group
		if t.Group == "" {
			conversation = message.Pair{User: t.Members[0], Other: t.Members[1]}.Conversation()
		} else if _, err := messages.Create(ctx, message.Group{ID: t.Group, Members: t.Members}, t.Members[0]); skip(err) != nil {
			return err
		}
		var seq int64
		for k, l := range t.Lines {
			clock.Step(time.Duration(3+(k*37+i*11)%50) * time.Minute)
			sent, _, err := messages.Send(ctx, message.Message{
				Conversation: conversation, Sender: l.By, Key: fmt.Sprintf("seed/%d/%d", i, k), Text: l.Text,
			})
			if err != nil {
				return fmt.Errorf("send line %d of conversation %d: %w", k, i, err)
			}
			seq = sent.Seq
		}
		for _, m := range t.Members {
			read := seq
			if m == t.Members[0] {
				read -= int64(t.Unread)
			}
			if _, err := messages.MarkRead(ctx, message.In{Conversation: conversation, User: m}, read); err != nil {
				return err
			}
		}
	}
	return nil
}

// clock is a clock and a source of ids. Step sets its time, so that writes of now have times in
// the past.
type clock struct {
	at   time.Time
	key  string
	n    int
	last ids.ID
}

func newClock(at time.Time, key string) *clock { return &clock{at: at, key: key} }

func (c *clock) Now() time.Time { return c.at }

func (c *clock) Step(d time.Duration) { c.at = c.at.Add(d) }

// Next is an id of the clock's time, greater than all before.
func (c *clock) Next(context.Context) (ids.ID, error) {
	c.n++
	id, err := ids.Backdate(c.at, fmt.Sprintf("%s/%d", c.key, c.n))
	for err == nil && id <= c.last {
		c.at = c.at.Add(time.Millisecond)
		id, err = ids.Backdate(c.at, fmt.Sprintf("%s/%d", c.key, c.n))
	}
	c.last = id
	return id, err
}

// skip returns nil for ErrRemoved: somebody has removed what an earlier seed wrote.
func skip(err error) error {
	if errors.Is(err, plaza.ErrRemoved) {
		return nil
	}
	return err
}
