package format_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
)

// anyComment draws a comment that every format can hold.
func anyComment() *rapid.Generator[danmu.Comment] {
	text := rapid.StringOf(rapid.RuneFrom([]rune("a <>&\"'\\/\t\n\r,0弹🎉\u2028\u00a0]")))
	return rapid.Custom(func(t *rapid.T) danmu.Comment {
		return danmu.Comment{
			Key:      rapid.StringMatching(`|[1-9][0-9]{0,20}|[a-z<"]{1,5}`).Draw(t, "key"),
			User:     rapid.StringMatching(`|[a-z<&"]{1,5}`).Draw(t, "user"),
			Progress: time.Duration(rapid.Uint32().Draw(t, "progress")) * time.Millisecond,
			Sent:     time.UnixMilli(rapid.Int64Range(1000, 253402300799999).Draw(t, "sent")).UTC(),
			Text:     text.Filter(func(s string) bool { return s != "" }).Draw(t, "text"),
			Mode:     rapid.SampledFrom([]danmu.Mode{danmu.Scroll, danmu.Top, danmu.Bottom}).Draw(t, "mode"),
			Color:    rapid.Custom(anyColor).Draw(t, "color"),
			Size:     rapid.SampledFrom([]int{0, 18, 36}).Draw(t, "size"),
			Pool:     rapid.IntRange(-2, 2).Draw(t, "pool"),
			Weight:   rapid.IntRange(-2, 11).Draw(t, "weight"),
		}
	})
}

func anyColor(t *rapid.T) danmu.Color {
	if rgb := rapid.Uint32Range(0, 0xFFFFFF).Draw(t, "rgb"); rgb != 0xFFFFFF {
		return danmu.RGB(rgb)
	}
	return 0
}

// has returns c with only the fields that the format has.
func has(c danmu.Comment, f format.Format) danmu.Comment {
	switch f {
	case format.Bilibili:
		c.Sent = c.Sent.Truncate(time.Second)
	case format.DPlayer, format.ArtPlayer:
		c.Key = ""
		fallthrough
	case format.Dandanplay:
		c.Sent, c.Size, c.Pool, c.Weight = time.Time{}, 0, 0, 0
	case format.Niconico, format.NiconicoXML:
		c.Pool, c.Weight = 0, 0
	}
	if f == format.ArtPlayer {
		c.User = ""
	}
	return c
}

func TestWrittenCommentsAreReadBack(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				comments := rapid.SliceOf(anyComment()).Draw(rt, "comments")
				text := write(t, comments, f, &format.WriteOptions{Senders: true})
				switch f {
				case format.Bilibili, format.NiconicoXML:
					requireXML(t, text)
				case format.NDJSON:
				default:
					require.True(t, json.Valid([]byte(text)))
				}
				got := whole(t, text, f, &format.ReadOptions{Senders: true})
				require.Empty(t, got.refused)
				require.Zero(t, got.stats.Repaired)
				require.Len(t, got.comments, len(comments))
				for i, c := range comments {
					read := got.comments[i]
					read.Extra = nil // Niconico's commands
					require.Equal(t, has(c, f), read)
				}
				requireComesBack(t, got, f)
			})
		})
	}
}

func requireXML(t testing.TB, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			require.NoError(t, err)
		}
	}
}

// This includes fields that Comment may get later.
func TestNDJSONHasEveryField(t *testing.T) {
	t.Parallel()
	id, err := danmu.ParseID("000001DR00000000C15H")
	require.NoError(t, err)
	c := danmu.Comment{
		Object: "video-1", ID: id, Key: "k", User: "u", Progress: time.Millisecond, Sent: time.UnixMilli(1).UTC(), Text: "\uFFFF\x00 <&>",
		Mode: 99, Color: danmu.RGB(0xFFFFFF), Size: 25, Pool: 1, Weight: -1, Likes: 1, Reports: 2, Protected: true, Repeats: 3, Extra: json.RawMessage(`{"x":[1]}`),
	}
	for i, v := 0, reflect.ValueOf(c); i < v.NumField(); i++ {
		require.False(t, v.Field(i).IsZero(), v.Type().Field(i).Name)
	}
	got := whole(t, write(t, []danmu.Comment{c}, format.NDJSON, nil), format.NDJSON, nil)
	require.Equal(t, []danmu.Comment{c}, got.comments)
}

