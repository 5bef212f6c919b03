package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/stream"
)

// bareValue is an attribute as encoding/json alone reads it, as functions do that
// use the types of AWS's events.
type bareValue struct {
	S, N, B    *string               `json:",omitempty"`
	BOOL, NULL *bool                 `json:",omitempty"`
	SS, NS, BS []string              `json:",omitempty"`
	L          []bareValue           `json:",omitempty"`
	M          map[string]*bareValue `json:",omitempty"`
}

type bareRecord struct {
	EventID, EventName, EventSourceARN string
	Dynamodb                           struct {
		ApproximateCreationDateTime float64
		SequenceNumber              string
		Keys, NewImage, OldImage    map[string]bareValue
	}
}

// benchEvent is an event of records with some attributes of most types.
func benchEvent(n int) (records []string, raw []byte) {
	image := `{"Id":{"S":"item-%[1]d"},"version":{"N":"%[1]d"},"title":{"S":"the title of something that people like"},"tags":{"SS":["red","green","blue"]},` +
		`"at":{"N":"1767323045123"},"live":{"BOOL":true},"by":{"M":{"user":{"S":"user-12345678"},"name":{"S":"Somebody"}}},"scores":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]}}`
	for i := range n {
		full := fmt.Sprintf(image, i)
		records = append(records, fmt.Sprintf(`{"eventID":"e%d","eventName":"MODIFY","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"eu-west-1","dynamodb":{"ApproximateCreationDateTime":1767323045,`+
			`"Keys":{"Id":{"S":"item-%d"}},"NewImage":%s,"OldImage":%s,"SequenceNumber":"%d","SizeBytes":500,"StreamViewType":"NEW_AND_OLD_IMAGES"},"eventSourceARN":"`+arn+`"}`, i, i, full, full, 1000+i))
	}
	return records, event(records...)
}

// BenchmarkDecode compares Decode with encoding/json on the same event. Rounds
// are interleaved, so that a busy machine slows both alike.
func BenchmarkDecode(b *testing.B) {
	const n = 100
	_, raw := benchEvent(n)
	interleave(b, n, []part{
		{"encoding/json", func() {
			var out struct{ Records []bareRecord }
			must(b, json.Unmarshal(raw, &out))
		}},
		{"Decode", func() {
			items, err := stream.Decode(raw, stream.Limits{})
			must(b, err)
			must(b, items[n-1].Err)
		}},
	})
}

func BenchmarkEncode(b *testing.B) {
	records, bare := benchRecords(b, 100)
	interleave(b, len(records), []part{
		{"encoding/json", func() {
			for _, r := range bare {
				_, err := json.Marshal(r)
				must(b, err)
			}
		}},
		{"Encode", func() {
			for _, r := range records {
				_, err := stream.Encode(r, 1<<18)
				must(b, err)
			}
		}},
	})
}

func BenchmarkDecodeEvent(b *testing.B) {
	records, _ := benchRecords(b, 100)
	texts := make([][]byte, len(records))
	for i, r := range records {
		var err error
		texts[i], err = stream.Encode(r, 0)
		must(b, err)
	}
	interleave(b, len(records), []part{
		{"encoding/json", func() {
			for _, raw := range texts {
				var out struct {
					ID, Stream, Seq, Table, Kind string
					At                           time.Time
					Keys, New, Old               map[string]bareValue
				}
				must(b, json.Unmarshal(raw, &out))
			}
		}},
		{"DecodeEvent", func() {
			for _, raw := range texts {
				_, err := stream.DecodeEvent(raw)
				must(b, err)
			}
		}},
	})
}

// BenchmarkProcess compares Process with a loop that calls the handler.
func BenchmarkProcess(b *testing.B) {
	records, _ := benchRecords(b, 100)
	items := itemsOf(records...)
	handled := 0
	h := func(_ context.Context, r stream.Record) error {
		handled += len(r.New["version"].(*types.AttributeValueMemberN).Value)
		return nil
	}
	p := newProcessor(b, stream.Each(h, 1), &inMemory{}, nil)
	ctx := context.Background()
	interleave(b, len(records), []part{
		{"a loop", func() {
			for _, r := range records {
				must(b, h(ctx, r))
			}
		}},
		{"Process", func() {
			_, err := p.Process(ctx, items)
			must(b, err)
		}},
	})
}

func BenchmarkDeliver(b *testing.B) {
	events := eventsOf(1000, 200)
	ctx := context.Background()
	sink := nowhere{}
	interleave(b, len(events), []part{
		{"the sink", func() {
			for at := 0; at < len(events); at += 10 {
				_, err := sink.Put(ctx, events[at:at+10])
				must(b, err)
			}
		}},
		{"Deliver", func() { stream.Deliver(ctx, sink, events, stream.Policy{}, nil) }},
	})
}

type nowhere struct{}

func (nowhere) Limit() stream.Limit { return stream.Limit{Events: 10, Bytes: 1 << 20, Event: 1 << 20} }

func (nowhere) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	return make([]stream.Outcome, len(events)), nil
}

func benchRecords(b *testing.B, n int) (records []stream.Record, bare []bareRecord) {
	b.Helper()
	texts, raw := benchEvent(n)
	items, err := stream.Decode(raw, stream.Limits{})
	must(b, err)
	for i, item := range items {
		must(b, item.Err)
		records = append(records, item.Record)
		var r bareRecord
		must(b, json.NewDecoder(strings.NewReader(texts[i])).Decode(&r))
		bare = append(bare, r)
	}
	return records, bare
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

type part struct {
	name string
	call func()
}

// interleave times the parts in turn. It reports the records a second of each,
// and the time of the second as a multiple of the first.
func interleave(b *testing.B, records int, parts []part) {
	spent := make([]time.Duration, len(parts))
	for b.Loop() {
		for i, p := range parts {
			start := time.Now()
			p.call()
			spent[i] += time.Since(start)
		}
	}
	for i, p := range parts {
		b.ReportMetric(float64(b.N*records)/spent[i].Seconds(), strings.ReplaceAll(p.name, " ", "-")+"-records/s")
	}
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "ratio")
	b.ReportMetric(0, "ns/op") // the time of a round has no meaning
}
