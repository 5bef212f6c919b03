package as2_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/as2"
)

// documents are documents of four sizes.
func documents() map[string][]byte {
	const head = `{"@context":["https://www.w3.org/ns/activitystreams",{"toot":"http://joinmastodon.org/ns#","blurhash":"toot:blurhash"}],` +
		`"id":"https://a.example/users/john/statuses/1/activity","type":"Create","actor":"https://a.example/users/john",` +
		`"published":"2026-01-02T03:04:05Z","to":["https://www.w3.org/ns/activitystreams#Public"],"cc":["https://a.example/users/john/followers"],` +
		`"object":{"id":"https://a.example/users/john/statuses/1","type":"Note","summary":null,"inReplyTo":null,"published":"2026-01-02T03:04:05Z",` +
		`"url":"https://a.example/@john/1","attributedTo":"https://a.example/users/john","sensitive":false,`
	const attachment = `{"type":"Document","mediaType":"image/jpeg","url":"https://a.example/media/1.jpg","name":"A bird, \"seen\" from below","blurhash":"UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH","width":2048,"height":1536}`
	note := func(text string, attachments int) []byte {
		list := strings.TrimSuffix(strings.Repeat(attachment+",", attachments), ",")
		return []byte(head + `"content":"` + text + `","contentMap":{"en":"` + text + `"},"attachment":[` + list + `],"tag":[]}}`)
	}
	return map[string][]byte{
		"like":      []byte(`{"@context":"https://www.w3.org/ns/activitystreams","summary":"Joe liked a note","type":"Like","id":"http://www.test.example/activity/1","actor":"http://example.org/profiles/joe","object":"http://example.com/notes/1","published":"2014-09-30T12:34:56Z"}`),
		"note":      note("<p>What a bird, 😀 seen this morning.</p>", 2),
		"album":     note("<p>Birds of this year.</p>", 200),
		"long text": note(strings.Repeat("Schöne Vögel, seen this morning. ", 1000), 0),
	}
}

// BenchmarkParse compares Parse with json.Unmarshal into a map.
func BenchmarkParse(b *testing.B) {
	for name, doc := range documents() {
		b.Run(name, func(b *testing.B) {
			rates(b, len(doc), func() {
				if _, err := as2.Parse(doc); err != nil {
					b.Fatal(err)
				}
			}, func() {
				var v map[string]any
				if err := json.Unmarshal(doc, &v); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkFormat compares Format with json.Marshal of that map.
func BenchmarkFormat(b *testing.B) {
	for name, doc := range documents() {
		b.Run(name, func(b *testing.B) {
			a, err := as2.Parse(doc)
			require.NoError(b, err)
			var v map[string]any
			require.NoError(b, json.Unmarshal(doc, &v))
			rates(b, len(doc), func() {
				if _, err := as2.Format(a); err != nil {
					b.Fatal(err)
				}
			}, func() {
				if _, err := json.Marshal(v); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// rates times ours and bare alternately and reports the medians of the rounds.
func rates(b *testing.B, size int, ours, bare func()) {
	calls := max(1, 100_000/size)
	sides := [2]func(){ours, bare}
	var rounds [2][]float64 // seconds per call
	for n := 0; b.Loop(); n++ {
		for _, side := range []int{n % 2, 1 - n%2} { // each is first in every other round
			start := time.Now()
			for range calls {
				sides[side]()
			}
			rounds[side] = append(rounds[side], time.Since(start).Seconds()/float64(calls))
		}
	}
	for side := range rounds {
		slices.Sort(rounds[side])
	}
	our, their := rounds[0][len(rounds[0])/2], rounds[1][len(rounds[1])/2]
	b.ReportMetric(float64(size)/our/1e6, "MB/s")
	b.ReportMetric(float64(size)/their/1e6, "bare-MB/s")
	b.ReportMetric(our/their, "time-ratio")
	b.ReportMetric(our*1e9, "ns/op")
}
