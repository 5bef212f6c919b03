package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/stream"
)

func newProcessor(t testing.TB, b stream.Batch, dead stream.DeadLetters, opts *stream.ProcessorOptions) *stream.Processor {
	t.Helper()
	if opts == nil {
		opts = &stream.ProcessorOptions{Policy: policy(3)}
	}
	p, err := stream.NewProcessor(b, dead, opts)
	require.NoError(t, err)
	return p
}

// failing fails the records of these sequence numbers, always.
func failing(seqs ...string) func(stream.Record) error {
	return func(r stream.Record) error {
		if slices.Contains(seqs, r.Seq) {
			return errors.New("broken")
		}
		return nil
	}
}

func TestAnUndecodableRecordIsOneDeadLetter(t *testing.T) {
	items := itemsOf(changes(5)...)
	items[2] = unread(3)
	dead := &inMemory{}
	h := &handled{}
	done, err := newProcessor(t, stream.Each(h.handle, 1), dead, nil).Process(t.Context(), items)
	require.NoError(t, err)
	require.Equal(t, 5, done)
	require.Equal(t, []string{"1", "2", "4", "5"}, h.all, "the others are applied")
	require.Equal(t, []stream.Dead{{
		Stream: arn, Seq: "3", Reason: "stream: record cannot be read: plaza: invalid argument: at byte 7", Record: []byte(`{"eventID":"x"}`),
	}}, dead.put)

	dead = &inMemory{down: func(string) bool { return true }}
	h = &handled{}
	done, err = newProcessor(t, stream.Each(h.handle, 1), dead, nil).Process(t.Context(), items)
	require.ErrorIs(t, err, errDown)
	require.Equal(t, 2, done, "that record is reported failed")
	require.Equal(t, []string{"1", "2"}, h.all)
}

func TestAHandlerThatFailsItsAttemptsIsOneDeadLetter(t *testing.T) {
	dead := &inMemory{}
	tries := map[string]int{}
	h := func(_ context.Context, r stream.Record) error {
		tries[r.Seq]++
		return failing("2")(r)
	}
	records := changes(3)
	records[1].Shard = "shardId-1"
	var causes []string
	p := newProcessor(t, stream.Each(h, 1), dead, &stream.ProcessorOptions{
		Policy: policy(3),
		OnDead: func(d stream.Dead, err error) { causes = append(causes, d.Seq+": "+err.Error()) },
	})
	done, err := p.Process(t.Context(), itemsOf(records...))
	require.NoError(t, err)
	require.Equal(t, 3, done, "the shard moves on")
	require.Equal(t, map[string]int{"1": 1, "2": 3, "3": 1}, tries)
	require.Equal(t, []string{"2: broken"}, causes)
	require.Len(t, dead.put, 1)
	letter := dead.put[0]
	require.Len(t, letter.KeyHash, 32)
	encoded, err := stream.Encode(records[1], 0)
	require.NoError(t, err)
	require.Equal(t, stream.Dead{
		Stream: arn, Shard: "shardId-1", Seq: "2", KeyHash: letter.KeyHash, Reason: "*errors.errorString", Attempts: 3,
		At: records[1].At, Record: encoded,
	}, letter)
}

// Once an earlier record is a dead letter, the later ones of its item go on; a consumer
// compares versions when the letter is driven again.
func TestLaterRecordsOfAnItemWaitForTheEarlier(t *testing.T) {
	for name, c := range map[string]struct {
		failures int // of the first record
		down     bool
		handled  []string
		dead     []string
		done     int
	}{
		"it fails twice":      {failures: 2, handled: []string{"3", "1", "2", "4"}, done: 4},
		"it is a dead letter": {failures: 3, handled: []string{"3", "2", "4"}, dead: []string{"1"}, done: 4},
		"work stops at it":    {failures: 3, down: true, handled: []string{"3"}},
	} {
		h := &handled{fail: func(r stream.Record) error {
			if r.Seq == "1" {
				if c.failures--; c.failures >= 0 {
					return errors.New("passing")
				}
			}
			return nil
		}}
		dead := &inMemory{down: func(string) bool { return c.down }}
		items := itemsOf(change("a", 1, 1), change("a", 2, 2), change("b", 3, 1), change("a", 4, 3))
		done, err := newProcessor(t, stream.Each(h.handle, 1), dead, nil).Process(t.Context(), items)
		require.Equal(t, c.down, errors.Is(err, errDown), name)
		require.Equal(t, c.done, done, name)
		require.Equal(t, c.dead, dead.seqs(), name)
		require.Equal(t, c.handled, h.all, name)
	}
}

