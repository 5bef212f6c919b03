package feed_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// losing is another process, which loses the first answer to an UpdateItem
// that holds text; the SDK sends it again.
func (w world) losing(t *testing.T, text string) world {
	t.Helper()
	injector := faults.New(t, 1, faults.Rates{})
	lost := false
	injector.Script(func(op string, body []byte, _ int) faults.Fault {
		if lost || op != "UpdateItem" || !bytes.Contains(body, []byte(text)) {
			return faults.Fault{}
		}
		lost = true
		return faults.Fault{Kind: faults.LostAfter}
	})
	t.Cleanup(func() { require.True(t, lost, "nothing was lost") })
	return w.process(t, nil, injector.Wrap)
}

func TestATrimThatIsResentStillAnswersTruthfully(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 3)
	trimmed, err := w.losing(t, "floor").Home("jack").Trim(t.Context(), done[2].ID)
	require.NoError(t, err)
	require.True(t, trimmed)
	require.Equal(t, newestFirst(done[2:]), all(t, w.Home("jack").List, 10))
}

func TestAClaimThatIsResentIsStillOnesOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 1)
	delivered, err := w.losing(t, "lease").Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, delivered)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
}
