package main

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/plaza-sdk/plaza/stream"
)

// queue is what a rule of a bus sends its events to.
type queue interface {
	// receive waits for messages and returns a few, perhaps none.
	receive(context.Context) ([]message, error)

	// settle removes the first handled messages. The others come again.
	settle(ctx context.Context, messages []message, handled int) error
}

// message is an event on its way from a bus to a consumer.
type message struct {
	data    []byte // the event's
	receipt string
}

// localBus is a stream.Sink within the process, with a queue for each source.
type localBus struct{ rules map[string]*localQueue }

func (*localBus) Limit() stream.Limit { return stream.Limit{Events: 10} }

func (b *localBus) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	for _, e := range events {
		if q := b.rules[e.Source]; q != nil { // a bus drops what no rule wants
			q.add(message{data: e.Data})
		}
	}
	return make([]stream.Outcome, len(events)), nil
}

// localQueue keeps no order and brings some messages twice, as EventBridge and SQS do.
type localQueue struct {
	mu       sync.Mutex
	messages []message
	rand     *rand.Rand
	news     chan struct{} // has one while there may be messages
}

func newLocalQueue(seed uint64) *localQueue {
	return &localQueue{rand: rand.New(rand.NewPCG(seed, seed)), news: make(chan struct{}, 1)}
}

func (q *localQueue) add(messages ...message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = append(q.messages, messages...)
	q.signal()
}

// signal is called under the lock.
func (q *localQueue) signal() {
	if len(q.messages) > 0 {
		select {
		case q.news <- struct{}{}:
		default:
		}
	}
}

func (q *localQueue) receive(ctx context.Context) ([]message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-q.news:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rand.Shuffle(len(q.messages), func(i, j int) { q.messages[i], q.messages[j] = q.messages[j], q.messages[i] })
	n := min(10, len(q.messages))
	some := q.messages[:n:n]
	q.messages = q.messages[n:]
	q.signal()
	return some, nil
}

func (q *localQueue) settle(_ context.Context, messages []message, handled int) error {
	q.mu.Lock()
	again := messages[handled:]
	for _, m := range messages[:handled] {
		if q.rand.IntN(8) == 0 {
			again = append(again[:len(again):len(again)], m)
		}
	}
	q.mu.Unlock()
	q.add(again...)
	return nil
}
