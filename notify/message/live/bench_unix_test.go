//go:build unix

package live_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	rooms "github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

// everybody is a store whose answers cost nothing.
type everybody struct{}

func (everybody) Access(context.Context, message.In) (message.Access, error) {
	return message.Access{}, nil
}

func (everybody) Members(context.Context, message.In) ([]string, error) {
	return []string{"ann", "ben"}, nil
}

// BenchmarkConversations has 10,000 conversations with one viewer each. Each op
// publishes and reads a receipt. "alone" is package plaza/live with the same events in
// the same rooms. The bytes of a room are those of a conversation without events, with
// its viewer; a used room has had one event.
//
//	go test -run - -bench Conversations -benchtime 50000x ./notify/message/live
func BenchmarkConversations(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		hub, err := rooms.New[live.Event](nil)
		require.NoError(b, err)
		defer hub.Close()
		benchmark(b, func(in message.In) *rooms.Viewer[live.Event] {
			v, err := hub.Join(b.Context(), in.Conversation, "")
			require.NoError(b, err)
			return v
		}, func(e live.Event) error {
			if err := hub.Publish(b.Context(), e.Conversation, e); err != nil {
				return err
			}
			return hub.Publish(b.Context(), e.User, e) // the user's inbox
		})
	})
	b.Run("conversations", func(b *testing.B) {
		hub := newHub(b, everybody{}, nil)
		benchmark(b, func(in message.In) *live.Viewer {
			v, err := hub.Join(b.Context(), in, "")
			require.NoError(b, err)
			return v
		}, func(e live.Event) error { return hub.Publish(b.Context(), e) })
	})
}

type viewer interface {
	Next(ctx context.Context) (live.Batch, error)
	Close()
}

func benchmark[V viewer](b *testing.B, join func(message.In) V, publish func(live.Event) error) {
	const conversations = 10_000
	ins, viewers := make([]message.In, conversations), make([]V, conversations)
	for i := range ins {
		ins[i] = in(message.Pair{User: "ann", Other: strconv.Itoa(i)}.Conversation(), "ann")
	}
	ring := func(i int, n int64) {
		e := did(live.Read, ins[i].Conversation, ins[i].User, n)
		e.At = time.Now()
		require.NoError(b, publish(e))
		batch, err := viewers[i].Next(b.Context())
		if err != nil || len(batch.Events) != 1 || batch.Events[0].Seq != n {
			b.Fatal(batch, err)
		}
	}
	before := memory()
	for i := range ins {
		viewers[i] = join(ins[i])
		defer viewers[i].Close()
	}
	quiet := memory()
	for i := range ins {
		ring(i, 1)
	}
	used := memory()

	cpu := dynamotest.CPUTime(b)
	for n := int64(2); b.Loop(); n++ {
		ring(int(n)*7919%conversations, n)
	}
	b.StopTimer()
	b.ReportMetric(float64((dynamotest.CPUTime(b)-cpu).Nanoseconds())/1000/float64(b.N), "µs-CPU/event")
	b.ReportMetric(float64(quiet-before)/conversations, "B/room")
	b.ReportMetric(float64(used-before)/conversations, "B/used-room")
}

// memory is the size of the live heap and the stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
