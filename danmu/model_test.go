package danmu_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// playing sorts comments into playing order.
func playing(comments []danmu.Comment) []danmu.Comment {
	slices.SortFunc(comments, func(a, b danmu.Comment) int { return a.ID.Compare(b.ID) })
	return comments
}

// A few users send, like, report, recall, remove, protect and leave, from two processes,
// while shards grow.
func TestAnySequenceLeavesTheExpectedState(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	processes := []stage{s, s.process(t)}
	run, failing := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if run++; run > faults.Size(30, 1) && !failing { // rapid repeats what failed
			return
		}
		failing = true
		p := &party{stage: s, object: fmt.Sprint("film ", run), users: []string{fmt.Sprint("anna ", run), fmt.Sprint("jack ", run)}}
		n := 0
		steps := map[string]func(){
			"send": func() {
				n++
				p.add(p.send(rt, danmu.Comment{
					Object: p.object, User: rapid.SampledFrom(p.users).Draw(rt, "user"), Text: fmt.Sprint("text ", n),
					Progress: time.Duration(rapid.IntRange(0, 11).Draw(rt, "minute")) * time.Minute,
				}))
				p.pass(time.Millisecond)
			},
			"act": func() {
				if len(p.comments) == 0 {
					return
				}
				c := rapid.SampledFrom(p.comments).Draw(rt, "comment")
				deed, user := rapid.SampledFrom(deeds).Draw(rt, "deed"), rapid.SampledFrom(p.users).Draw(rt, "by")
				p.act(rt, c, user, deed, func(call func() error) int {
					require.NoError(rt, call())
					return 1
				})
			},
			"grow": func() {
				shards := rapid.SampledFrom([]int{1, 2, 4, 32}).Draw(rt, "shards")
				p.configure(rt, p.object, danmu.Settings{Shards: shards})
				if rapid.Bool().Draw(rt, "waits") {
					p.pass(time.Minute)
				}
			},
			"leave": func() {
				user := rapid.SampledFrom(p.users).Draw(rt, "user")
				require.NoError(rt, p.Erase(rt.Context(), user))
				for _, c := range p.comments {
					delete(c.liked, user)
					delete(c.reported, user)
					c.gone = c.gone || c.User == user
				}
			},
		}
		for range rapid.IntRange(1, 16).Draw(rt, "calls") {
			p.stage = rapid.SampledFrom(processes).Draw(rt, "process")
			steps[rapid.SampledFrom([]string{"send", "send", "send", "act", "act", "act", "act", "grow", "leave"}).Draw(rt, "step")]()
		}
		p.stage = s
		p.holds(rt)
		failing = false
	})
}