func TestARefusedCommentDoesNotStopTheWriter(t *testing.T) {
	t.Parallel()
	fine := danmu.Comment{Text: "fine"}
	for _, f := range formats() {
		for field, comments := range map[string][]danmu.Comment{
			"Text":     {{}, {Text: "\xff"}},
			"Progress": {{Text: "a", Progress: -1}, {Text: "a", Progress: danmu.MaxProgress + 1}},
			"Sent":     {{Text: "a", Sent: time.Unix(-1, 0)}, {Text: "a", Sent: time.Unix(253402300800, 0)}},
			"Size":     {{Text: "a", Size: -1}, {Text: "a", Size: 1 << 31}},
			"Mode":     {{Text: "a", Mode: 1 << 31}},
			"Key":      {{Text: "a", Key: "\xff"}},
			"Extra":    {{Text: "a", Extra: json.RawMessage(`[`)}, {Text: "a", Extra: json.RawMessage(`null`)}, {Text: "a", Extra: json.RawMessage(`{"x":`)}},
		} {
			for _, bad := range comments {
				var b bytes.Buffer
				w, err := format.NewWriter(&b, f, nil)
				require.NoError(t, err)
				var invalid *plaza.InvalidError
				require.ErrorAs(t, w.Write(bad), &invalid, f)
				require.Equal(t, field, invalid.Field)
				require.NoError(t, w.Write(fine))
				require.ErrorIs(t, w.Write(bad), plaza.ErrInvalid)
				require.NoError(t, w.Close())
				got := whole(t, b.String(), f, nil)
				require.Len(t, got.comments, 1, f)
				require.Equal(t, "fine", got.comments[0].Text)
			}
		}
	}
}

// An application may make up the fields of a format in Extra.
func TestInvalidExtraIsRefused(t *testing.T) {
	t.Parallel()
	for f, extras := range map[format.Format][]string{
		format.Bilibili: {
			`{"bilibili":[1]}`, `{"bilibili":{"p":1}}`, `{"bilibili":{"p":[1]}}`, `{"bilibili":{"x":1}}`,
			`{"bilibili":{"x y":"1"}}`, `{"bilibili":{"":"1"}}`, `{"bilibili":{"x><d p":"1"}}`, `{"bilibili":{"1x":"1"}}`,
		},
		format.DPlayer:    {`{"dplayer":{}}`},
		format.ArtPlayer:  {`{"artplayer":[]}`},
		format.Dandanplay: {`{"dandanplay":[]}`, `{"dandanplay":{"p":"x"}}`},
		format.Niconico:   {`{"niconico":[]}`, `{"niconico":{"mail":7}}`},
	} {
		w, err := format.NewWriter(io.Discard, f, nil)
		require.NoError(t, err)
		for _, extra := range extras {
			require.ErrorIs(t, w.Write(danmu.Comment{Text: "a", Extra: json.RawMessage(extra)}), plaza.ErrInvalid, extra)
		}
	}
	got := whole(t, write(t, []danmu.Comment{{Text: "a", Extra: json.RawMessage(`{"bilibili":{"x":"\"><d p=\"\u0008","p":["\"","a,b"]}}`)}}, format.Bilibili, nil), format.Bilibili, nil)
	require.Len(t, got.comments, 1)
	require.JSONEq(t, `{"bilibili":{"x":"\"><d p=\"","p":["\"","a","b"]}}`, string(got.comments[0].Extra))
}

