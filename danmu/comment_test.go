package danmu_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

func TestJSONIsWhatViewersMaySee(t *testing.T) {
	t.Parallel()
	id := parsed(t)
	full := danmu.Comment{
		Object: "episode 1", ID: id, User: "jack", Progress: id.Progress(), Sent: noon.Add(time.Millisecond),
		Text: "前方高能", Mode: danmu.Top, Color: danmu.RGB(0xFF), Size: 18, Pool: 1, Weight: 2,
		Likes: 3, Protected: true, Repeats: 4, Extra: json.RawMessage(`{"bilibili":{}}`),
	}
	ms, err := json.Marshal(id.Progress().Milliseconds())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		comment danmu.Comment
		want    string
	}{
		"full": {full, `{"object":"episode 1","id":"` + id.String() + `","user":"jack","progress":` + string(ms) + `,"sent":"2026-11-21T12:00:00.001Z",
			"text":"前方高能","mode":5,"color":"#0000FF","size":18,"pool":1,"weight":2,"likes":3,"protected":true,"repeats":4,"extra":{"bilibili":{}}}`},
		"plain": {
			danmu.Comment{Object: "v", ID: id, Progress: 20_400 * time.Millisecond, Text: "haha"},
			`{"object":"v","id":"` + id.String() + `","progress":20400,"text":"haha","mode":0,"likes":0}`,
		},
		"black": {
			danmu.Comment{Object: "v", ID: id, Text: "!", Color: danmu.RGB(0)},
			`{"object":"v","id":"` + id.String() + `","progress":0,"text":"!","mode":0,"color":"#000000","likes":0}`,
		},
	} {
		text, err := json.Marshal(c.comment)
		require.NoError(t, err, name)
		require.JSONEq(t, c.want, string(text), name)
		var back danmu.Comment
		require.NoError(t, json.Unmarshal(text, &back), name)
		require.Equal(t, c.comment, back, name)

		secret := c.comment
		secret.Key, secret.Reports = "a key", 4
		hidden, err := json.Marshal(secret)
		require.NoError(t, err, name)
		require.Equal(t, string(text), string(hidden), "neither Key nor Reports")
	}
	for name, text := range map[string]string{
		"a colour's name":     `{"color":"red"}`,
		"a short colour":      `{"color":"#fff"}`,
		"a colour with sign":  `{"color":"#+FF000"}`,
		"a negative progress": `{"progress":-1}`,
		"a late progress":     `{"progress":4294967296}`,
	} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), new(danmu.Comment)), plaza.ErrInvalid, name)
	}
}

func TestJSONOfAnswers(t *testing.T) {
	t.Parallel()
	id := parsed(t)
	for want, answer := range map[string]any{
		`{"comments":[],"dropped":0}`:                             danmu.Window{},
		`{"comments":[],"dropped":3}`:                             &danmu.Window{Dropped: 3},
		`{"duration":60000,"segment":360000,"shards":4}`:          danmu.Settings{Duration: time.Minute, Segment: 6 * time.Minute, Shards: 4},
		`{"owner":"o","duration":0,"segment":0,"shards":0}`:       danmu.Settings{Owner: "o"},
		`{"` + id.String() + `":{"liked":true,"reported":false}}`: map[danmu.ID]danmu.Reaction{id: {Liked: true}},
		`{"read":3,"written":1,"present":1,"refused":1}`:          danmu.ImportResult{Read: 3, Written: 1, Present: 1, Refused: 1},
		`["","#FF0000"]`: []danmu.Color{0, danmu.RGB(0xFF0000)},
	} {
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		require.JSONEq(t, want, string(text))
	}
	var s danmu.Settings
	require.NoError(t, json.Unmarshal([]byte(`{"owner":"o","duration":60000,"segment":360000,"shards":4}`), &s))
	require.Equal(t, danmu.Settings{Owner: "o", Duration: time.Minute, Segment: 6 * time.Minute, Shards: 4}, s)
	require.ErrorIs(t, json.Unmarshal([]byte(`{"duration":-1}`), &s), plaza.ErrInvalid)
	var colors []danmu.Color
	require.NoError(t, json.Unmarshal([]byte(`["","#ff0000"]`), &colors))
	require.Equal(t, []danmu.Color{0, danmu.RGB(0xFF0000)}, colors)
}
