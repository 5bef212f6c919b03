package stream_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/stream"
)

// deadTable is the letters of a consumer in a table.
func deadTable(t testing.TB, table, consumer string, opts *stream.DeadTableOptions, wrap ...func(aws.HTTPClient) aws.HTTPClient) *stream.DeadTable {
	t.Helper()
	d, err := stream.NewDeadTable(dynamotest.DB(t, wrap...), table, consumer, opts)
	require.NoError(t, err)
	return d
}

func newDeadTable(t testing.TB, wrap ...func(aws.HTTPClient) aws.HTTPClient) *stream.DeadTable {
	t.Helper()
	return deadTable(t, dynamotest.Table(t, stream.DeadSchema), "board", nil, wrap...)
}

func listed(t testing.TB, table *stream.DeadTable) []stream.Dead {
	t.Helper()
	var all []stream.Dead
	for d, err := range cursor.All(t.Context(), table.List) {
		require.NoError(t, err)
		d.Receipt = ""
		all = append(all, d)
	}
	return all
}

func TestOneRecordIsOneLetter(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	first := letterOf(t, change("a", 1, 1))
	require.NoError(t, table.Put(t.Context(), first))
	again := first
	again.Attempts, again.Reason = 6, "panic"
	require.NoError(t, table.Put(t.Context(), again))
	require.Equal(t, []stream.Dead{again}, listed(t, table), "the last one stands")

	others := []stream.Dead{first, first, first, first}
	others[0].Seq = "2"
	others[1].Shard = "shardId-1"
	others[2].Stream = "arn:other"
	others[3].LastSeq = "7"
	for _, d := range others {
		require.NoError(t, table.Put(t.Context(), d))
	}
	require.ElementsMatch(t, append(others, again), listed(t, table))

	for range 2 {
		require.NoError(t, table.Delete(t.Context(), again))
	}
	require.ElementsMatch(t, others, listed(t, table))
}

func TestLettersOfUnnamedRecordsAreToldApart(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	for _, record := range []string{"x", "y", "x"} {
		require.NoError(t, table.Put(t.Context(), stream.Dead{Stream: arn, Reason: "broken", Record: []byte(record)}))
	}
	require.Len(t, listed(t, table), 2)
}

func TestLettersAreListedByTheirRecordsTimes(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	var want []stream.Dead
	for i := range 5 {
		d := letterOf(t, change("a", i+1, 1))
		d.At = time.Date(2020+i, 1, 1, 0, 0, 0, 0, time.UTC)
		want = append(want, d)
	}
	want[0].At = time.Time{} // unknown
	for _, i := range []int{3, 0, 4, 1, 2} {
		require.NoError(t, table.Put(t.Context(), want[i]))
	}
	require.Equal(t, want, listed(t, table))
}

