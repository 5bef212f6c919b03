package format_test

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// aFile returns a file of one comment, with x in its text.
func aFile(f format.Format, x string) string {
	switch f {
	case format.Bilibili:
		return `<i><d p="1,1,25,0,0,0,0,0">` + x + `</d></i>`
	case format.DPlayer:
		return `{"data":[[1,0,0,"","` + x + `"]]}`
	case format.ArtPlayer:
		return `[{"time":1,"color":"#000","text":"` + x + `"}]`
	case format.Dandanplay:
		return `{"comments":[{"p":"1,1,0,0","m":"` + x + `"}]}`
	case format.Niconico:
		return `[{"vpos":100,"mail":["black"],"content":"` + x + `"}]`
	case format.NiconicoXML:
		return `<packet><chat vpos="100" mail="black">` + x + `</chat></packet>`
	default:
		return `{"progress":1000,"color":"#000","text":"` + x + `"}`
	}
}

func TestDamagedBytesAreToleratedAndCounted(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		for damaged, want := range map[string]struct {
			text  string
			count int64
		}{
			"a\x08b\x1dc":    {"abc", 2},
			"a\x00\x01\x7f":  {"a\x7f", 2},
			"a\xffb\xe5\xbc": {"a\uFFFDb\uFFFD\uFFFD", 3},
			"弹幕\uFFFD":       {"弹幕\uFFFD", 0},
		} {
			got := whole(t, aFile(f, damaged), f, nil)
			require.Len(t, got.comments, 1, f)
			require.Equal(t, want.text, got.comments[0].Text, f)
			require.Equal(t, time.Second, got.comments[0].Progress)
			require.Equal(t, danmu.RGB(0), got.comments[0].Color)
			require.Equal(t, want.count, got.stats.Repaired, f)
		}
	}
}

func TestInvalidXMLIsToleratedAndCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		text  string
		count int64
	}{
		"I <3 you & me":             {"I <3 you & me", 2},
		"<b>bold</b>":               {"<b>bold</b>", 2},
		"&lol9; &nbsp; &; &#; &#x;": {"&lol9; &nbsp; &; &#; &#x;", 5},
		"a&#8;b&#x1D;c&#xFFFF;":     {"abc", 18},
		"a&#1114112;&#xD800;b":      {"ab", 18},
		"a\uFFFEb\uFFFFc":           {"abc", 6},
		"a<![CDATA[\uFFFE]]>b":      {"ab", 3},
		"a\r\nb\rc":                 {"a\nb\nc", 0},
		"&amp;lt;":                  {"&lt;", 0},
		"<i>x</i>":                  {"<i>x</i>", 2},
		"a</i>b":                    {"a</i>b", 1},
		"a <!-- b":                  {"a <!-- b", 1},
		"a <![CDATA[ b":             {"a <![CDATA[ b", 1},
		"<!--a<!--b<![CDATA[":       {"<!--a<!--b<![CDATA[", 3},
		"<![CDATA[a]]><![CDATA[b":   {"a<![CDATA[b", 1},
		"a &lt b":                   {"a &lt b", 1},
	} {
		for _, f := range []format.Format{format.Bilibili, format.NiconicoXML} {
			in := strings.ReplaceAll(text, "</i>b", map[format.Format]string{format.Bilibili: "</i>b", format.NiconicoXML: "</packet>b"}[f])
			got := whole(t, aFile(f, in), f, nil)
			require.Len(t, got.comments, 1, in)
			require.Equal(t, strings.ReplaceAll(want.text, text, in), got.comments[0].Text)
			require.Equal(t, want.count, got.stats.Repaired, in)
			requireComesBack(t, got, f)
		}
	}
}

