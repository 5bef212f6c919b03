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

// talk is a conversation of two, or of a group that has a name.
type talk struct {
	group   string
	members []string
	ago     time.Duration // when it began
	lines   []line
	unread  int // how many of the last lines the first member has not read
}

type line struct{ by, text string }

var talks = []talk{
	{"", []string{"ann", "eric"}, 30 * time.Hour, []line{
		{"eric", "Did you see the fog over the strait this morning?"},
		{"ann", "I was asleep, like a reasonable person."},
		{"eric", "It is on my board. You missed something."},
		{"ann", "Just pinned it to mine. How early?"},
		{"eric", "Five. The ferry had its horn on the whole time."},
		{"ann", "Next time wake me. Really."},
		{"eric", "Saturday looks good: high pressure, no wind. Five at the pier?"},
		{"eric", "I bring the tea."},
	}, 2},
	{"", []string{"ann", "chris"}, 4 * 24 * time.Hour, []line{
		{"chris", "Your forest series is so good. Which place is it?"},
		{"ann", "The old growth up the river. Two hours from here."},
		{"chris", "We have nothing like it on the island."},
		{"ann", "You have waves. I would trade a week."},
		{"chris", "Deal. My sofa is yours in February."},
	}, 0},
	{"", []string{"lin", "ann"}, 50 * time.Hour, []line{
		{"ann", "Hi Lin! Your pictures of the sea at first light are my favourites here."},
		{"lin", "谢谢你！I get up at five for them, the harbour is empty then."},
		{"ann", "Could I use one as the cover of my board?"},
		{"lin", "Of course. 我很高兴。"},
		{"ann", "I will send you a print."},
	}, 1},
	{"", []string{"eric", "chris"}, 6 * 24 * time.Hour, []line{
		{"eric", "Hawaii is on Places to Visit, for the fourth time."},
		{"chris", "Then visit."},
		{"eric", "March?"},
		{"chris", "March is perfect. Bring the small camera, leave the tripod."},
	}, 0},
	{"", []string{"mia", "eric"}, 26 * time.Hour, []line{
		{"eric", "Somebody sells followers under one of my pictures. I reported it."},
		{"mia", "Thank you, I saw it. I look through the reports tonight."},
		{"eric", "No hurry. Thanks for keeping this place nice."},
	}, 1},
	{"", []string{"chris", "lin"}, 3 * 24 * time.Hour, []line{
		{"chris", "What is the small boat with the red sail?"},
		{"lin", "A fishing boat of my uncle. 他每天都出海。"},
		{"chris", "It looks like a painting."},
	}, 1},
	{"the-early-ones", []string{"ann", "eric", "chris", "lin", "mia"}, 9 * 24 * time.Hour, []line{
		{"eric", "A group for those who get up too early."},
		{"lin", "我在！"},
		{"chris", "Present, with sand in my shoes."},
		{"ann", "Present, under protest."},
		{"mia", "I moderate in my sleep anyway."},
		{"eric", "One picture each at sunrise on Sunday, same hour for everybody?"},
		{"lin", "Good idea. Sunrise here is your afternoon, but yes!"},
		{"ann", "Then at each one's own sunrise."},
		{"chris", "Tag: sea or forest, no cheating with archives."},
		{"mia", "I will know."},
	}, 2},
}

// talk writes the conversations, each with ids of its time.
func (w *writer) talk(ctx context.Context) error {
	for i, t := range talks {
		clock := newClock(w.anchor.Add(-t.ago), fmt.Sprintf("talk/%d", i))
		messages, err := w.Messages(clock, clock.Now)
		if err != nil {
			return err
		}
		conversation := t.group
		if t.group == "" {
			conversation = message.Pair{User: t.members[0], Other: t.members[1]}.Conversation()
		} else if _, err := messages.Create(ctx, message.Group{ID: t.group, Members: t.members}, t.members[0]); skip(err) != nil {
			return err
		}
		var seq int64
		for k, l := range t.lines {
			clock.Step(time.Duration(3+(k*37+i*11)%50) * time.Minute)
			sent, _, err := messages.Send(ctx, message.Message{
				Conversation: conversation, Sender: l.by, Key: fmt.Sprintf("seed/%d/%d", i, k), Text: l.text,
			})
			if err != nil {
				return fmt.Errorf("send line %d of conversation %d: %w", k, i, err)
			}
			seq = sent.Seq
		}
		for _, m := range t.members {
			read := seq
			if m == t.members[0] {
				read -= int64(t.unread)
			}
			if _, err := messages.MarkRead(ctx, message.In{Conversation: conversation, User: m}, read); err != nil {
				return err
			}
		}
	}
	return nil
}

// clock is a clock and a source of ids that stand where Step puts them, so that what is
// written now lies in the past.
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

// skip is nil for what an earlier seed wrote and somebody has removed since.
func skip(err error) error {
	if errors.Is(err, plaza.ErrRemoved) {
		return nil
	}
	return err
}
