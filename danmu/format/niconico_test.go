package format_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestDeletedCommentsAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	for f, text := range map[format.Format]string{
		format.NiconicoXML: `<packet><chat no="1" vpos="1" deleted="1"/><chat deleted="2">a</chat><chat vpos="x">b</chat><chat no="4" vpos="1">stays</chat></packet>`,
		format.Niconico:    `[{"no":1,"vpos":1,"deleted":1},{"content":"a","deleted":true},{"content":"b"},{"vpos":1,"content":"stays","deleted":false}]`,
	} {
		got := whole(t, text, f, nil)
		require.Equal(t, format.Stats{Read: 1, Refused: 1, Deleted: 2}, got.stats, f)
		require.Equal(t, "stays", got.comments[0].Text)
		require.EqualValues(t, 3, got.refused[0].Record)
	}
}

// The archives of live comments have no root.
func TestAPacketWithoutARoot(t *testing.T) {
	t.Parallel()
	const one, two = `<chat thread="1" no="1" vpos="1">one` + "\n" + `line more</chat>`, `<chat thread="1" no="2" vpos="2">two</chat>`
	for text, want := range map[string]int{
		one: 1, one + "\n" + two + "\n": 2,
		"<!-- NicoJK logfile -->\n" + one + two + `<chat thread="1" no="3" vpos="3" deleted="1"/>`: 2,
		one + "<packet>" + two + "</packet>": 2, "<packet>" + one + "</packet>" + two: 2,
	} {
		got := whole(t, text, format.NiconicoXML, nil)
		require.Len(t, got.comments, want, text)
		require.Empty(t, got.refused)
		require.Zero(t, got.stats.Repaired)
	}
	for n := range len(two) {
		got, err := read(t, strings.NewReader(one+two[:n]), format.NiconicoXML, nil)
		require.Len(t, got.comments, 1)
		require.Equal(t, n < len("<c"), err == nil, two[:n])
	}
	_, err := read(t, strings.NewReader("<packet>"+one+"</packet><packet>"+two), format.NiconicoXML, nil)
	require.ErrorIs(t, err, format.ErrBroken)
}

// A number is unique in a thread, and the owner's comments are counted alone.
func TestKeysOfAPacketAreUnique(t *testing.T) {
	t.Parallel()
	got := whole(t, `<packet>
		<chat thread="1" no="7" vpos="1">a</chat><chat thread="2" no="7" vpos="1">a</chat>
		<chat thread="1" fork="1" no="7" vpos="1">a</chat><chat thread="1" fork="2" no="7" vpos="1">a</chat>
		<chat fork="1" no="7" vpos="1">a</chat><chat no="7" vpos="1">a</chat>
	</packet>`, format.NiconicoXML, nil)
	keys := map[string]bool{}
	for _, c := range got.comments {
		keys[c.Key] = true
	}
	require.Len(t, keys, 6)
	require.True(t, keys["7"])
	requireComesBack(t, got, format.NiconicoXML)
}

func TestAPacketIsWrittenAsPlayersReadIt(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]danmu.Comment{
		`<chat no="0" vpos="0" date="0" user_id="0">a</chat>`:                                             {},
		`<chat no="7" vpos="150" vposMs="1505" date="1600000000" date_usec="123000" user_id="0">a</chat>`: {Key: "7", Progress: 1505 * time.Millisecond, Sent: time.UnixMilli(1600000000123)},
		`<chat no="0" vpos="0" date="0" mail="ue big" user_id="0" id="a&lt;b">a</chat>`:                   {Key: "a<b", Mode: danmu.Top, Size: 36},
		`<chat no="0" vpos="0" date="0" user_id="0" id="07">a</chat>`:                                     {Key: "07"},
		// The number of its thread stays beside the Key of a JSON file.
		`<chat thread="1" no="3" vpos="0" date="0" mail="184 full" user_id="0" premium="1" id="12345678901234567890" score="-4800">a</chat>`: {
			Key: "12345678901234567890", Extra: json.RawMessage(`{"niconico":{"no":3,"thread":"1","mail":["184","full"],"premium":true,"score":-4800,"nicoruId":null,"tags":["x"],"id":1}}`),
		},
		`<chat thread="1" no="3" vpos="0" date="0" user_id="0">a</chat>`: {Key: "1/3", Extra: json.RawMessage(`{"niconico":{"no":3,"thread":1}}`)},
		`<chat thread="1" no="0" vpos="0" date="0" user_id="0">a</chat>`: {Extra: json.RawMessage(`{"niconico":{"no":3,"thread":1}}`)},
		// Without a sender, players take a comment for the owner's.
		`<chat fork="owner" no="0" vpos="0" date="0">a</chat>`:                {Extra: json.RawMessage(`{"niconico":{"fork":"owner"}}`)},
		`<chat fork="main" no="0" vpos="0" date="0" user_id="0">a</chat>`:     {Extra: json.RawMessage(`{"niconico":{"fork":"main"}}`)},
		`<chat no="0" vpos="0" date="0" user_id="0" premium="3">/vote</chat>`: {Text: "/vote", Mode: danmu.Code},
		`<chat no="0" vpos="0" date="0" user_id="0">/vote</chat>`:             {Text: "/vote"},
	} {
		if c.Text == "" {
			c.Text = "a"
		}
		require.Contains(t, write(t, []danmu.Comment{c}, format.NiconicoXML, nil), "\n"+want+"\n")
	}
}

