package videos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

const haha = `{"objectId":"1","userId":"1","ownerId":"1","content":{"text":"haha","color":"yellow","size":"40px","position":1,"time":14}}`

func TestSendAnswersTheDanmuWithItsIDAndTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := time.Now().UnixMilli()
	answer := call[map[string]any](t, w, "POST", "/danmu/send", haha)
	require.IsType(t, "", answer["id"])
	id, err := danmu.ParseID(answer["id"].(string))
	require.NoError(t, err)
	require.Equal(t, 14*time.Second, id.Progress())
	require.InDelta(t, before, answer["createdAt"], 60_000)
	require.Equal(t, map[string]any{
		"id": answer["id"], "createdAt": answer["createdAt"],
		"objectId": "1", "userId": "1", "ownerId": "1",
		"content": map[string]any{"text": "haha", "color": "yellow", "size": "40px", "position": 1.0, "time": 14.0},
	}, answer)

	stored, err := w.service.danmu.Get(t.Context(), "1", id)
	require.NoError(t, err)
	require.Equal(t, danmu.Top, stored.Mode)
	require.Equal(t, danmu.RGB(0xFFFF00), stored.Color)
	require.Equal(t, 40, stored.Size)

	for _, path := range []string{"/danmu/queryByTime/1?playingTime=14&size=20", "/danmu/pull/1?size=20"} {
		got := call[map[string]any](t, w, "GET", path, "")
		require.Equal(t, map[string]any{"data": []any{answer}, "cursor": "-1"}, got, path)
	}
}

func TestAStyleThatWasNotSentIsNotAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := call[map[string]any](t, w, "POST", "/danmu/send", `{"objectId":"1","userId":"2","content":{"text":"<script>","time":0.0004}}`)
	require.Equal(t, map[string]any{"text": "<script>", "position": 0.0, "time": 0.0}, got["content"])
	require.Equal(t, "1", got["ownerId"])
}

func TestASendWithAKeyIsOneDanmu(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const keyed = `{"objectId":"1","userId":"1","key":"k","content":{"text":"once","time":3}}`
	first := call[message](t, w, "POST", "/danmu/send", keyed)
	require.Equal(t, first, call[message](t, w, "POST", "/danmu/send", keyed))
	require.Len(t, w.stored(t), 1)
	w.answer(t, http.StatusConflict, "POST", "/danmu/send", strings.Replace(keyed, "once", "twice", 1))
}

func TestListsContinueFromTheirCursorToTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, at := range []float64{30, 19.999, 20, 20.4, 21, 5} {
		say(t, w, fmt.Sprint("user", i), fmt.Sprint(at), at)
	}
	first := call[list](t, w, "GET", "/danmu/queryByTime/1?playingTime=20&size=2", "")
	require.Equal(t, []string{"20", "20.4"}, texts(first.Data))
	next := call[list](t, w, "GET", "/danmu/pull/1?size=2&cursor="+first.Cursor, "")
	require.Equal(t, []string{"21", "30"}, texts(next.Data))
	require.Equal(t, end, next.Cursor, "exactly the size")
	require.Equal(t, list{Data: []message{}, Cursor: end}, call[list](t, w, "GET", "/danmu/pull/1?size=2&cursor=-1", ""))

	start := call[list](t, w, "GET", "/danmu/pull/1?size=20", "")
	require.Equal(t, []string{"5", "19.999", "20", "20.4", "21", "30"}, texts(start.Data))
	require.Equal(t, list{Data: []message{}, Cursor: end}, call[list](t, w, "GET", "/danmu/queryByTime/1?playingTime=31", ""))
}

func TestEveryPositionAndColorOfOldClientsIsUnderstood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := 0
	for position, mode := range map[int]danmu.Mode{0: danmu.Scroll, 1: danmu.Top, 2: danmu.Bottom, 3: danmu.Reverse} {
		for color, rgb := range map[string]uint32{"Yellow": 0xFFFF00, "#0f8": 0x00FF88, "#00A1FF": 0x00A1FF, "black": 0, "tomato": 0xFF6347} {
			i++
			body := fmt.Sprintf(`{"objectId":"1","userId":"u%d","content":{"text":"x","color":%q,"position":%d,"time":1}}`, i, color, position)
			m := call[message](t, w, "POST", "/danmu/send", body)
			require.Equal(t, color, m.Content.Color)
			require.EqualValues(t, position, m.Content.Position)
			c, err := w.service.danmu.Get(t.Context(), "1", m.ID)
			require.NoError(t, err)
			require.Equal(t, mode, c.Mode)
			require.Equal(t, danmu.RGB(rgb), c.Color)
		}
	}
}

func TestImportedDanmuAreWrittenInTheOldFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		danmu.Comment
		content string
	}{
		"bare":       {danmu.Comment{Text: "a"}, `{"text":"a","position":0,"time":2}`},
		"a look":     {danmu.Comment{Text: "a", Mode: danmu.Bottom, Color: danmu.RGB(0xFF), Size: 18}, `{"text":"a","color":"#0000ff","size":"18px","position":2,"time":2}`},
		"mode 2":     {danmu.Comment{Text: "a", Mode: 2}, `{"text":"a","position":0,"time":2}`},
		"programmed": {danmu.Comment{Text: "[]", Mode: danmu.Positioned}, `{"text":"[]","position":7,"time":2}`},
		"an Extra":   {danmu.Comment{Text: "a", Extra: []byte(`{"color":"red","size":1}`)}, `{"text":"a","position":0,"time":2}`},
	} {
		c.Progress = second(2)
		m := messageOf(c.Comment, "")
		require.Zero(t, m.CreatedAt, name)
		text, err := json.Marshal(m.Content)
		require.NoError(t, err)
		require.JSONEq(t, c.content, string(text), name)
	}
}

func TestAFastSenderGetsRetryAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 50 {
		answer := w.ask(t, "192.0.2.1", "POST", "/danmu/send", sendOf("1", "1"))
		if answer.Code == http.StatusOK {
			continue
		}
		require.Equal(t, http.StatusTooManyRequests, answer.Code, answer.Body)
		require.NotEmpty(t, answer.Header().Get("Retry-After"))
		require.Len(t, w.stored(t), i)
		return
	}
	t.Fatal("nobody stopped it")
}
