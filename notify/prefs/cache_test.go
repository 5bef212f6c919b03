package prefs_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestAnotherProcessDecidesBySettingsWithinCacheTTL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, nil)
	require.False(t, other.decide(t, of("like")).Drop)
	w.set(t, about("like", prefs.InApp), false)
	require.True(t, w.decide(t, of("like")).Drop, "its own write")
	w.pass(30*time.Second - time.Millisecond)
	require.False(t, other.decide(t, of("like")).Drop)
	w.pass(time.Millisecond)
	require.True(t, other.decide(t, of("like")).Drop)

	w.block(t, bob)
	require.True(t, other.decide(t, of("comment")).Drop, "blocks are not cached")
}

// during calls hook after the engine answered a read, and before the reader has the
// answer.
type during struct {
	next aws.HTTPClient
	hook *atomic.Pointer[func()]
}

func (d during) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	resp, err := d.next.Do(req.Again())
	if req.Op == "BatchGetItem" {
		if hook := d.hook.Swap(nil); hook != nil {
			(*hook)()
		}
	}
	return resp, err
}

func TestASlowReadDoesNotHideAWriteOfThisProcess(t *testing.T) {
	t.Parallel()
	hook := new(atomic.Pointer[func()])
	w := newWorld(t, nil, func(next aws.HTTPClient) aws.HTTPClient { return during{next, hook} })
	sets := func() { w.set(t, about("like", prefs.InApp), false) }
	hook.Store(&sets)
	require.True(t, w.decide(t, of("like")).Drop)
	require.Nil(t, hook.Load())
	require.True(t, w.decide(t, of("like")).Drop, "and nothing older was cached")
}

func TestAWriteWithoutAnAnswerLeavesNothingCached(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	require.False(t, w.decide(t, of("like")).Drop)
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" {
			return faults.Fault{Kind: faults.LostAfter}
		}
		return faults.Fault{}
	})
	require.Error(t, failed(w.Set(t.Context(), about("like", prefs.InApp), false)))
	in.Off()
	require.True(t, w.decide(t, of("like")).Drop)
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter().Price()
	opts := options()
	opts.CacheSize = 2
	w := newWorld(t, opts, meter.Wrap)
	reads := func(user string) float64 {
		n := of("mention") // its mute is not read
		n.User = user
		meter.Take()
		w.decide(t, n)
		return meter.Take().Read
	}
	for _, step := range []struct {
		user string
		want float64
	}{{"ann", 2}, {"ann", 1}, {"eve", 2}, {"ann", 1}, {"zoe", 2}, {"ann", 1}, {"eve", 2}} {
		require.Equal(t, step.want, reads(step.user), step.user)
	}
	require.Equal(t, notify.Decision{Channels: []string{email, push}}, w.decide(t, of("mention")))
}
