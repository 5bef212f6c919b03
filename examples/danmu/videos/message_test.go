package videos

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

// step is 1 if CI is set. Otherwise only some milliseconds are tried.
func step() int {
	if os.Getenv("CI") != "" {
		return 1
	}
	return 7
}

func TestEachMillisecondOfAnHourIsItsDecimal(t *testing.T) {
	t.Parallel()
	for ms := 0; ms <= 3_600_000; ms += step() {
		want := strconv.Itoa(ms / 1000)
		if rest := ms % 1000; rest > 0 {
			want += "." + strings.TrimRight(fmt.Sprintf("%03d", rest), "0")
		}
		at := time.Duration(ms) * time.Millisecond
		if got := strconv.FormatFloat(seconds(at), 'f', -1, 64); got != want {
			t.Fatalf("%v is %s", at, got)
		}
		number, err := strconv.ParseFloat(want, 64)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := danmu.Seconds(number); err != nil || back != at {
			t.Fatalf("%s is %v, %v", want, back, err)
		}
	}
}

func TestTimesAreAnsweredAsTheyWereSent(t *testing.T) {
	t.Parallel()
	for ms := 0; ms < 60_000; ms += step() {
		at := time.Duration(ms) * time.Millisecond
		text, err := json.Marshal(messageOf(danmu.Comment{Progress: at}, "").Content)
		require.NoError(t, err)
		var given content
		require.NoError(t, json.Unmarshal(text, &given))
		back, err := danmu.Seconds(*given.Time)
		require.NoError(t, err)
		require.Equal(t, at, back)
	}
	w := newWorld(t, Hills())
	for i, moment := range []string{"1.118", "0.001", "59.999", "17.003"} {
		body := fmt.Sprintf(`{"objectId":"1","userId":"u%d","content":{"text":"x","time":%s}}`, i, moment)
		_, _, text := w.send(t, "POST", "/danmu/send", body)
		require.Contains(t, text, `"time":`+moment+"}")
		_, _, text = w.send(t, "GET", "/danmu/queryByTime/1?size=1&playingTime="+moment, "")
		require.Contains(t, text, `"time":`+moment+"}")
	}
}