// A bad record does not harm its neighbours.
func TestDamageStaysWithItsRecord(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`<d p="1,1,25,0,0,0,0,0" />`, `<d p="1,1,25,0,0,0,0,0">cut`, `<d p="1,1,25,0`, `<d p="`, `<d p='1,1>x</d>`, `<d`, `<d p="1">x</d>`,
		`<x>`, `<x><y></x>`, `<x a="1"`, `<d p="1,1,25,0,0,0,0,0">a</d`, `<d/>`, `<d p="1,1,25,0,0,0,0,0"><![CDATA[</d>]]>`,
	} {
		got := whole(t, `<i><d p="1,1,25,0,0,0,0,7">before</d>`+bad+`<d p="1,1,25,0,0,0,0,8">behind</d></i>`, format.Bilibili, nil)
		require.Len(t, got.comments, 2, bad)
		require.Len(t, got.refused, 1, bad)
		require.EqualValues(t, 2, got.refused[0].Record)
		require.EqualValues(t, 37, got.refused[0].Offset)
		require.Equal(t, "before", got.comments[0].Text)
		require.Equal(t, "behind", got.comments[1].Text)
	}
	for nothing, repaired := range map[string]int64{
		"text &": 0, "<!-- <d> -->": 0, "<?x <d> ?>": 0, "</i>": 0, "</i ><i a='b'>": 0, "</i><i/>": 0,
		"</x>": 1, "<": 1, "<>": 1, "< d>": 1, "<!ENTITY x 'y'>": 1, "<!-- x": 1, "<!--<!--": 2, "<?x": 1, "<?<!--": 2, "</i": 1, "</i></i a='": 1,
	} {
		got := whole(t, `<i><d p="1,1,25,0,0,0,0,7">before</d>`+nothing+`<d p="1,1,25,0,0,0,0,8">behind</d></i>`, format.Bilibili, nil)
		require.Len(t, got.comments, 2, nothing)
		require.Empty(t, got.refused, nothing)
		require.Equal(t, repaired, got.stats.Repaired, nothing)
	}
}

func TestSendersAreDroppedUnlessAskedFor(t *testing.T) {
	t.Parallel()
	for f, text := range map[format.Format]string{
		format.Bilibili:   `<i><d p="1,1,25,0,0,0,hash,0">a</d></i>`,
		format.DPlayer:    `{"data":[[1,0,0,"hash","a"]]}`,
		format.Dandanplay: `[{"p":"1,1,0,hash","m":"a"}]`,
		format.Niconico:   `[{"vpos":1,"content":"a","user_id":"hash","mail":[]},{"vpos":1,"content":"a","userId":"hash"}]`,

		format.NiconicoXML: `<packet><chat vpos="1" user_id="hash">a</chat><chat vpos="1" name="Zoé" user_id="hash">a</chat></packet>`,
	} {
		for _, c := range whole(t, text, f, nil).comments {
			require.Empty(t, c.User, f)
			require.Empty(t, c.Extra, f)
		}
		got := whole(t, text, f, &format.ReadOptions{Senders: true})
		require.NotEmpty(t, got.comments)
		for _, c := range got.comments {
			require.Equal(t, "hash", c.User, f)
		}
		require.NotContains(t, write(t, got.comments, f, nil), "hash")
		require.Contains(t, write(t, got.comments, f, &format.WriteOptions{Senders: true}), "hash")
	}
}

func TestARecordBeyondTheLimitIsRefusedAndTheNextIsRead(t *testing.T) {
	t.Parallel()
	const limit = 200
	for _, f := range formats() {
		fits, text := strings.Repeat("x", limit-70), strings.Repeat("x", limit)
		one := func(x string) string {
			s := aFile(f, x)
			begin, end := strings.Index(s, "["), strings.LastIndex(s, "]")
			switch f {
			case format.Bilibili:
				begin, end = len("<i"), len(s)-len("</i>")
			case format.NiconicoXML:
				begin, end = len("<packet"), len(s)-len("</packet>")
			}
			if f == format.NDJSON {
				return s
			}
			return s[begin+1 : end]
		}
		all := aFile(f, "SPLIT")
		joined := strings.Replace(all, one("SPLIT"), strings.Join([]string{one(fits), one(text), one(strings.Repeat("x", 3*limit)), one("last")}, separator(f)), 1)
		got := whole(t, joined, f, &format.ReadOptions{MaxRecord: limit})
		require.Len(t, got.comments, 2, f)
		require.Len(t, got.refused, 2, f)
		require.Equal(t, fits, got.comments[0].Text)
		require.Equal(t, "last", got.comments[1].Text)

		require.Len(t, whole(t, aFile(f, strings.Repeat("x", 60_000)), f, nil).comments, 1, "64 KiB by default")
		require.Len(t, whole(t, aFile(f, strings.Repeat("x", 1<<16)), f, nil).refused, 1)
	}
}

func separator(f format.Format) string {
	switch f {
	case format.Bilibili, format.NiconicoXML:
		return ""
	case format.NDJSON:
		return "\n"
	}
	return ","
}

// endless repeats a text for longer than the memory that its reader may take.
func endless(begin, text string) io.Reader {
	text = strings.Repeat(text, (64<<10)/len(text))
	return io.MultiReader(strings.NewReader(begin), io.LimitReader(&repeating{text: text}, int64(faults.Size(8, 2))<<20))
}

