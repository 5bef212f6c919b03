package live_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
)

func TestEventsInJSON(t *testing.T) {
	at := time.UnixMilli(1763737373001).UTC()
	for want, e := range map[string]live.Event{
		`{"kind":"recalled","id":"` + id(1, 1).String() + `"}`:        {Kind: live.Recalled, ID: id(1, 1)},
		`{"kind":"liked","id":"` + id(1, 1).String() + `","likes":3}`: {Kind: live.Liked, ID: id(1, 1), Likes: 3},
		`{"kind":"sent","id":"` + id(0, 1).String() + `","progress":0,"text":"\u003cscript\u003e","color":0}`: sentEvent(danmu.Comment{
			ID: id(0, 1), Text: "<script>", Color: danmu.RGB(0),
		}),
		`{"kind":"sent","id":"` + id(2, 1).String() + `","user":"ann","progress":2000,"sent":1763737373001,"text":"哈",` +
			`"mode":5,"color":16776960,"size":40,"pool":1,"weight":7,"likes":2,"protected":true,"extra":{"a":1}}`: sentEvent(danmu.Comment{
			ID: id(2, 1), User: "ann", Progress: 2 * time.Second, Sent: at, Text: "哈", Mode: danmu.Top, Color: danmu.RGB(0xFFFF00),
			Size: 40, Pool: 1, Weight: 7, Likes: 2, Protected: true, Extra: json.RawMessage(`{"a":1}`),
		}),
	} {
		got, err := json.Marshal(e)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		var back live.Event
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, e, back)
	}
}

func FuzzEvent(f *testing.F) {
	for _, e := range []live.Event{sentEvent(comment(1, 1)), like(2), {Kind: live.Removed, ID: id(1, 3)}} {
		data, err := json.Marshal(e)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"kind":"sent","id":"","progress":-1,"sent":-9223372036854775808,"color":4294967295}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e live.Event
		if json.Unmarshal(data, &e) != nil {
			return
		}
		again, err := json.Marshal(e)
		require.NoError(t, err)
		var back live.Event
		require.NoError(t, json.Unmarshal(again, &back))
		once, err := json.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(again), string(once))
	})
}