// Commands are for the player. Only the owner's and operators' are any.
func TestCommandsOfOperatorsAreCode(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]danmu.Mode{
		`premium="2"`: danmu.Code, `premium="3" mail="ue"`: danmu.Code, `premium="6"`: danmu.Code, `fork="1"`: danmu.Code, `fork="owner"`: danmu.Code,
		``: danmu.Scroll, `premium="0"`: danmu.Scroll, `premium="1"`: danmu.Scroll, `premium="x"`: danmu.Scroll, `fork="0" mail="ue"`: danmu.Top, `fork="easy"`: danmu.Scroll,
	} {
		got := whole(t, `<packet><chat vpos="1" `+attributes+`>/vote start</chat></packet>`, format.NiconicoXML, nil)
		require.Equal(t, want, got.comments[0].Mode, attributes)
		requireComesBack(t, got, format.NiconicoXML)
	}
	w, err := format.NewWriter(io.Discard, format.NiconicoXML, nil)
	require.NoError(t, err)
	require.ErrorIs(t, w.Write(danmu.Comment{Text: "trace(1)", Mode: danmu.Code}), plaza.ErrInvalid)
}

// What Niconico's two formats both have becomes the same.
func TestAPacketBecomesJSONAndBack(t *testing.T) {
	t.Parallel()
	got := whole(t, testFiles(t, format.NiconicoXML, "valid")["valid.xml"], format.NiconicoXML, &format.ReadOptions{Senders: true})
	var plain []danmu.Comment
	for _, c := range got.comments {
		if c.Mode != danmu.Code {
			plain = append(plain, c)
		}
	}
	text := write(t, plain, format.Niconico, &format.WriteOptions{Senders: true})
	between := whole(t, text, format.Niconico, &format.ReadOptions{Senders: true})
	require.Equal(t, plain, between.comments)
	text = write(t, between.comments, format.NiconicoXML, &format.WriteOptions{Senders: true})
	again := whole(t, text, format.NiconicoXML, &format.ReadOptions{Senders: true})
	require.Equal(t, plain, again.comments)
}

// Memory does not grow with the number of comments, nor with that of other elements.
func TestALongPacketTakesBoundedMemory(t *testing.T) {
	n := faults.Size(300_000, 20_000)
	from, to := io.Pipe()
	go func() {
		out := bufio.NewWriter(to)
		_, _ = fmt.Fprint(out, "<packet>")
		for i := range n {
			_, _ = fmt.Fprintf(out, `<chat thread="1" no="%[1]d" vpos="%[1]d" date="1600000000" mail="184" user_id="u%[1]d">text</chat><leaf thread="1" count="%[1]d"/>`+"\n", i)
		}
		_, _ = fmt.Fprint(out, "</packet>")
		to.CloseWithError(out.Flush())
	}()
	r, err := format.NewReader(from, format.NiconicoXML, nil)
	require.NoError(t, err)
	require.Less(t, grown(func() {
		for range r.All() {
		}
	}), int64(6<<20))
	require.EqualValues(t, n, r.Stats().Read)
}