func TestAPermanentErrorIsADeadLetterAtOnce(t *testing.T) {
	tries := 0
	permanent := stream.Permanent(plaza.ErrForbidden)
	require.Equal(t, plaza.ErrForbidden.Error(), permanent.Error())
	require.NoError(t, stream.Permanent(nil))
	h := func(context.Context, stream.Record) error {
		tries++
		return fmt.Errorf("deep: %w", permanent)
	}
	dead := &inMemory{}
	done, err := newProcessor(t, stream.Each(h, 1), dead, nil).Process(t.Context(), itemsOf(changes(1)...))
	require.NoError(t, err)
	require.Equal(t, 1, done)
	require.Equal(t, 1, tries)
	require.Equal(t, 1, dead.put[0].Attempts)
	require.Equal(t, plaza.ErrForbidden.Error(), dead.put[0].Reason)
}

func TestPausesGrowUpToABound(t *testing.T) {
	n := &naps{}
	h := func(context.Context, stream.Record) error { return errors.New("broken") }
	p := newProcessor(t, stream.Each(h, 1), &inMemory{}, &stream.ProcessorOptions{
		Policy: stream.Policy{Attempts: 70, Wait: time.Second, MaxWait: 10 * time.Second, Sleep: n.sleep},
	})
	_, err := p.Process(t.Context(), itemsOf(changes(1)...))
	require.NoError(t, err)
	require.Len(t, n.taken, 69, "none after the last attempt")
	for i, seconds := range []float64{1, 2, 4, 8, 10, 10} {
		require.LessOrEqual(t, n.taken[i].Seconds(), seconds)
	}
	require.Greater(t, slices.Max(n.taken), time.Second, "64 pauses of up to 10 s each")
	require.LessOrEqual(t, slices.Max(n.taken), 10*time.Second)
	require.Greater(t, len(slices.Compact(slices.Sorted(slices.Values(n.taken)))), 10, "they are random")
}

func TestACancelledContextMakesNoDeadLetters(t *testing.T) {
	for name, cancelIn := range map[string]string{"in the handler": "handler", "in the pause": "pause", "before": "before"} {
		ctx, cancel := context.WithCancel(t.Context())
		if cancelIn == "before" {
			cancel()
		}
		h := func(ctx context.Context, r stream.Record) error {
			if r.Seq == "2" {
				if cancelIn == "handler" {
					cancel()
					return stream.Permanent(ctx.Err()) // its last attempt
				}
				return errors.New("broken")
			}
			return nil
		}
		dead := &inMemory{}
		p := newProcessor(t, stream.Each(h, 1), dead, &stream.ProcessorOptions{Policy: stream.Policy{
			Attempts: 2, Sleep: func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() },
		}})
		items := itemsOf(changes(3)...)
		if cancelIn == "before" {
			items[1] = unread(2)
		}
		done, err := p.Process(ctx, items)
		require.ErrorIs(t, err, context.Canceled, name)
		want := 1
		if cancelIn == "before" {
			want = 0
		}
		require.Equal(t, want, done, name)
		require.Empty(t, dead.put, name)
		cancel()
	}
}

func TestAStreamWithoutImagesStopsWorkAndMakesNoDeadLetter(t *testing.T) {
	items := itemsOf(changes(3)...)
	items[1] = stream.Item{Seq: "2", Record: stream.Record{Seq: "2", Stream: arn}, Err: stream.ErrView}
	dead := &inMemory{}
	h := &handled{}
	done, err := newProcessor(t, stream.Each(h.handle, 1), dead, nil).Process(t.Context(), items)
	require.ErrorIs(t, err, stream.ErrView)
	require.Equal(t, 1, done)
	require.Empty(t, dead.put)
	require.Equal(t, []string{"1"}, h.all)
}

// A Batch of an application may break its promises.
func TestABadBatchEndsInDeadLetters(t *testing.T) {
	fails := func(err error) stream.Batch {
		return func(_ context.Context, rs []stream.Record) []error { return slices.Repeat([]error{err}, len(rs)) }
	}
	for reason, b := range map[string]stream.Batch{
		"panic":                     func(context.Context, []stream.Record) []error { panic("boom") },
		stream.ErrOutcomes.Error():  func(context.Context, []stream.Record) []error { return nil },
		stream.ErrHeld.Error():      fails(stream.ErrHeld),
		plaza.ErrBusy.Error():       fails(fmt.Errorf("x: %w", plaza.ErrBusy)),
		"ThrottlingException":       fails(&smithy.GenericAPIError{Code: "ThrottlingException", Message: "item 7"}),
		"context deadline exceeded": fails(context.DeadlineExceeded),
		stream.ErrTruncated.Error(): fails(stream.ErrTruncated),
		"*stream_test.secretError":  fails(fmt.Errorf("x: %w", &secretError{})),
	} {
		dead := &inMemory{}
		done, err := newProcessor(t, b, dead, nil).Process(t.Context(), itemsOf(changes(2)...))
		require.NoError(t, err, reason)
		require.Equal(t, 2, done)
		require.Equal(t, []string{"1", "2"}, dead.seqs())
		assert.Equal(t, reason, dead.put[0].Reason)
		assert.Equal(t, 3, dead.put[0].Attempts)
	}
}

