package notify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
)

// Groups that expired while they were snoozed are due before the others.
func TestExpiredRowsKeepNobodyAsleep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 0))
	w.snooze(t, in("ann", 0), time.Hour)
	for n := range 200 {
		w.forge(t, in("ann", n+1), func(g *raw) {
			g.Was = g.Place
			g.Place = fmt.Sprintf("+%s#%012x", ids.At(w.Now().Add(-time.Hour)).String(), n)
			g.TTL = w.Now().Add(-time.Minute).Unix()
		})
	}
	w.pass(2 * time.Hour)
	require.Equal(t, 1, w.unseen(t, "ann"))
}
