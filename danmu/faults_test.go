package danmu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestEverySendIsOneComment under faults, from two processes, each send
// repeated until it is answered and once again later.
func TestEverySendIsOneComment(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, harshness[seed%3])
			w := newWorld(t, nil, in.Wrap)
			processes := []world{w, w.process(t, nil, in.Wrap)}
			random := rand.New(rand.NewPCG(seed, 1))
			var sent []danmu.Comment
			for i := range 30 {
				c := danmu.Comment{Object: "v", User: "ann", Text: fmt.Sprint(i), Progress: time.Duration(random.IntN(720)) * time.Second}
				if i%2 == 0 {
					c.Key = fmt.Sprint(i)
				}
				var got danmu.Comment
				var created bool
				calls := faults.Acknowledged(t, func() (err error) {
					got, created, err = processes[random.IntN(2)].Send(t.Context(), c)
					c.ID = got.ID // names it for the next attempt
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