type repeating struct {
	text string
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// grown returns how much more memory is in use after a call, in bytes.
func grown(call func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	call()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

func TestEndlessInputTakesBoundedMemory(t *testing.T) {
	for name, tt := range faults.Sample(3, map[string]struct {
		format format.Format
		from   io.Reader
	}{
		"text":          {format.Bilibili, endless(`<i><d p="1,1,25,0,0,0,0,0">`, "x")},
		"start tag":     {format.Bilibili, endless(`<i><d `, "x")},
		"end tag":       {format.Bilibili, endless(`<i><d p="1">x</d`, " ")},
		"attribute":     {format.Bilibili, endless(`<i><d p="`, "1,")},
		"CDATA":         {format.Bilibili, endless(`<i><d p="1,1,25,0,0,0,0,0"><![CDATA[`, "x")},
		"no end tags":   {format.Bilibili, endless(`<i>`, `<d p="1,1,25,0,0,0,0,0">`)},
		"element":       {format.Bilibili, endless(`<i><x>`, "x")},
		"nested":        {format.Bilibili, endless(`<i>`, "<x>")},
		"elements":      {format.Bilibili, endless(`<i>`, "<x>y</x>")},
		"note":          {format.Bilibili, endless(`<i><!--`, "x")},
		"notes":         {format.Bilibili, endless(`<i>`, "<!--")},
		"notes in text": {format.Bilibili, endless(`<i><d p="1,1,25,0,0,0,0,0">`, "<!--")},
		"roots":         {format.Bilibili, endless(``, `<i a="b"></i>`)},
		"ends in text":  {format.Bilibili, endless(`<i><d p="1,1,25,0,0,0,0,0">`, "</i>")},
		"between":       {format.Bilibili, endless(`<i>`, "x")},
		"root":          {format.Bilibili, endless(`<i `, "x")},
		"declaration":   {format.Bilibili, endless(`<?xml `, "x")},
		"document type": {format.Bilibili, endless(`<!DOCTYPE i [`, `<!ENTITY a "b">`)},
		"chat":          {format.NiconicoXML, endless(`<packet><chat vpos="1">`, "x")},
		"chats":         {format.NiconicoXML, endless(`<packet>`, `<chat vpos="1">`)},
		"no root":       {format.NiconicoXML, endless(`<chat>`, `<chat>`)},
		"deleted":       {format.NiconicoXML, endless(`<packet>`, `<chat deleted="1"/>`)},
		"threads of it": {format.NiconicoXML, endless(`<packet>`, `<thread thread="1"/>`)},
		"attributes":    {format.NiconicoXML, endless(`<packet><chat `, `a="b" `)},
		"white space":   {format.ArtPlayer, endless("", " ")},
		"array":         {format.ArtPlayer, endless("[", "[")},
		"object":        {format.ArtPlayer, endless("[", `{"a":`)},
		"string":        {format.ArtPlayer, endless(`[{"text":"`, "x")},
		"number":        {format.ArtPlayer, endless(`[`, "1")},
		"name":          {format.Dandanplay, endless(`{"`, "x")},
		"members":       {format.Dandanplay, endless(`{"":0`, `,"a":1`)},
		"member":        {format.Dandanplay, endless(`{"a":"`, `x`)},
		"threads":       {format.Niconico, endless(`{"data":{"threads":[`, `{"comments":[`)},
		"line":          {format.NDJSON, endless("", "x")},
		"lines":         {format.NDJSON, endless("", "\n")},
	}) {
		t.Run(name, func(t *testing.T) {
			r, err := format.NewReader(tt.from, tt.format, nil)
			require.NoError(t, err)
			require.Less(t, grown(func() {
				for _, err := range r.All() {
					if err == nil {
						t.Fatal("a comment without an end")
					}
				}
			}), int64(faults.Size(12, 3))<<19)
			require.Zero(t, r.Stats().Read)
			var tags int
			for _, tag := range r.Tags() {
				tags += len(tag.Name) + len(tag.Attributes) + len(tag.Value)
			}
			require.LessOrEqual(t, tags, 1<<20)
		})
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	got := whole(t, `[{"text":"a","time":1},{"text":"b","time":1,"x":`+deep+`},`+deep+`,{"text":"c","time":1}]`, format.ArtPlayer, nil)
	require.Len(t, got.comments, 2)
	require.Len(t, got.refused, 2)
	got = whole(t, `{"a":`+deep+`,"comments":[{"p":"1,1,0","m":"a"}]}`, format.Dandanplay, nil)
	require.Len(t, got.comments, 1)
	require.Len(t, got.refused, 1)
	got = whole(t, `<i>`+strings.Repeat("<x>", 10_001)+strings.Repeat("</x>", 10_001)+`<d p="1,1,25,0">a</d></i>`, format.Bilibili, nil)
	require.Len(t, got.comments, 1)
}

func TestThreadsOfNiconicoAreReadWithTheirForks(t *testing.T) {
	t.Parallel()
	got := whole(t, `{"meta":{"status":200},"data":{"globalComments":[{"id":"1","count":3}],"threads":[
		{"id":"1","fork":"owner","commentCount":1,"comments":[{"id":"a","vposMs":1505,"body":"of the owner"}]},
		{"id":"1","commentCount":0,"comments":[]},
		{"id":"1","fork":"main","comments":[{"id":"b","vposMs":20,"body":"of a viewer","fork":"own"},{"id":"c","vposMs":10,"body":"another"}],"more":1}
	]}}`, format.Niconico, nil)
	require.Empty(t, got.refused)
	require.Len(t, got.comments, 3)
	require.JSONEq(t, `{"niconico":{"fork":"owner"}}`, string(got.comments[0].Extra))
	require.JSONEq(t, `{"niconico":{"fork":"own"}}`, string(got.comments[1].Extra))
	require.JSONEq(t, `{"niconico":{"fork":"main"}}`, string(got.comments[2].Extra))
	require.Equal(t, 1505*time.Millisecond, got.comments[0].Progress)
	requireComesBack(t, got, format.Niconico)
}

func TestTheTagsOfAFileAreRead(t *testing.T) {
	t.Parallel()
	got := whole(t, testFiles(t, format.Bilibili, "valid")["valid.xml"], format.Bilibili, nil)
	require.Equal(t, []format.Tag{
		{Name: "i", Attributes: `xmlns:x="urn:x"`},
		{Name: "chatid", Value: "10"},
		{Name: "source", Attributes: `a="1 > 0"`, Value: "k-v &amp; more"},
		{Name: "gift", Attributes: `ts="1.5"`, Value: `<name>star</name><![CDATA[ <d p="0,1,25,0"> ]]>`},
		{Name: "state"},
		{Name: "meta", Attributes: `xmlns="urn:y"`, Value: `<part xmlns="urn:z">1</part><y:part xmlns:y="urn:z"/>`},
	}, got.tags)
	got = whole(t, `<i xmlns="urn:x"><d p="1,1,25,0">a</d></i>`, format.Bilibili, nil)
	require.Equal(t, []format.Tag{{Name: "i", Attributes: `xmlns="urn:x"`}}, got.tags)
	requireComesBack(t, got, format.Bilibili)
	got = whole(t, testFiles(t, format.DPlayer, "valid")["valid.json"], format.DPlayer, nil)
	require.Equal(t, []format.Tag{{Name: "code", Value: "0"}, {Name: "version", Value: "3"}, {Name: "danmaku", Value: `"x"`}, {Name: "msg", Value: "null"}}, got.tags)
	got = whole(t, testFiles(t, format.Dandanplay, "valid")["valid.json"], format.Dandanplay, nil)
	require.Equal(t, []format.Tag{{Name: "next", Value: "12"}}, got.tags)
}

func TestReadingStopsWithItsCaller(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"valid", "invalid"} {
		eachFile(t, kind, func(t *testing.T, f format.Format, text string) {
			r, err := format.NewReader(strings.NewReader(text), f, nil)
			require.NoError(t, err)
			n := 0
			for range r.All() {
				if n++; n == 2 {
					break
				}
			}
			require.EqualValues(t, 2, r.Stats().Read+r.Stats().Refused)
			for range r.All() {
				t.Fatal("read twice")
			}
		})
	}
}

func TestAByteOrderMarkIsSkipped(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		require.Len(t, whole(t, "\uFEFF"+aFile(f, "a"), f, nil).comments, 1, f)
	}
}

type invalid struct {
	Field string
	Err   error
}

func TestInvalidArgumentsNameTheirField(t *testing.T) {
	t.Parallel()
	empty, failed := strings.NewReader(""), callstest.Failed
	callstest.RequireInvalid(t, map[string]invalid{
		"an unknown format":   {"Format", failed(format.NewReader(empty, "srt", nil))},
		"nothing to read":     {"Reader", failed(format.NewReader(nil, format.NDJSON, nil))},
		"a negative length":   {"MaxRecord", failed(format.NewReader(empty, format.NDJSON, &format.ReadOptions{MaxRecord: -1}))},
		"nowhere to write":    {"Writer", failed(format.NewWriter(nil, format.NDJSON, nil))},
		"a format of no name": {"Format", failed(format.NewWriter(io.Discard, "", nil))},
	})
}
