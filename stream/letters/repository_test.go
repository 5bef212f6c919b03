package letters_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
)

func TestMain(m *testing.M) { faults.Main(m) }

const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/Main/stream/2026-01-02T03:04:05.678"

// open opens the letters of a consumer.
func open(t testing.TB, table, consumer string, opts *letters.Options, wrap ...func(aws.HTTPClient) aws.HTTPClient) *letters.Repository {
	t.Helper()
	r, err := letters.New(dynamotest.DB(t, wrap...), table, consumer, opts)
	require.NoError(t, err)
	return r
}

// fresh opens the letters of a consumer in a table of its own.
func fresh(t testing.TB, wrap ...func(aws.HTTPClient) aws.HTTPClient) *letters.Repository {
	t.Helper()
	return open(t, dynamotest.Table(t, letters.Table), "board", nil, wrap...)
}

func put(t testing.TB, r *letters.Repository, all ...stream.Dead) {
	t.Helper()
	for _, d := range all {
		require.NoError(t, r.Put(t.Context(), d))
	}
}

func listed(t testing.TB, r *letters.Repository) []stream.Dead {
	t.Helper()
	var all []stream.Dead
	for d, err := range cursor.All(t.Context(), r.List) {
		require.NoError(t, err)
		d.Receipt = ""
		all = append(all, d)
	}
	return all
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// record is an insert of an item that has no other record.
func record(seq int) stream.Record {
	keys := map[string]types.AttributeValue{"Id": text(fmt.Sprint("item", seq))}
	return stream.Record{
		ID: fmt.Sprint("e", seq), Stream: arn, Seq: fmt.Sprint(seq), Table: "Main", Kind: stream.Modify,
		At: time.Date(2026, 1, 2, 3, 4, seq%60, 0, time.UTC), Keys: keys, Old: map[string]types.AttributeValue{"Id": keys["Id"]},
		New: map[string]types.AttributeValue{"Id": keys["Id"]},
	}
}

// letterOf is the letter of a record whose handler failed.
func letterOf(t testing.TB, r stream.Record) stream.Dead {
	t.Helper()
	raw, err := stream.Encode(r, 0)
	require.NoError(t, err)
	return stream.Dead{Stream: r.Stream, Seq: r.Seq, Reason: "broken", Attempts: 3, At: r.At, Record: raw}
}

// board handles records, except those of some sequence numbers.
type board struct {
	broken  []string
	handled []string
}

func (b *board) batch() stream.Batch {
	return stream.Each(func(_ context.Context, r stream.Record) error {
		if slices.Contains(b.broken, r.Seq) {
			return errors.New("broken")
		}
		b.handled = append(b.handled, r.Seq)
		return nil
	}, 1)
}

func TestALetterIsIdentifiedByItsPosition(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	first := letterOf(t, record(1))
	again := first
	again.Attempts, again.Reason = 6, "panic"
	put(t, r, first, again)
	require.Equal(t, []stream.Dead{again}, listed(t, r), "the last one replaces the others")

	others := []stream.Dead{first, first, first, first}
	others[0].Seq = "2"
	others[1].Shard = "shardId-1"
	others[2].Stream = "arn:other"
	others[3].LastSeq = "7"
	put(t, r, others...)
	require.ElementsMatch(t, append(others, again), listed(t, r))
	for range 2 {
		require.NoError(t, r.Delete(t.Context(), again))
	}
	require.ElementsMatch(t, others, listed(t, r))

	unnamed := open(t, dynamotest.Table(t, letters.Table), "board", nil)
	for _, data := range []string{"x", "y", "x"} {
		put(t, unnamed, stream.Dead{Stream: arn, Reason: "broken", Record: []byte(data)})
	}
	require.Len(t, listed(t, unnamed), 2, "a letter without a sequence number is identified by its record")
}

func TestConsumersHaveLettersOfTheirOwn(t *testing.T) {
	t.Parallel()
	table := dynamotest.Table(t, letters.Table)
	d := letterOf(t, record(1))
	for _, consumer := range []string{"a", "a#b", `a\`, "b"} {
		put(t, open(t, table, consumer, nil), d)
	}
	require.NoError(t, open(t, table, "b", nil).Delete(t.Context(), d))
	require.Len(t, listed(t, open(t, table, "a#b", nil)), 1)
	require.Empty(t, listed(t, open(t, table, "b", nil)))
}

func TestPagesOfLetters(t *testing.T) {
	requests := faults.New(t, 0, faults.Rates{})
	pagetest.Run(t, func(t *testing.T) pagetest.List[stream.Dead] {
		table := dynamotest.Table(t, letters.Table)
		r, other := open(t, table, "board", nil, requests.Wrap), open(t, table, "archive", nil)
		letter := func(n int) stream.Dead {
			return stream.Dead{Stream: arn, Seq: fmt.Sprint(n), Reason: "broken", At: time.Date(2026, 1, 1, 0, 0, -n, 0, time.UTC)}
		}
		put(t, other, letter(1), letter(2), letter(3))
		added := 0
		return pagetest.List[stream.Dead]{
			Page:  r.List,
			Brief: true, // other lists of internal/store run all checks
			ID:    func(d stream.Dead) string { return d.Seq },
			Add: func(ctx context.Context, many int) (ids []string) {
				for range many {
					added++
					require.NoError(t, r.Put(ctx, letter(added)))
					ids = append(ids, fmt.Sprint(added))
				}
				return ids
			},
			Remove: func(ctx context.Context, id string) {
				n := 0
				_, err := fmt.Sscan(id, &n)
				require.NoError(t, err)
				require.NoError(t, r.Delete(ctx, letter(n)))
			},
			Others:   []pagetest.Other{pagetest.Foreign("another consumer", other.List)},
			Requests: requests.Requests,
		}
	})
}

// Letters come by their records' times, and those of one time by their sequence numbers.
// Those without a time or a number come first.
func TestLettersAreListedAndReceivedInOrder(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want := []stream.Dead{{Seq: "9000"}, {Seq: "8000", At: at.AddDate(-5, 0, 0)}}
	for _, seq := range []string{"", "event", "3", "005", "29", "30", "299", "3000", strings.Repeat("1", 64)} {
		want = append(want, stream.Dead{Seq: seq, At: at})
	}
	want = append(want, stream.Dead{Seq: "1", At: at.Add(time.Second)})
	for i := range want {
		want[i].Stream, want[i].Record = arn, []byte("{}")
	}
	for _, i := range []int{3, 0, 11, 4, 1, 10, 2, 9, 8, 7, 6, 5} {
		put(t, r, want[i])
	}
	require.Equal(t, want, listed(t, r))
	got, err := r.Source().Receive(t.Context())
	require.NoError(t, err)
	for i := range got {
		got[i].Receipt = ""
	}
	require.Equal(t, want, got)
}

// However the table's answers are lost, no record is: the letters are those of the records
// that failed, each once, and a letter is deleted only after it was handled.
func TestNoRecordIsLostUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		in := faults.New(t, seed, faults.Rates{LostBefore: 0.3, LostAfter: 0.2, Throttled: 0.2})
		r := fresh(t, in.Wrap)
		b := &board{broken: []string{"3", "5", "8"}}
		p, err := stream.NewProcessor(b.batch(), r, &stream.ProcessorOptions{Policy: stream.Policy{Wait: 1}})
		require.NoError(t, err)
		var left []stream.Item
		for i := range 10 {
			left = append(left, stream.Item{Seq: fmt.Sprint(i + 1), Record: record(i + 1)})
		}
		for len(left) > 0 { // as Lambda sends the rest again
			done, err := p.Process(t.Context(), left)
			require.Equal(t, err != nil, done < len(left))
			left = left[done:]
		}
		require.Subset(t, b.handled, []string{"1", "2", "4", "6", "7", "9", "10"})
		in.Off()
		var seqs []string
		for _, d := range listed(t, r) {
			seqs = append(seqs, d.Seq)
		}
		require.Equal(t, b.broken, seqs)

		in.On()
		mended := &board{}
		faults.Acknowledged(t, func() error {
			_, err := stream.Redrive(t.Context(), r.Source(), mended.batch())
			return err
		})
		in.Off()
		require.Empty(t, listed(t, r))
		require.Subset(t, mended.handled, b.broken)
	}
}

// A consumer's letters are one partition key, which refuses large ones. Every other record
// comes twice; what the refusal of the first would lose, the second would store.
func TestNoRecordIsLostOnAHotKey(t *testing.T) {
	t.Parallel()
	hot := &faults.Buckets{}
	table := dynamotest.Table(t, letters.Table)
	r, cold := open(t, table, "board", nil, hot.Wrap), open(t, table, "board", nil)
	b := &board{}
	p, err := stream.NewProcessor(b.batch(), r, &stream.ProcessorOptions{Policy: stream.Policy{Wait: 1}})
	require.NoError(t, err)
	mended, twice := &board{}, 0
	for n := 1; hot.Throttled() < 50 || twice < 20; n++ {
		require.Less(t, n, 100)
		large := record(n)
		large.New["text"] = text(strings.Repeat("a", 15_000))
		b.broken = append(b.broken, large.Seq)
		item := stream.Item{Seq: large.Seq, Record: large}
		left := []stream.Item{item}
		if n%2 == 0 {
			left = append(left, item)
			twice++
		}
		for len(left) > 0 {
			done, err := p.Process(t.Context(), left)
			require.True(t, err == nil || errors.Is(err, plaza.ErrBusy), err)
			left = left[done:]
		}
		require.Len(t, listed(t, cold), n)
	}
	faults.Acknowledged(t, func() error {
		_, err := stream.Redrive(t.Context(), r.Source(), mended.batch())
		return err
	})
	require.Empty(t, listed(t, cold))
	require.Subset(t, mended.handled, b.broken)
}

func TestLettersAreRedriven(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	for i := range 120 { // more than Receive returns at once
		put(t, r, letterOf(t, record(i+1)))
	}
	b := &board{broken: []string{"7", "110"}}
	got, err := stream.Redrive(t.Context(), r.Source(), b.batch())
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 118, Failed: 2}, got)
	require.Len(t, listed(t, r), 2)
	b.broken = nil
	got, err = stream.Redrive(t.Context(), r.Source(), b.batch())
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 2}, got)
	require.Empty(t, listed(t, r))
}

func TestALargeLetterLosesItsImages(t *testing.T) {
	t.Parallel()
	table := fresh(t)
	noise := rand.Text()
	r := record(1)
	r.Old["body"] = text(strings.Repeat(noise, 390<<10/len(noise)))
	r.New["body"] = text(strings.Repeat(noise, 380<<10/len(noise)))
	d := letterOf(t, r)
	d.Reason = strings.Repeat("é", 1000)
	d.Stream, d.Shard = strings.Repeat("s", 1024), strings.Repeat("s", 1024)
	unreadable := d
	unreadable.Seq, unreadable.Record = "2", []byte(strings.Repeat("x", 400<<10))
	put(t, table, d, unreadable)
	got := listed(t, table)
	require.LessOrEqual(t, len(got[0].Reason), 1024)
	cut, err := stream.DecodeEvent(got[0].Record)
	require.NoError(t, err)
	require.True(t, cut.Truncated)
	require.Equal(t, r.New, cut.New)
	require.Empty(t, got[1].Record)
}

func TestLettersExpireAfterKeep(t *testing.T) {
	t.Parallel()
	table := dynamotest.Table(t, letters.Table)
	for keep, want := range map[time.Duration]int64{0: 0, time.Minute: 1_800_000_060} {
		consumer := keep.String()
		now := func() time.Time { return time.Unix(1_800_000_000, 0) }
		put(t, open(t, table, consumer, &letters.Options{Keep: keep, Now: now}), letterOf(t, record(1)))
		var row struct {
			TTL int64 `dynamo:"ttl"`
		}
		require.NoError(t, dynamotest.DB(t).Table(table).Get("pk", "D#"+consumer).Limit(1).One(t.Context(), &row))
		require.Equal(t, want, row.TTL)
	}
}

func TestDamagedLettersAreLeftOut(t *testing.T) {
	t.Parallel()
	table := dynamotest.Table(t, letters.Table)
	var found []*plaza.CorruptError
	r := open(t, table, "board", &letters.Options{OnCorrupt: func(e *plaza.CorruptError) { found = append(found, e) }})
	put(t, r, letterOf(t, record(1)), letterOf(t, record(2)))
	damaged := map[string]string{"pk": "D#board", "sk": "0", "attempts": "many"}
	require.NoError(t, dynamotest.DB(t).Table(table).Put(damaged).Run(t.Context()))
	require.Len(t, listed(t, r), 2)
	require.Len(t, found, 1)
	got, err := stream.Redrive(t.Context(), r.Source(), (&board{}).batch())
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 2}, got)
}

func TestBadLettersAndOptionsAreRefused(t *testing.T) {
	t.Parallel()
	db := dynamotest.DB(t)
	r, err := letters.New(db, "t", "c", nil)
	require.NoError(t, err)
	put := func(d stream.Dead) error { return r.Put(t.Context(), d) }
	_, noDB := letters.New(nil, "t", "c", nil)
	_, noTable := letters.New(db, "", "c", nil)
	_, noConsumer := letters.New(db, "t", "", nil)
	_, badKeep := letters.New(db, "t", "c", &letters.Options{Keep: -1})
	for field, err := range map[string]error{
		"Seq":      put(stream.Dead{Stream: arn}),
		"Stream":   put(stream.Dead{Stream: strings.Repeat("x", 1025), Seq: "1"}),
		"Shard":    put(stream.Dead{Shard: "\xff", Seq: "1"}),
		"LastSeq":  put(stream.Dead{LastSeq: "\xff", Seq: "1"}),
		"KeyHash":  put(stream.Dead{KeyHash: strings.Repeat("x", 1025), Seq: "1"}),
		"db":       noDB,
		"table":    noTable,
		"consumer": noConsumer,
		"Keep":     badKeep,
	} {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
}

func TestAMissingTableIsErrTable(t *testing.T) {
	t.Parallel()
	missing := open(t, "no-such-table", "board", nil)
	_, listing := missing.List(t.Context(), cursor.PageRequest{})
	_, receiving := missing.Source().Receive(t.Context())
	d := stream.Dead{Seq: "1"}
	for _, err := range []error{listing, receiving, missing.Put(t.Context(), d), missing.Delete(t.Context(), d)} {
		require.ErrorIs(t, err, plaza.ErrTable)
	}
}

func TestCallsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	table := dynamotest.Table(t, letters.Table)
	r := open(t, table, "board", nil, meter.Wrap)
	require.ErrorIs(t, r.Verify(t.Context()), plaza.ErrTable, "nothing expires")
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), letters.TTL(table))
	require.NoError(t, err)
	small, changed := letterOf(t, record(1)), record(2)
	changed.New["body"] = text(strings.Repeat("x", 2<<10))
	large := letterOf(t, changed)
	for _, c := range []struct {
		name string
		most dynamotest.Cost
		call func() error
	}{
		{"Init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() error { return r.Init(t.Context()) }},
		{"Verify", dynamotest.Cost{Requests: 3, Read: 0.5}, func() error { return r.Verify(t.Context()) }},
		{"Put", dynamotest.Cost{Requests: 1, Write: 1}, func() error { return r.Put(t.Context(), small) }},
		{"Put, 3 KB", dynamotest.Cost{Requests: 1, Write: 3}, func() error { return r.Put(t.Context(), large) }},
		{"List, 4 KB", dynamotest.Cost{Requests: 1, Read: 1}, func() error { _, err := r.List(t.Context(), cursor.PageRequest{}); return err }},
		{"Receive", dynamotest.Cost{Requests: 1, Read: 1}, func() error { _, err := r.Source().Receive(t.Context()); return err }},
		{"Delete, 3 KB", dynamotest.Cost{Requests: 1, Write: 3}, func() error { return r.Delete(t.Context(), large) }},
		{"Redrive of one", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, func() error {
			_, err := stream.Redrive(t.Context(), r.Source(), (&board{}).batch())
			return err
		}},
	} {
		meter.AtMost(t, c.name, c.most, func() { require.NoError(t, c.call(), c.name) })
	}
}
