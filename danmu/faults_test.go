package danmu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Two processes send under faults. Each send is repeated until it succeeds, and once
// again later.
func TestEverySendIsOneComment(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faultMixes[seed%3])
			w := newWorld(t, nil, in.Wrap)
			processes := []world{w, w.process(t, nil, in.Wrap)}
			random := rand.New(rand.NewPCG(seed, 1))
			var sent []danmu.Comment
			for i := range faults.Size(30, 15) {
				c := danmu.Comment{Object: "v", User: "ann", Text: fmt.Sprint(i), Progress: time.Duration(random.IntN(720)) * time.Second}
				if i%2 == 0 {
					c.Key = fmt.Sprint(i)
				}
				var got danmu.Comment
				var created bool
				calls := faults.Acknowledged(t, func() (err error) {
					got, created, err = processes[random.IntN(2)].Send(t.Context(), c)
					c.ID = got.ID // so that the next attempt is a repeat
					return err
				})
				if calls == 1 {
					require.True(t, created, "however often the request was sent")
				}
				sent = append(sent, got)

				again := sent[random.IntN(len(sent))]
				faults.Acknowledged(t, func() (err error) {
					got, created, err = processes[random.IntN(2)].Send(t.Context(), again)
					return err
				})
				require.Equal(t, again, got)
				require.False(t, created)
				if i%10 == 9 {
					faults.Acknowledged(t, func() error {
						_, err := w.Configure(t.Context(), "v", danmu.Settings{Shards: 4 << (i / 10)})
						return err
					})
					w.pass(time.Minute)
				}
			}
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			in.Off()
			require.Len(t, w.items(t, "D#v#"), len(sent))
			lagging := faults.New(t, seed, faults.Rates{Stale: 1})
			reader := w.process(t, nil, lagging.Wrap)
			require.Len(t, all(t, reader.from(0), 7), len(sent))
			require.Len(t, reader.window(t, 0, 720, consistent), len(sent))
		})
	}
}

// One film is so hot that calls fail, and the index has only some of the last comments.
func TestAHotFilmAndAnIndexThatLags(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			lag, hot := faults.NewLag(t, seed), &faults.Buckets{PerSecond: 300}
			s := newStage(t, lag.Wrap, hot.Wrap)
			p := &party{stage: s, object: "film", users: []string{"anna", "jack", "zoe"}}
			ask := func(call func() error) int { return hot.Ask(t, call) }
			random := rand.New(rand.NewPCG(seed, 1))
			n := 0
			for ; hot.Throttled() < 50 || lag.Reads() < 50 || hot.Busy() == 0; n++ {
				require.Less(t, n, 300)
				given := danmu.Comment{Object: "film", User: p.users[n%3], Key: fmt.Sprint(n), Text: fmt.Sprint("text ", n), Progress: 20 * time.Second}
				ask(func() error {
					sent, _, err := p.Send(t.Context(), given)
					given = sent
					return err
				})
				p.add(given)
				p.pass(time.Millisecond)
				for range 2 {
					c := p.comments[max(0, n-random.IntN(10))]
					p.act(t, c, p.users[random.IntN(3)], deeds[random.IntN(len(deeds))], ask)
					ask(func() error {
						page, err := p.ByUser(t.Context(), given.User, cursor.PageRequest{Limit: listLimit})
						p.begins(t, page.Items, given.User)
						return err
					})
				}
			}
			t.Logf("%d comments, %d requests throttled, %d calls failed, %d reads of an index that lagged", n, hot.Throttled(), hot.Busy(), lag.Reads())
			leave := func() error { return p.Erase(t.Context(), "jack") }
			ask(leave)
			p.stage = s.process(t, lag.Wrap)
			for range 50 {
				p.by(t, "nobody")
			}
			ask(leave)
			for _, c := range p.comments {
				delete(c.liked, "jack")
				delete(c.reported, "jack")
				c.gone = c.gone || c.User == "jack"
			}
			p.holds(t)
		})
	}
}

// faultMixes are the mixes of faults that writes must survive.
var faultMixes = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.20, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

// expected is a comment and its expected state.
type expected struct {
	danmu.Comment
	gone, protected bool
	liked, reported map[string]bool
}