func TestConsumersHaveLettersOfTheirOwn(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, stream.DeadSchema)
	d := letterOf(t, change("a", 1, 1))
	for _, consumer := range []string{"a", "a#b", `a\`, "b"} {
		require.NoError(t, deadTable(t, name, consumer, nil).Put(t.Context(), d))
	}
	require.NoError(t, deadTable(t, name, "b", nil).Delete(t.Context(), d))
	require.Len(t, listed(t, deadTable(t, name, "a#b", nil)), 1)
	require.Empty(t, listed(t, deadTable(t, name, "b", nil)))
}

func TestPagesOfLetters(t *testing.T) {
	requests := faults.New(t, 0, faults.Rates{})
	pagetest.Run(t, func(t *testing.T) pagetest.List[stream.Dead] {
		name := dynamotest.Table(t, stream.DeadSchema)
		table := deadTable(t, name, "board", nil, requests.Wrap)
		other := deadTable(t, name, "archive", nil)
		n := 0
		put := func(ctx context.Context, table *stream.DeadTable) string {
			n++
			d := stream.Dead{Stream: arn, Seq: fmt.Sprint(n), Reason: "broken", At: time.Date(2026, 1, 1, 0, 0, -n, 0, time.UTC)}
			require.NoError(t, table.Put(ctx, d))
			return d.Seq
		}
		for range 3 {
			put(t.Context(), other)
		}
		at := map[string]stream.Dead{}
		return pagetest.List[stream.Dead]{
			Page:  table.List,
			Brief: true, // other lists of internal/store run all checks
			ID:    func(d stream.Dead) string { at[d.Seq] = d; return d.Seq },
			Add: func(ctx context.Context, many int) (ids []string) {
				for range many {
					ids = append(ids, put(ctx, table))
				}
				return ids
			},
			Remove: func(ctx context.Context, id string) {
				i := 0
				_, err := fmt.Sscan(id, &i)
				require.NoError(t, err)
				require.NoError(t, table.Delete(ctx, stream.Dead{Stream: arn, Seq: id, At: time.Date(2026, 1, 1, 0, 0, -i, 0, time.UTC)}))
			},
			Others:   []pagetest.Other{pagetest.Foreign("another consumer", other.List)},
			Requests: requests.Requests,
		}
	})
}

// Letters of one moment are in the order of their sequence numbers, and none is
// skipped. Those without a number come first.
func TestLettersOfOneMomentArePagedExactly(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	want := []string{"", "event", "3", "005", "29", "30", "299", "3000", strings.Repeat("1", 64)}
	for _, seq := range want {
		d := stream.Dead{Stream: arn, Seq: seq, Record: []byte("{}"), At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		require.NoError(t, table.Put(t.Context(), d))
	}
	for limit := 1; limit <= len(want); limit++ {
		var got []string
		request := cursor.PageRequest{Limit: limit}
		for more := true; more; more = request.Cursor != "" {
			page, err := table.List(t.Context(), request)
			require.NoError(t, err)
			for _, d := range page.Items {
				got = append(got, d.Seq)
			}
			request.Cursor = page.Next
		}
		require.Equal(t, want, got)
	}
	var given []string
	letters, err := table.Source().Receive(t.Context())
	require.NoError(t, err)
	for _, d := range letters {
		given = append(given, d.Seq)
	}
	require.Equal(t, want, given)
}

func TestALetterPutUnderFaultsIsThereOnce(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		in := faults.New(t, seed, faults.Standard)
		table := newDeadTable(t, in.Wrap)
		var want []stream.Dead
		for i := range 20 {
			d := letterOf(t, change("a", i+1, i))
			faults.Acknowledged(t, func() error { return table.Put(t.Context(), d) })
			want = append(want, d)
		}
		for i := 0; i < len(want); i += 2 {
			faults.Acknowledged(t, func() error { return table.Delete(t.Context(), want[i]) })
		}
		in.Off()
		var left []stream.Dead
		for i := 1; i < len(want); i += 2 {
			left = append(left, want[i])
		}
		require.Equal(t, left, listed(t, table))
	}
}

// A processor over a real table of letters: whatever faults the table has, no
// record is lost, and the letters are those of the records that failed.
func TestNothingIsLostWhileTheTableOfLettersFails(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		in := faults.New(t, seed, faults.Rates{LostBefore: 0.3, LostAfter: 0.2, Throttled: 0.2})
		table := newDeadTable(t, in.Wrap)
		h := &handled{fail: failing("3", "5", "8")}
		p := newProcessor(t, stream.Each(h.handle, 2), table, nil)
		left := itemsOf(changes(10)...)
		for len(left) > 0 { // as Lambda sends the rest again
			done, err := p.Process(t.Context(), left)
			require.Equal(t, err != nil, done < len(left))
			left = left[done:]
		}
		in.Off()
		var seqs []string
		for _, d := range listed(t, table) {
			seqs = append(seqs, d.Seq)
		}
		require.Equal(t, []string{"3", "5", "8"}, seqs)
		for i := range 10 {
			if seq := fmt.Sprint(i + 1); failing("3", "5", "8")(stream.Record{Seq: seq}) == nil {
				require.Contains(t, h.all, seq)
			}
		}
	}
}

func TestTheTablesLettersAreDrivenAgain(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	for i := range 120 {
		require.NoError(t, table.Put(t.Context(), letterOf(t, change(fmt.Sprint("item", i), i+1, 1))))
	}
	h := &handled{fail: failing("7", "110")}
	got, err := stream.Redrive(t.Context(), table.Source(), stream.Each(h.handle, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 118, Failed: 2}, got)
	require.Len(t, listed(t, table), 2)
	h.fail = nil
	got, err = stream.Redrive(t.Context(), table.Source(), stream.Each(h.handle, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 2}, got)
	require.Empty(t, listed(t, table))
}

// Whatever the table's answers become, each letter is driven at least once and
// only then deleted.
func TestNoLetterIsLostByDrivingItUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		in := faults.New(t, seed, faults.Rates{LostBefore: 0.2, LostAfter: 0.2, Throttled: 0.2})
		table := newDeadTable(t, in.Wrap)
		for i := range 20 {
			d := letterOf(t, change(fmt.Sprint("item", i), i+1, 1))
			faults.Acknowledged(t, func() error { return table.Put(t.Context(), d) })
		}
		h := &handled{}
		faults.Acknowledged(t, func() error {
			got, err := stream.Redrive(t.Context(), table.Source(), stream.Each(h.handle, 1))
			require.Zero(t, got.Failed+got.Held+got.Positions+got.Unread)
			return err
		})
		in.Off()
		require.Empty(t, listed(t, table))
		for i := range 20 {
			require.Contains(t, h.all, fmt.Sprint(i+1))
		}
	}
}

func TestALargeLetterLosesItsImages(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	noise := rand.Text()
	r := change("a", 1, 1)
	r.Old["body"] = text(strings.Repeat(noise, 390<<10/len(noise)))
	r.New["body"] = text(strings.Repeat(noise, 380<<10/len(noise)))
	d := letterOf(t, r)
	d.Reason = strings.Repeat("é", 1000)
	d.Stream, d.Shard = strings.Repeat("s", 1024), strings.Repeat("s", 1024)
	require.NoError(t, table.Put(t.Context(), d))
	d.Record = []byte(strings.Repeat("x", 400<<10))
	d.Seq = "2"
	require.NoError(t, table.Put(t.Context(), d))
	for _, got := range listed(t, table) {
		require.LessOrEqual(t, len(got.Reason), 1024)
		if got.Seq == "2" {
			require.Empty(t, got.Record)
			continue
		}
		record, err := stream.DecodeEvent(got.Record)
		require.NoError(t, err)
		require.True(t, record.Truncated)
		require.Equal(t, r.New, record.New)
	}
}

func TestLettersExpireAfterKeep(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, stream.DeadSchema)
	db := dynamotest.DB(t)
	expiry := func(consumer string, keep time.Duration) int64 {
		now := func() time.Time { return time.Unix(1_800_000_000, 0) }
		table := deadTable(t, name, consumer, &stream.DeadTableOptions{Keep: keep, Now: now})
		require.NoError(t, table.Put(t.Context(), letterOf(t, change("a", 1, 1))))
		var row struct {
			TTL int64 `dynamo:"ttl"`
		}
		require.NoError(t, db.Table(name).Get("pk", "D#"+consumer).Limit(1).One(t.Context(), &row))
		return row.TTL
	}
	require.Zero(t, expiry("a", 0))
	require.EqualValues(t, 1_800_000_060, expiry("b", time.Minute))
}

func TestDamagedLettersAreLeftOut(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, stream.DeadSchema)
	var found []*plaza.CorruptError
	table := deadTable(t, name, "board", &stream.DeadTableOptions{OnCorrupt: func(e *plaza.CorruptError) { found = append(found, e) }})
	for i := range 3 {
		require.NoError(t, table.Put(t.Context(), letterOf(t, change("a", i+1, 1))))
	}
	type row struct {
		PK       string `dynamo:"pk"`
		SK       string `dynamo:"sk"`
		Attempts string `dynamo:"attempts"`
	}
	require.NoError(t, dynamotest.DB(t).Table(name).Put(row{"D#board", "0", "many"}).Run(t.Context()))
	require.Len(t, listed(t, table), 3)
	require.Len(t, found, 1)
	got, err := stream.Redrive(t.Context(), table.Source(), stream.Each((&handled{}).handle, 1))
	require.NoError(t, err)
	require.Equal(t, 3, got.Handled)
}

func TestBadLettersAndOptionsAreRefused(t *testing.T) {
	t.Parallel()
	table := newDeadTable(t)
	for field, d := range map[string]stream.Dead{
		"Seq":     {Stream: arn},
		"Stream":  {Stream: strings.Repeat("x", 1025), Seq: "1"},
		"Shard":   {Shard: "\xff", Seq: "1"},
		"LastSeq": {LastSeq: "\xff", Seq: "1"},
		"KeyHash": {KeyHash: strings.Repeat("x", 1025), Seq: "1"},
	} {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, table.Put(t.Context(), d), &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
	db := dynamotest.DB(t)
	for field, build := range map[string]func() (*stream.DeadTable, error){
		"db":       func() (*stream.DeadTable, error) { return stream.NewDeadTable(nil, "t", "c", nil) },
		"table":    func() (*stream.DeadTable, error) { return stream.NewDeadTable(db, "", "c", nil) },
		"consumer": func() (*stream.DeadTable, error) { return stream.NewDeadTable(db, "t", "", nil) },
		"Keep": func() (*stream.DeadTable, error) {
			return stream.NewDeadTable(db, "t", "c", &stream.DeadTableOptions{Keep: -1})
		},
	} {
		_, err := build()
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
}

func TestVerifyKnowsATableOfLetters(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, stream.DeadSchema)
	table := deadTable(t, name, "board", nil)
	require.ErrorIs(t, table.Verify(t.Context()), plaza.ErrTable, "no expiry yet")
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), stream.DeadTTL(name))
	require.NoError(t, err)
	require.NoError(t, table.Verify(t.Context()))
	require.NoError(t, table.Init(t.Context()))
	require.NoError(t, table.Init(t.Context()))
	require.NoError(t, table.Verify(t.Context()))

	other := dynamotest.Table(t, follow.Table)
	_, err = dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), follow.TTL(other))
	require.NoError(t, err)
	require.NoError(t, dynamotest.DB(t).Table(other).Put(dynamo.AWSEncoding(map[string]any{"pk": "~", "sk": "~", "feature": "follow", "format": 1})).Run(t.Context()))
	require.ErrorIs(t, deadTable(t, other, "board", nil).Verify(t.Context()), plaza.ErrTable)
}

func TestDeadTableCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	name := dynamotest.Table(t, stream.DeadSchema)
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), stream.DeadTTL(name))
	require.NoError(t, err)
	table := deadTable(t, name, "board", nil, meter.Wrap)
	small := letterOf(t, change("a", 1, 1))
	r := change("b", 2, 1)
	r.New["body"] = text(strings.Repeat("x", 2<<10))
	large := letterOf(t, r)
	for _, c := range []struct {
		name string
		most dynamotest.Cost
		call func() error
	}{
		{"Init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() error { return table.Init(t.Context()) }},
		{"Verify", dynamotest.Cost{Requests: 3, Read: 0.5}, func() error { return table.Verify(t.Context()) }},
		{"Put", dynamotest.Cost{Requests: 1, Write: 1}, func() error { return table.Put(t.Context(), small) }},
		{"Put, 3 KB", dynamotest.Cost{Requests: 1, Write: 3}, func() error { return table.Put(t.Context(), large) }},
		{"List, 4 KB", dynamotest.Cost{Requests: 1, Read: 1}, func() error { _, err := table.List(t.Context(), cursor.PageRequest{}); return err }},
		{"Receive", dynamotest.Cost{Requests: 1, Read: 1}, func() error { _, err := table.Source().Receive(t.Context()); return err }},
		{"Delete, 3 KB", dynamotest.Cost{Requests: 1, Write: 3}, func() error { return table.Delete(t.Context(), large) }},
		{"Redrive of one", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, func() error {
			_, err := stream.Redrive(t.Context(), table.Source(), stream.Each((&handled{}).handle, 1))
			return err
		}},
	} {
		meter.AtMost(t, c.name, c.most, func() { require.NoError(t, c.call(), c.name) })
	}
}
