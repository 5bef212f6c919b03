package stream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/Main/stream/2026-01-02T03:04:05.678"

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

// change is a record that sets version n of an item; it is an update.
func change(id string, seq, n int) stream.Record {
	return stream.Record{
		ID: fmt.Sprint("e", seq), Stream: arn, Seq: fmt.Sprint(seq), Table: "Main", Kind: stream.Modify,
		At:   time.Date(2026, 1, 2, 3, 4, seq%60, 0, time.UTC),
		Keys: attributes{"Id": text(id)},
		Old:  attributes{"Id": text(id), "version": number(fmt.Sprint(n - 1))},
		New:  attributes{"Id": text(id), "version": number(fmt.Sprint(n))},
	}
}

// changes are n records of as many items, with the sequence numbers 1 to n.
func changes(n int) []stream.Record {
	records := make([]stream.Record, n)
	for i := range records {
		records[i] = change(fmt.Sprint("item", i+1), i+1, 1)
	}
	return records
}

func itemsOf(records ...stream.Record) []stream.Item {
	items := make([]stream.Item, len(records))
	for i, r := range records {
		items[i] = stream.Item{Seq: r.Seq, Record: r}
	}
	return items
}

// unread is an item that cannot be read.
func unread(seq int) stream.Item {
	return stream.Item{
		Seq: fmt.Sprint(seq), Raw: []byte(`{"eventID":"x"}`), Err: fmt.Errorf("%w: at byte 7", stream.ErrRecord),
		Record: stream.Record{ID: fmt.Sprint("e", seq), Stream: arn, Seq: fmt.Sprint(seq), Table: "Main"},
	}
}

var errDown = errors.New("the store is down")

// inMemory keeps dead letters in memory. Down refuses those of some sequence
// numbers.
type inMemory struct {
	mu   sync.Mutex
	put  []stream.Dead
	down func(seq string) bool
}

func (m *inMemory) Put(_ context.Context, d stream.Dead) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil && m.down(d.Seq) {
		return errDown
	}
	m.put = append(m.put, d)
	return nil
}

func (m *inMemory) seqs() []string {
	var seqs []string
	for _, d := range m.put {
		seqs = append(seqs, d.Seq)
	}
	return seqs
}

// naps records the pauses of a Policy, none of which takes time.
type naps struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = append(n.taken, d)
	return ctx.Err()
}

// policy makes attempts without pauses.
func policy(attempts int) stream.Policy {
	return stream.Policy{Attempts: attempts, Sleep: (&naps{}).sleep}
}

// lines are the lines of a file of testdata, to which lines are only added.
func lines(t testing.TB, path string) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

// event is a Lambda event of records in JSON.
func event(records ...string) []byte {
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}