// party is a film with users who comment and act, and the state that should result.
type party struct {
	stage
	object   string
	users    []string
	comments []*expected
}

func (p *party) add(c danmu.Comment) {
	p.comments = append(p.comments, &expected{Comment: c, liked: map[string]bool{}, reported: map[string]bool{}})
}

var deeds = []string{"Like", "Like", "Like", "Unlike", "Unlike", "Report", "Report", "Protect", "Unprotect", "Recall", "Remove"}

// act makes one call, a deed, through ask. ask repeats the call until it succeeds and
// returns the number of calls.
func (p *party) act(t tester, c *expected, user, deed string, ask func(func() error) int) {
	t.Helper()
	refused := map[string]bool{
		"Like": c.gone && !c.liked[user], "Report": c.gone && !c.reported[user], "Protect": c.gone, "Unprotect": c.gone,
		"Recall": !c.gone && (c.User != user || p.Now().Sub(c.Sent) > 2*time.Minute),
	}[deed]
	if refused {
		changed, err := p.actions()[deed](t.Context(), of(c.Comment, user))
		require.Error(t, err)
		require.False(t, changed)
		return
	}
	meant := map[string]bool{
		"Like": !c.liked[user], "Unlike": c.liked[user], "Report": !c.reported[user],
		"Protect": !c.protected, "Unprotect": c.protected, "Recall": !c.gone, "Remove": !c.gone,
	}[deed]
	var changed bool
	calls := ask(func() (err error) {
		changed, err = p.actions()[deed](t.Context(), of(c.Comment, user))
		return err
	})
	if changed || calls == 1 {
		require.True(t, meant || !changed, "%s changed what was so", deed)
	}
	switch deed {
	case "Like":
		c.liked[user] = true
	case "Unlike":
		delete(c.liked, user)
	case "Report":
		c.reported[user] = true
	case "Protect":
		c.protected = true
	case "Unprotect":
		c.protected = false
	case "Recall", "Remove":
		c.gone = true
	}
}

// shown reports whether lists have the comment.
func (c *expected) shown() bool { return !c.gone && (c.protected || len(c.reported) < hideAt) }

const listLimit = 20

// begins fails unless a list of the user's comments, the newest first, lacks only the last
// ones that were sent, and old ones if it is full.
func (p *party) begins(t tester, listed []danmu.Comment, user string) {
	t.Helper()
	if len(listed) == 0 {
		return
	}
	var sent []danmu.Comment
	for _, c := range p.comments {
		if c.User == user && c.shown() {
			sent = append([]danmu.Comment{c.Comment}, sent...)
		}
	}
	newest := slices.Index(texts(sent), listed[0].Text)
	require.GreaterOrEqual(t, newest, 0, "%q is gone", listed[0].Text)
	require.Equal(t, texts(sent[newest:min(newest+listLimit, len(sent))]), texts(listed))
}

// holds fails unless every read returns the expected state.
func (p *party) holds(t tester) {
	t.Helper()
	var seen, kept []danmu.Comment
	for _, c := range p.comments {
		if c.gone {
			continue
		}
		kept = append(kept, c.Comment)
		if c.shown() {
			seen = append(seen, c.Comment)
		}
		found, ok := p.get(t, c.Comment)
		require.True(t, ok)
		require.EqualValues(t, len(c.liked), found.Likes)
		require.EqualValues(t, len(c.reported), found.Reports)
		require.Equal(t, c.protected, found.Protected)
	}
	p.shows(t, p.object, playing(seen), p.users...)
	require.Equal(t, texts(playing(kept)), texts(p.exported(t, p.object)))
	for _, user := range p.users {
		want := map[danmu.ID]danmu.Reaction{}
		for _, c := range p.comments {
			if c.liked[user] || c.reported[user] {
				want[c.ID] = danmu.Reaction{Liked: c.liked[user], Reported: c.reported[user]}
			}
		}
		got, err := p.Reactions(t.Context(), user, p.object, 0, time.Hour)
		require.NoError(t, err)
		require.Equal(t, want, got, "reactions of %s", user)
	}
}