func TestUnsupportedModesAreRefused(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		for mode := danmu.Mode(1); mode < 11; mode++ {
			w, err := format.NewWriter(io.Discard, f, nil)
			require.NoError(t, err)
			err = w.Write(danmu.Comment{Text: "a", Mode: mode})
			switch f {
			case format.Bilibili, format.Dandanplay, format.NDJSON:
				require.NoError(t, err)
			default:
				require.Equal(t, mode > 5, err != nil, "%s: %d", f, mode)
			}
		}
	}
}

// Niconico's commands stay as they are unless they contradict the comment.
func TestNiconicoCommandsFollowTheComment(t *testing.T) {
	t.Parallel()
	extra := json.RawMessage(`{"niconico":{"mail":["naka","184","ue","red","small","full"]}}`)
	for mail, c := range map[string]danmu.Comment{
		`["naka","184","ue","red","small","full"]`: {Color: danmu.RGB(0xFF0000), Size: 20, Mode: 3},
		`["184","red","small","full","shita"]`:     {Color: danmu.RGB(0xFF0000), Size: 18, Mode: danmu.Bottom},
		`["naka","184","ue","small","full"]`:       {Color: danmu.RGB(0xFFFFFF), Size: 1},
		`["naka","184","ue","full","black","big"]`: {Color: danmu.RGB(0), Size: 31},
		`["naka","184","ue","full","#123456"]`:     {Color: danmu.RGB(0x123456), Size: 30},
	} {
		c.Text, c.Extra = "a", extra
		text := write(t, []danmu.Comment{c}, format.Niconico, nil)
		require.Contains(t, text, `"mail":`+mail)
	}
	require.Contains(t, write(t, []danmu.Comment{{Text: "a"}}, format.Niconico, nil), `"mail":[]`)
}

// JavaScript reads 9007199254740993 as 9007199254740992.
func TestAKeyIsANumberIfJavaScriptReadsItExactly(t *testing.T) {
	t.Parallel()
	for f, text := range map[format.Format]string{
		format.Dandanplay: `{"comments":[{"p":"1,1,0","m":"a","cid":KEY}]}`,
		format.Niconico:   `[{"vpos":1,"content":"a","id":KEY}]`,
	} {
		name := map[format.Format]string{format.Dandanplay: `"cid":`, format.Niconico: `"id":`}[f]
		for key, want := range map[string]string{
			`7`: `7`, `"7"`: `7`, `"07"`: `"07"`, `"-7"`: `"-7"`, `-7`: `-7`, `1e3`: `1e3`, `"a"`: `"a"`,
			`"9007199254740991"`: `9007199254740991`, `"9007199254740992"`: `"9007199254740992"`, `9007199254740993`: `9007199254740993`,
		} {
			got := whole(t, strings.Replace(text, "KEY", key, 1), f, nil)
			require.Len(t, got.comments, 1, key)
			require.Equal(t, strings.Trim(key, `"`), got.comments[0].Key)
			require.Regexp(t, name+want+`[,}]`, write(t, got.comments, f, nil))
			requireComesBack(t, got, f)

			c := got.comments[0]
			c.Key = "b"
			require.Contains(t, write(t, []danmu.Comment{c}, f, nil), name+`"b"`)
			c.Key = ""
			require.NotContains(t, write(t, []danmu.Comment{c}, f, nil), name)
		}
	}
	bad := danmu.Comment{Text: "a", Key: "{}", Extra: json.RawMessage(`{"dandanplay":{"cid":{}}}`)}
	require.Contains(t, write(t, []danmu.Comment{bad}, format.Dandanplay, nil), `"cid":"{}"`)
	bad.Key = ""
	require.NotContains(t, write(t, []danmu.Comment{bad}, format.Dandanplay, nil), `"cid"`)
}

func TestNamesThatFieldsCannotHoldAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, f := range []format.Format{format.Bilibili, format.Dandanplay} {
		text := write(t, []danmu.Comment{{Text: "a", Key: "a,b", User: "c,d"}}, f, &format.WriteOptions{Senders: true})
		got := whole(t, text, f, &format.ReadOptions{Senders: true})
		require.Empty(t, got.comments[0].User)
		require.Nil(t, got.comments[0].Extra)
		require.Equal(t, f == format.Dandanplay, got.comments[0].Key == "a,b", "cid has a place of its own")
	}
}

// XML cannot hold a NUL, not even as a reference. The other formats can.
func TestInvalidXMLCharactersAreLeftOut(t *testing.T) {
	t.Parallel()
	const text = "a\x08b\x00c\uFFFE\uFFFF\x7f"
	for _, f := range formats() {
		written := write(t, []danmu.Comment{{Text: text}}, f, nil)
		got := whole(t, written, f, nil)
		require.Zero(t, got.stats.Repaired)
		if f != format.Bilibili && f != format.NiconicoXML {
			require.Equal(t, text, got.comments[0].Text, f)
			continue
		}
		requireXML(t, written)
		require.Equal(t, "abc\x7f", got.comments[0].Text)
		w, err := format.NewWriter(io.Discard, f, nil)
		require.NoError(t, err)
		require.ErrorIs(t, w.Write(danmu.Comment{Text: "\x08"}), plaza.ErrInvalid)
	}
}

// A size of 0 in a file is read as the usual one, which files have as 25.
func TestTheUsualSizeIsWrittenAs25(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"0", "25"} {
		got := whole(t, `<i><d p="1,1,`+size+`,0,0,0,0,0">a</d></i>`, format.Bilibili, nil)
		require.Zero(t, got.comments[0].Size)
		require.Contains(t, write(t, got.comments, format.Bilibili, nil), `p="1,1,25,`)
	}
}

func TestInvalidTagsAreRefused(t *testing.T) {
	t.Parallel()
	for f, tags := range map[format.Format][]format.Tag{
		format.Bilibili: {
			{}, {Name: "d"}, {Name: "d", Value: "x"}, {Name: "a b"}, {Name: "a>"}, {Name: "1"}, {Name: "i", Value: "x"},
			{Name: "a", Value: "<"}, {Name: "a", Value: "</a><b>"}, {Name: "a", Value: "</a>x<a>"}, {Name: "a", Value: `<d p="">x</d>`}, {Name: "a", Value: "<i/>"},
			{Name: "a", Value: "&bomb;"}, {Name: "a", Value: "<!DOCTYPE x>"}, {Name: "a", Value: "\x08"}, {Name: "a", Attributes: `b`}, {Name: "a", Attributes: `><d p=""`}, {Name: "a", Attributes: `b="c"></a><a`},
			{Name: "i", Attributes: `/><i`},
			{Name: "a", Value: `<d xmlns="urn:x"/>`}, {Name: "a", Value: "<b></c>"}, {Name: "a", Value: `<x:b xmlns:x="u" xmlns:y="u"></y:b>`}, {Name: "a", Value: "<b>"}, {Name: "a", Value: "<a>"},
		},
		format.DPlayer:    {{Name: "data", Value: "[]"}, {Name: "x", Value: ""}, {Name: "x", Value: `1,"data":[]`}, {Name: "x", Value: "1", Attributes: "x"}},
		format.Dandanplay: {{Name: "comments", Value: "[]"}, {Name: "count", Value: "7"}},
		format.NiconicoXML: {
			{Name: "chat"}, {Name: "chat", Value: "x"}, {Name: "packet", Value: "x"}, {Name: "a", Value: `<chat vpos="1">x</chat>`}, {Name: "a", Value: "<packet/>"},
			{Name: "a", Value: "&bomb;"}, {Name: "thread", Attributes: `><chat vpos="1"`},
		},
		format.ArtPlayer: {{Name: "x", Value: "1"}},
		format.Niconico:  {{Name: "x", Value: "1"}},
		format.NDJSON:    {{Name: "x", Value: "1"}},
	} {
		for _, tag := range tags {
			_, err := format.NewWriter(io.Discard, f, &format.WriteOptions{Tags: []format.Tag{tag}})
			require.ErrorIs(t, err, plaza.ErrInvalid, "%s %q", f, tag)
		}
	}
	_, err := format.NewWriter(io.Discard, format.Bilibili, &format.WriteOptions{Tags: []format.Tag{{Name: "i"}, {Name: "i"}}})
	require.ErrorIs(t, err, plaza.ErrInvalid)
}