type secretError struct{}

func (*secretError) Error() string { return "the item's data" }

func TestCase1WorkStopsAtTheFirstRecordNeitherHandledNorDead(t *testing.T) {
	dead := &inMemory{down: func(seq string) bool { return seq == "3" }}
	h := func(_ context.Context, r stream.Record) error {
		if r.Seq == "3" || r.Seq == "7" {
			return errors.New("broken")
		}
		return nil
	}
	done, err := newProcessor(t, stream.Each(h, 2), dead, nil).Process(t.Context(), itemsOf(changes(10)...))
	require.ErrorIs(t, err, errDown)
	require.Equal(t, 2, done, "4 to 10 are not acknowledged")
	require.Empty(t, dead.put, "nothing behind the stop is a dead letter")
}

func TestAPanicOfTheStoreStopsWork(t *testing.T) {
	dead := &inMemory{down: func(string) bool { panic("boom") }}
	h := func(context.Context, stream.Record) error { return errors.New("broken") }
	done, err := newProcessor(t, stream.Each(h, 1), dead, nil).Process(t.Context(), itemsOf(changes(1)...))
	require.ErrorContains(t, err, "boom")
	require.Zero(t, done)
}

func TestTheApplicationMaySayTheReason(t *testing.T) {
	h := func(context.Context, stream.Record) error { return errors.New("broken") }
	dead := &inMemory{}
	p := newProcessor(t, stream.Each(h, 1), dead, &stream.ProcessorOptions{Policy: policy(1), Reason: error.Error})
	_, err := p.Process(t.Context(), itemsOf(changes(1)...))
	require.NoError(t, err)
	require.Equal(t, "broken", dead.put[0].Reason)
}

// The model: whatever fails, everything below done was handled or is one dead
// letter, and the records of an item were handled in their order.
func TestEverythingBelowDoneIsHandledOrDead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "records")
		items := make([]stream.Item, n)
		left := map[string]int{} // attempts that fail
		for i := range items {
			if rapid.IntRange(0, 5).Draw(t, "unread") == 0 {
				items[i] = unread(i + 1)
				continue
			}
			r := change(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "item"), i+1, i)
			items[i] = stream.Item{Seq: r.Seq, Record: r}
			left[r.Seq] = rapid.SampledFrom([]int{0, 0, 1, 2, 3, 9}).Draw(t, "failures")
		}
		attempts := rapid.IntRange(1, 4).Draw(t, "attempts")
		down := rapid.SampledFrom([]string{"", "", "2", "5", "9"}).Draw(t, "down")
		h := &handled{}
		h.fail = func(r stream.Record) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			if left[r.Seq]--; left[r.Seq] >= 0 {
				return errors.New("broken")
			}
			return nil
		}
		dead := &inMemory{down: func(seq string) bool { return seq == down }}
		p, err := stream.NewProcessor(stream.Each(h.handle, rapid.IntRange(1, 3).Draw(t, "lanes")), dead, &stream.ProcessorOptions{Policy: policy(attempts)})
		require.NoError(t, err)
		done, err := p.Process(context.Background(), items)
		require.Equal(t, done == n, err == nil)
		if err != nil {
			require.ErrorIs(t, err, errDown)
			require.ErrorContains(t, err, "record "+down)
			require.Equal(t, down, items[done].Seq)
		}
		for i, item := range items[:done] {
			wasHandled, isDead := slices.Contains(h.all, item.Seq), slices.Contains(dead.seqs(), item.Seq)
			require.NotEqual(t, wasHandled, isDead, "record %d: handled %v, dead %v", i+1, wasHandled, isDead)
		}
		for _, seqs := range h.seqs {
			require.True(t, slices.IsSortedFunc(seqs, inNumbers), "out of order: %v", seqs)
		}
		require.Equal(t, len(slices.Compact(slices.Sorted(slices.Values(h.all)))), len(h.all), "each was handled once")
	})
}

func TestBadOptionsOfAProcessorAreRefused(t *testing.T) {
	b := stream.Each(func(context.Context, stream.Record) error { return nil }, 1)
	refused := func(field string, b stream.Batch, dead stream.DeadLetters, opts stream.ProcessorOptions) {
		t.Helper()
		_, err := stream.NewProcessor(b, dead, &opts)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
	refused("b", nil, &inMemory{}, stream.ProcessorOptions{})
	refused("dead", b, nil, stream.ProcessorOptions{})
	for field, opts := range map[string]stream.ProcessorOptions{
		"Policy.Attempts": {Policy: stream.Policy{Attempts: -1}},
		"Policy.Wait":     {Policy: stream.Policy{Wait: -1}},
		"Policy.MaxWait":  {Policy: stream.Policy{MaxWait: -1}},
		"Margin":          {Margin: -1},
		"Limits":          {Limits: stream.Limits{Bytes: -1}},
	} {
		refused(field, b, &inMemory{}, opts)
	}
}
