package videos

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestTimesAreAnsweredAsTheyWereSent(t *testing.T) {
	t.Parallel()
	for ms := 0; ms <= 3_600_000; ms += faults.Size(1, 7) {
		at := time.Duration(ms) * time.Millisecond
		decimal := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", ms/1000, ms%1000), "0"), ".")
		if got := strconv.FormatFloat(seconds(at), 'f', -1, 64); got != decimal {
			t.Fatalf("%v is %s", at, got)
		}
		if back, err := danmu.Seconds(seconds(at)); err != nil || back != at {
			t.Fatalf("%s is %v, %v", decimal, back, err)
		}
	}
	w := newWorld(t)
	for i, moment := range []string{"1.118", "0.001", "59.999", "17.003"} {
		body := fmt.Sprintf(`{"objectId":"1","userId":"u%d","content":{"text":"x","time":%s}}`, i, moment)
		require.Contains(t, w.answer(t, http.StatusOK, "POST", "/danmu/send", body), `"time":`+moment+"}")
		require.Contains(t, w.answer(t, http.StatusOK, "GET", "/danmu/queryByTime/1?size=1&playingTime="+moment, ""), `"time":`+moment+"}")
	}
}
