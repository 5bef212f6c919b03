package message_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify/message"
)

// talk is what devices know of a group: the messages that were acknowledged, and the order
// in which they were seen.
type talk struct {
	mu           sync.Mutex
	acknowledged int64
	keys         map[int64]string // by number
}

func (l *talk) acknowledge(seq int64) (newest int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged = max(l.acknowledged, seq)
	return l.acknowledged
}

// see checks a history that was read after n messages had been acknowledged.
func (l *talk) see(history []message.Message, n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if int64(len(history)) < n {
		return fmt.Errorf("%d of %d messages are shown", len(history), n)
	}
	for i, m := range slices.Backward(history) {
		if seen, ok := l.keys[m.Seq]; m.Seq != int64(len(history)-i) || ok && seen != m.Key {
			return fmt.Errorf("%v is shown as number %d", m, len(history)-i)
		}
		l.keys[m.Seq] = m.Key
	}
	return nil
}

// Two processes have eight devices each, of four users. Some requests fail, guests join
// and leave meanwhile, and each message answers the one before. A history has all messages
// that were acknowledged before it was read, and everybody sees them in the same order.
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
		said := talk{keys: map[int64]string{}}
		var created atomic.Int64
		err := parallel.ForEach(t.Context(), devices+2, devices+2, func(_ context.Context, i int) error {
			p := processes[i%2]
			if i >= devices {
				guest := of(fmt.Sprint("guest ", i), "g")
				faults.Acknowledged(t, func() error { return failed(p.Add(t.Context(), guest, guest.User)) })
				faults.Acknowledged(t, func() error { return failed(p.Leave(t.Context(), guest)) })
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
				newest := said.acknowledge(seq)
				var page cursor.Page[message.Message]
				faults.Acknowledged(t, func() (err error) {
					page, err = p.History(t.Context(), of(m.Sender, "g"), cursor.PageRequest{Limit: devices * each})
					return err
				})
				if err := said.see(page.Items, newest); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
		require.EqualValues(t, devices*each, w.settled(t, "g", members...))
		require.LessOrEqual(t, created.Load(), int64(devices*each))
		for _, user := range members {
			require.EqualValues(t, (devices-4)*each, w.inbox(t, user)[0].Unread, user)
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
		err := parallel.ForEach(t.Context(), 8, 8, func(ctx context.Context, i int) error {
			m := say(p.Conversation(), []string{p.User, p.Other}[i%2], fmt.Sprint("device ", i/4)) // two devices send the same message
			return failed(w.process(t, nil).Send(ctx, m))
		})
		require.NoError(t, err)
		require.EqualValues(t, 4, w.settled(t, p.Conversation(), p.User, p.Other))
	}
}
