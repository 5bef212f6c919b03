package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

func TestABusSendsBySourceInAnyOrderAndTwice(t *testing.T) {
	const n = 100
	q := newQueue(1)
	b := &bus{rules: map[string]*queue{"mine": q}}
	for i := range n {
		_, err := b.Put(t.Context(), []stream.Event{
			{Source: "mine", Data: fmt.Append(nil, i)}, {Source: "nobody's", Data: []byte("x")},
		})
		require.NoError(t, err)
	}
	seen, order := map[string]int{}, []string(nil)
	left := map[string]bool{}
	for len(seen) < n || len(q.messages) > 0 {
		messages, err := q.receive(t.Context())
		require.NoError(t, err)
		handled := len(messages)
		if handled > 5 && !left[string(messages[5])] {
			handled = 5
			left[string(messages[5])] = true
		}
		for _, m := range messages[:handled] {
			seen[string(m)]++
			order = append(order, string(m))
		}
		q.settle(messages, handled)
	}
	require.Len(t, seen, n)
	require.NotContains(t, seen, "x")
	require.Greater(t, len(order), n, "some come twice")
	require.NotEqual(t, "0", order[0])
	require.NotEmpty(t, left)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := q.receive(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
