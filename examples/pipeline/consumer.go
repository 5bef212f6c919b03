package main

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/stream"
)

// consume gives the messages of a queue to a processor until ctx ends, and returns
// the context's error.
func consume(ctx context.Context, q queue, p *stream.Processor) error {
	for {
		messages, err := q.receive(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("receiving messages: %w", err)
		}
		items := make([]stream.Item, len(messages))
		for i, m := range messages {
			record, err := stream.DecodeEvent(m.data)
			items[i] = stream.Item{Seq: record.Seq, Record: record, Err: err}
			if err != nil {
				items[i].Raw = m.data
			}
		}
		handled, failed := p.Process(ctx, items)
		if err := q.settle(context.WithoutCancel(ctx), messages, handled); err != nil {
			return fmt.Errorf("removing messages: %w", err)
		}
		if failed != nil {
			return failed
		}
	}
}
