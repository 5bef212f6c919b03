package message_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Two processes have eight devices each, of four users. Some requests fail, guests join
// and leave meanwhile, and each message answers the one before.
func TestSendersAtOnceGetDenseNumbers(t *testing.T) {
	t.Parallel()
	const devices = 16
	each := faults.Size(4, 2)
	for seed := range faults.Seeds(10) {
		w := newWorld(t, nil)
		members := crowd(4)
		w.create(t, "g", members...)
		var processes []world
		for p := range uint64(2) {
			inject := faults.New(t, 2*seed+p, faults.Standard)
			processes = append(processes, w.process(t, nil, inject.Wrap))
		}
		var created atomic.Int64
		err := parallel.ForEach(t.Context(), devices+2, devices+2, func(_ context.Context, i int) error {
			p := processes[i%2]
			if i >= devices {
				guest := of(fmt.Sprint("guest ", i), "g")
				faults.Acknowledged(t, func() error { _, err := p.Add(t.Context(), guest, "ann"); return err })
				faults.Acknowledged(t, func() error { _, err := p.Leave(t.Context(), guest); return err })
				return nil
			}
			seq := int64(0)
			for k := range each {
				m := message.Message{Conversation: "g", Sender: members[i/4], Key: fmt.Sprint(i, k), Text: fmt.Sprint("text ", k), ReplyTo: seq}
				var sent message.Message
				faults.Acknowledged(t, func() (err error) {
					var ok bool
					if sent, ok, err = p.Send(t.Context(), m); ok {
						created.Add(1)
					}
					return err
				})
				if sent.Seq <= seq {
					return fmt.Errorf("message %d answers %d", sent.Seq, seq)
				}
				seq = sent.Seq
			}
			return nil
		})
		require.NoError(t, err)
		require.EqualValues(t, devices*each, w.settled(t, "g", members...))
		require.LessOrEqual(t, created.Load(), int64(devices*each))
		for _, user := range members {
			entry := w.inbox(t, user)[0]
			require.EqualValues(t, (devices-4)*each, entry.Unread, user)
		}
		for i := range 2 {
			require.NotNil(t, w.entry(t, "g", fmt.Sprint("guest ", devices+i)).Till)
		}
	}
}

// Many devices send the first message of a pair at once.
func TestDevicesThatSendFirstBeginOneConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for round := range faults.Size(20, 2) {
		p := pairOf(fmt.Sprint(round))
		numbers := sync.Map{}
		err := parallel.ForEach(t.Context(), 8, 8, func(ctx context.Context, i int) error {
			device := w.process(t, nil)
			m := say(p.Conversation(), []string{p.User, p.Other}[i%2], fmt.Sprint("device ", i/4)) // two devices send the same message
			sent, _, err := device.Send(ctx, m)
			numbers.Store(sent.Sender+sent.Key, sent.Seq)
			return err
		})
		require.NoError(t, err)
		require.EqualValues(t, 4, w.settled(t, p.Conversation(), p.User, p.Other))
		n := 0
		numbers.Range(func(any, any) bool { n++; return true })
		require.Equal(t, 4, n)
	}
}

// The SDK repeats requests whose answers are lost. Created must still be right.
func TestRepeatsBySDKAreOneCall(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		w := newWorld(t, nil)
		inject := faults.New(t, seed, faults.Rates{LostAfter: 0.3, Twice: 0.3})
		p := w.process(t, nil, inject.Wrap)
		truthful := func(call func() (bool, error)) {
			t.Helper()
			changed, err := call()
			if err == nil {
				require.True(t, changed)
				return
			}
			faults.Acknowledged(t, func() error { _, err := call(); return err }) // all answers were lost
		}
		truthful(func() (bool, error) {
			return p.Create(t.Context(), message.Group{ID: "g", Members: []string{"ann", "ben"}}, "ann")
		})
		truthful(func() (bool, error) { return p.Add(t.Context(), of("cleo", "g"), "ann") })
		truthful(func() (bool, error) {
			_, created, err := p.Send(t.Context(), say("g", "ann", "one"))
			return created, err
		})
		truthful(func() (bool, error) { return p.Leave(t.Context(), of("cleo", "g")) })
		require.EqualValues(t, 1, w.settled(t, "g", "ann", "ben"))
	}
}