func TestEmptyFilesAreValid(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		got := whole(t, write(t, nil, f, nil), f, nil)
		require.Empty(t, got.comments)
		require.Empty(t, got.refused)
	}
	require.Empty(t, whole(t, "<i/>", format.Bilibili, nil).comments)
	require.Len(t, whole(t, `<i a="b"/>`, format.Bilibili, nil).tags, 1)
	require.Empty(t, whole(t, `{"code":0,"data":[]}`, format.DPlayer, nil).comments)
}

func TestACommentIsWrittenAsPlayersWriteIt(t *testing.T) {
	t.Parallel()
	c := danmu.Comment{Key: "7", User: "u", Progress: 1500 * time.Millisecond, Sent: time.Unix(1600000000, 0), Text: "1 < 2", Mode: danmu.Top, Color: danmu.RGB(0xFF0000), Weight: 10}
	for f, want := range map[format.Format]string{
		format.Bilibili:    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<i>\n<d p=\"1.5,5,25,16711680,1600000000,0,u,7,10\">1 &lt; 2</d>\n</i>\n",
		format.DPlayer:     "{\"code\":0,\"data\":[\n[1.5,1,16711680,\"u\",\"1 &lt; 2\"]\n]}\n",
		format.ArtPlayer:   "[\n{\"color\":\"#FF0000\",\"mode\":1,\"text\":\"1 < 2\",\"time\":1.5}\n]\n",
		format.Dandanplay:  "{\"comments\":[\n{\"cid\":7,\"m\":\"1 < 2\",\"p\":\"1.5,5,16711680,u\"}\n],\"count\":1}\n",
		format.NiconicoXML: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<packet>\n<chat no=\"7\" vpos=\"150\" date=\"1600000000\" mail=\"ue red\" user_id=\"u\">1 &lt; 2</chat>\n</packet>\n",
		format.Niconico:    "[\n{\"content\":\"1 < 2\",\"date\":1600000000,\"id\":7,\"mail\":[\"ue\",\"red\"],\"user_id\":\"u\",\"vpos\":150}\n]\n",
		format.NDJSON:      "{\"key\":\"7\",\"user\":\"u\",\"progress\":1500,\"sent\":\"2020-09-13T12:26:40Z\",\"text\":\"1 < 2\",\"mode\":5,\"color\":\"#FF0000\",\"weight\":10}\n",
	} {
		require.Equal(t, want, write(t, []danmu.Comment{c}, f, &format.WriteOptions{Senders: true}))
	}
}

// full is a writer that fails after left bytes.
type full struct{ left int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterReturnsTheFirstError(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		for _, left := range []int{0, 100_000} {
			w, err := format.NewWriter(&full{left: left}, f, nil)
			require.NoError(t, err)
			for i := 0; err == nil && i < 10_000; i++ {
				err = w.Write(danmu.Comment{Text: fmt.Sprint("some text ", i)})
			}
			require.ErrorIs(t, err, errFull)
			require.ErrorIs(t, w.Write(danmu.Comment{Text: "a"}), errFull)
			require.ErrorIs(t, w.Close(), errFull)
		}
		w, err := format.NewWriter(&full{}, f, nil)
		require.NoError(t, err)
		require.NoError(t, w.Write(danmu.Comment{Text: "a"}))
		require.ErrorIs(t, w.Close(), errFull)

		w, err = format.NewWriter(io.Discard, f, nil)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, w.Close())
		require.Error(t, w.Write(danmu.Comment{Text: "a"}))
	}
}
