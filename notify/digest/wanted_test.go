package digest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// comments is a Policy that wants mails of comments alone.
type comments struct{}

func (comments) Decide(_ context.Context, n notify.Notification) (d notify.Decision, err error) {
	if n.Activity.Verb == "comment" {
		d.Channels = []string{email}
	}
	return d, nil
}

func TestUnwantedEventsTakeNoPlaceInADigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{policy: comments{}, worker: digest.WorkerOptions{Policy: comments{}}})

	p.notify(t, "1")
	for n := range 120 {
		like := w.post("ann", fmt.Sprint("liked ", n))
		like.Activity.Verb = "like"
		require.NoError(t, errOf3(p.Notify(t.Context(), like)))
	}
	w.pass(time.Hour + time.Minute)
	require.Equal(t, 1, p.deliver(t))
	require.Equal(t, "1", w.objects(t))
}
