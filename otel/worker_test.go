package otel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/otel"
	"github.com/plaza-sdk/plaza/stream"
)

var (
	due     = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	id      = ids.At(due)
	period  = leaderboard.Ended{Board: "b", Period: leaderboard.Period{End: due}}
	errBusy = errors.Join(errors.New("queue"), plaza.ErrBusy)
)

// Every lag is 90 s by this clock.
func clock() time.Time { return due.Add(90 * time.Second) }

func TestAttemptsAreCountedAndWhatIsDoneHasALag(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do      func(*otel.Observer)
		attempt string
		lag     bool
	}{
		"feed": {func(o *otel.Observer) { o.Feed(feed.Attempt{Owner: "ann", ID: id, Done: true}) }, "plaza.result=done plaza.worker=feed", true},
		"the first followers of many": {
			func(o *otel.Observer) { o.Feed(feed.Attempt{Owner: "ann", ID: id}) }, "plaza.result=partial plaza.worker=feed", false,
		},
		"a kit's": {
			func(o *otel.Observer) { o.Attempt(kit.Attempt{Worker: "feed", Subject: "ann", Due: due, Done: true}) },
			"plaza.result=done plaza.worker=feed", true,
		},
		"a switch": {
			func(o *otel.Observer) { o.Feed(feed.Attempt{Owner: "ann", ID: id, Switch: true, Done: true}) }, "plaza.result=done plaza.worker=feed", false,
		},
		"a search for deliveries": {
			func(o *otel.Observer) { o.Feed(feed.Attempt{Err: plaza.ErrTable}) }, "error.type=table plaza.result=failed plaza.worker=feed", false,
		},
		"notify": {func(o *otel.Observer) { o.Notify(notify.Attempt{ID: id, Done: true}) }, "plaza.result=done plaza.worker=notify", true},
		"watchers who are tried again": {
			func(o *otel.Observer) { o.Notify(notify.Attempt{ID: id, Failed: 1, Done: true, Err: errBusy}) },
			"error.type=busy plaza.result=failed plaza.worker=notify", false,
		},
		"a digest": {
			func(o *otel.Observer) { o.Digest(digest.Attempt{User: "ann", Slot: due, Sent: true, Done: true}) },
			"plaza.result=done plaza.worker=digest", true,
		},
		"a digest that nobody wants": {
			func(o *otel.Observer) { o.Digest(digest.Attempt{User: "ann", Slot: due, Done: true}) },
			"plaza.result=done plaza.worker=digest", false,
		},
		"a digest that is given up": {
			func(o *otel.Observer) {
				o.Digest(digest.Attempt{User: "ann", Slot: due, Done: true, Err: errors.New("550")})
			},
			"error.type=_OTHER plaza.result=given_up plaza.worker=digest", false,
		},
		"a period": {
			func(o *otel.Observer) { o.Leaderboard(leaderboard.Attempt{Ended: period, Done: true}) },
			"plaza.result=done plaza.worker=leaderboard", true,
		},
		"a folder": {
			func(o *otel.Observer) { o.Folder(leaderboard.FolderAttempt{Board: "b", Err: errBusy}) },
			"error.type=busy plaza.result=failed plaza.worker=folder", false,
		},
		"a poller": {func(o *otel.Observer) { o.Failed("bells")(errBusy) }, "error.type=busy plaza.result=failed plaza.worker=bells", false},
		"a dead letter": {
			func(o *otel.Observer) { o.Dead("bells")(stream.Dead{At: due}, errBusy) },
			"error.type=busy plaza.result=given_up plaza.worker=bells", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, otel.Options{Now: clock})
			c.do(w.Observer)
			require.Equal(t, map[string]float64{c.attempt: 1}, w.counts(t, "plaza.attempts"))
			lags := w.points(t, "plaza.lag")
			if !c.lag {
				require.Empty(t, lags)
				return
			}
			require.Len(t, lags, 1)
			require.Equal(t, point{of: lags[0].of, value: 90, count: 1}, lags[0])
		})
	}
}

func TestAWorkerThatIsLeftOutIsNoAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{})
	w.Attempt(kit.Attempt{Worker: "digest", LeftOut: "Options.Send is nil"})
	require.Empty(t, w.points(t, "plaza.attempts"))
	require.Contains(t, w.log.String(), "level=INFO")
}

func TestRecordsOfAStreamAreAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{Now: clock})
	answers := []error{nil, errBusy, stream.ErrHeld, nil}
	b := w.Batch("bells", func(context.Context, []stream.Record) []error { return answers })
	records := []stream.Record{{At: due}, {At: due}, {At: due}, {At: clock().Add(time.Second)}}
	require.Equal(t, answers, b(t.Context(), records))
	require.Equal(t, map[string]float64{
		"plaza.result=done plaza.worker=bells":                   2,
		"error.type=busy plaza.result=failed plaza.worker=bells": 1,
	}, w.counts(t, "plaza.attempts"))
	require.Equal(t, map[string]float64{"bells": 90}, w.sum(t, "plaza.lag", "plaza.worker"), "a clock behind DynamoDB's is no lag")

	require.Len(t, b(t.Context(), records[:1]), 4, "the processor refuses answers to no records")
}

// letters are dead letters that nobody reads.
type letters struct{}

func (letters) Put(context.Context, stream.Dead) error { return nil }

func TestARecordThatFailsIsTriedAgainAndGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{Now: clock})
	broken := func(_ context.Context, r stream.Record) error {
		if r.Seq == "2" {
			return errBusy
		}
		return nil
	}
	policy := stream.Policy{Attempts: 3, Sleep: func(context.Context, time.Duration) error { return nil }}
	p, err := stream.NewProcessor(w.Batch("bells", stream.Each(broken, 1)), letters{}, &stream.ProcessorOptions{Policy: policy, OnDead: w.Dead("bells")})
	require.NoError(t, err)
	var items []stream.Item
	for _, seq := range []string{"1", "2", "3"} {
		items = append(items, stream.Item{Record: stream.Record{Seq: seq, At: due}, Seq: seq})
	}
	_, err = p.Process(t.Context(), items) // of one item: the third waits for the second
	require.NoError(t, err)
	require.Equal(t, map[string]float64{
		"plaza.result=done plaza.worker=bells":                     2,
		"error.type=busy plaza.result=failed plaza.worker=bells":   3,
		"error.type=busy plaza.result=given_up plaza.worker=bells": 1,
	}, w.counts(t, "plaza.attempts"))
	require.Contains(t, w.log.String(), `msg="plaza: dead letter" worker=bells`)
}

func TestDamagedItemsAreCountedByTableAndLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{})
	w.Corrupt(&plaza.CorruptError{Table: "feed", PK: "A#ann", SK: "7", Reason: "no verb"})
	require.Equal(t, map[string]float64{"db.collection.name=feed": 1}, w.counts(t, "plaza.damaged"))
	require.Contains(t, w.log.String(), "pk=A#ann")
}
