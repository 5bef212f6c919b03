package announce_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
)

// Short announcements that are over, 450 in two days, stay until DynamoDB deletes
// them. They hide none that shows.
func TestShortAnnouncementsHideNoLongOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := w.message("long")
	long.Until = w.Now().Add(30 * 24 * time.Hour)
	w.announce(t, long)
	w.forward(time.Hour)
	w.announceAll(t, 450, func(n int, a *notify.Announcement) {
		a.Title, a.Until = fmt.Sprint(n), w.Now().Add(5*time.Minute)
	})
	w.forward(2 * time.Hour)
	require.Equal(t, []string{"long"}, w.live(t, "everyone"))
}
