package feed_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

func TestActivityJSON(t *testing.T) {
	t.Parallel()
	full := feed.Activity{
		ID: ids.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Owner: "chris",
		Actor: feed.Ref{Kind: "user", ID: "chris"}, Verb: "add",
		Object: feed.Ref{Kind: "picture", ID: "10"}, Target: feed.Ref{ID: "album"},
		ForeignID: "p/10", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), To: []string{"birds"}, Data: []byte(`{"message":"😀"}`),
	}
	plain := feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "wave", Time: full.Time}
	for want, a := range map[string]feed.Activity{
		`{"id":"` + full.ID.String() + `","actor":"user:chris","verb":"add","object":"picture:10","target":"album","foreignId":"p/10",` +
			`"time":"2026-01-02T03:04:05Z","to":["birds"],"data":{"message":"😀"}}`: full,
		`{"id":"","actor":"chris","verb":"wave","time":"2026-01-02T03:04:05Z"}`: plain,
	} {
		got, err := json.Marshal(a)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		var again feed.Activity
		require.NoError(t, json.Unmarshal(got, &again))
		again.Owner = a.Owner // not in the JSON
		require.Equal(t, a, again)
	}
}
