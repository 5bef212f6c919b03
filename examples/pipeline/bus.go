package main

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/stream"
)

// outside is what the pipeline needs besides DynamoDB. On AWS these are EventBridge with
// its rules, SQS and Firehose.
type outside struct {
	bus            stream.Sink
	board, archive *queue
	lines          stream.Sink // where the archive's consumer writes
	file           *file
}

func newOutside() *outside {
	o := &outside{board: newQueue(1), archive: newQueue(2), file: &file{}}
	o.bus = &bus{rules: map[string]*queue{hackathon.UpdateSource: o.board, hackathon.OperationsSource: o.archive}}
	o.lines = o.file
	return o
}

// file is an archive: a stream.Sink that keeps a line for each event.
type file struct {
	mu    sync.Mutex
	lines [][]byte
}

func (*file) Limit() stream.Limit { return stream.Limit{Events: 500} }

func (f *file) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range events {
		f.lines = append(f.lines, e.Data)
	}
	return make([]stream.Outcome, len(events)), nil
}

// bus is a stream.Sink with a queue for each source.
type bus struct{ rules map[string]*queue }

func (*bus) Limit() stream.Limit { return stream.Limit{Events: 10} }

func (b *bus) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	for _, e := range events {
		if q := b.rules[e.Source]; q != nil { // a bus drops what no rule wants
			q.add(e.Data)
		}
	}
	return make([]stream.Outcome, len(events)), nil
}

// queue keeps no order and brings some messages twice, as EventBridge and SQS do.
type queue struct {
	mu       sync.Mutex
	messages [][]byte
	rand     *rand.Rand
	news     chan struct{} // has one while there may be messages
}

func newQueue(seed uint64) *queue {
	return &queue{rand: rand.New(rand.NewPCG(seed, seed)), news: make(chan struct{}, 1)}
}

func (q *queue) add(messages ...[]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = append(q.messages, messages...)
	q.signal()
}

// signal is called under the lock.
func (q *queue) signal() {
	if len(q.messages) > 0 {
		select {
		case q.news <- struct{}{}:
		default:
		}
	}
}

// receive waits for messages and returns a few.
func (q *queue) receive(ctx context.Context) ([][]byte, error) {
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

// settle removes the first handled messages. The others come again.
func (q *queue) settle(messages [][]byte, handled int) {
	q.mu.Lock()
	again := messages[handled:]
	for _, m := range messages[:handled] {
		if q.rand.IntN(8) == 0 {
			again = append(again[:len(again):len(again)], m)
		}
	}
	q.mu.Unlock()
	q.add(again...)
}

// consume gives the messages of a queue to a processor until ctx ends, and returns
// the context's error.
func consume(ctx context.Context, q *queue, p *stream.Processor) error {
	for {
		messages, err := q.receive(ctx)
		if err != nil {
			return err
		}
		items := make([]stream.Item, len(messages))
		for i, data := range messages {
			record, err := stream.DecodeEvent(data)
			items[i] = stream.Item{Seq: record.Seq, Record: record, Err: err}
			if err != nil {
				items[i].Raw = data
			}
		}
		handled, failed := p.Process(ctx, items)
		q.settle(messages, handled)
		if failed != nil {
			return failed
		}
	}
}
