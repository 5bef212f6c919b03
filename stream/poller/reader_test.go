package poller_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// tailing is a Reader of a scripted stream, and what it returned.
type tailing struct {
	*script
	t       *testing.T
	reader  *poller.Reader
	returns map[string][]string // sequence numbers, by shard
	through time.Time
	errs    []error
}

func tail(t *testing.T, f func(t *testing.T, r *tailing), wrap ...func(aws.HTTPClient) aws.HTTPClient) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &tailing{script: newScript(), t: t, returns: map[string][]string{}}
		var err error
		r.reader, err = poller.NewReader(r.client(wrap...), r.arn, &poller.ReaderOptions{OnError: func(err error) {
			r.change(func() { r.errs = append(r.errs, err) })
		}})
		require.NoError(t, err)
		f(t, r)
	})
}

func (r *tailing) next() stream.Round {
	r.t.Helper()
	round, err := r.reader.Next(r.t.Context())
	require.NoError(r.t, err)
	for _, item := range round.Items {
		r.returns[item.Record.Shard] = append(r.returns[item.Record.Shard], item.Seq)
	}
	require.False(r.t, round.Through.Before(r.through), "through goes back")
	r.through = round.Through
	return round
}

// caughtUp calls Next until everything before now was returned.
func (r *tailing) caughtUp() {
	r.t.Helper()
	time.Sleep(time.Second)
	now := time.Now()
	for range 1000 {
		if r.next(); !r.through.Before(now) {
			return
		}
	}
	require.Fail(r.t, "it never catches up")
}

func (r *tailing) seqs(shard string) (seqs []string) {
	r.change(func() {
		for _, seq := range r.shard(shard).seqs {
			seqs = append(seqs, fmt.Sprint(seq))
		}
	})
	return seqs
}

func TestAReaderThatWasResetBeginsNow(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		require.Equal(t, "source", r.reader.Table())
		gap := r.add("shard-1", "", 0)
		kept := r.add("shard-2", "", 0)
		r.next()
		r.write("shard-1", 5)
		r.write("shard-2", 5)
		r.next()
		r.change(func() { r.epoch++; gap.trimmed = 6 })
		r.write("shard-1", 5)
		r.write("shard-2", 5)
		for err := error(nil); err == nil; {
			_, err = r.reader.Next(t.Context())
			if err != nil {
				require.ErrorIs(t, err, stream.ErrGap)
			}
		}
		r.change(func() { kept.closed = true })
		r.add("shard-3", "shard-2", 5)
		r.write("shard-1", 5)

		r.reader.Reset()
		clear(r.returns)
		require.Empty(t, r.next().Items, "neither what the failed round read nor older records")
		r.write("shard-1", 5)
		r.write("shard-3", 5)
		r.caughtUp()
		require.Equal(t, map[string][]string{"shard-1": r.seqs("shard-1")[15:], "shard-3": r.seqs("shard-3")[5:]}, r.returns)
	})
}

func TestResetsInALoopSendABoundedNumberOfRequests(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		r.add("shard-1", "", 0)
		for begun := time.Now(); time.Since(begun) < time.Minute; {
			r.next()
			r.reader.Reset()
		}
		require.LessOrEqual(t, len(r.count("GetRecords")), 310, "a round every 200 ms")
	})
}

func TestAReaderFollowsChildrenAfterTheirParents(t *testing.T) {
	for _, closed := range []bool{true, false} {
		t.Run(fmt.Sprint("closed ", closed), func(t *testing.T) {
			tail(t, func(t *testing.T, r *tailing) {
				parent := r.add("shard-1", "", 0)
				r.next()
				r.write("shard-1", 2500) // three reads
				r.change(func() { parent.closed = closed })
				r.add("shard-2", "shard-1", 10)
				r.add("shard-3", "shard-1", 10)
				time.Sleep(time.Minute) // they are listed at once
				for len(r.returns["shard-2"]) == 0 {
					r.next()
				}
				require.Equal(t, r.seqs("shard-1"), r.returns["shard-1"], "all of the parent comes before")
				r.caughtUp()
				require.Equal(t, r.seqs("shard-2"), r.returns["shard-2"])
				require.Equal(t, r.seqs("shard-3"), r.returns["shard-3"])
			})
		})
	}
}

func TestThroughTrailsAShardThatHasMoreOrCannotBeRead(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		r.add("shard-1", "", 0)
		r.add("shard-2", "", 0)
		r.next()
		time.Sleep(time.Hour)
		r.write("shard-1", 1500)
		written := time.Now()
		time.Sleep(time.Hour)
		r.next()
		require.False(t, r.through.After(written), "it has 500 more")
		r.change(func() { r.fail = refusing("GetRecords", "InternalServerError") })
		time.Sleep(time.Hour)
		for range 20 {
			r.next()
		}
		require.False(t, r.through.After(written))
		require.NotEmpty(t, r.errs)
		r.change(func() { r.fail = refusing("", "") })
		r.caughtUp()
		require.Equal(t, r.seqs("shard-1"), r.returns["shard-1"])
	})
}

func TestABusyShardDoesNotHoldThroughBack(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		r.add("shard-1", "", 0)
		r.next()
		for range 20 {
			time.Sleep(5 * time.Second)
			r.write("shard-1", 1)
			require.Len(t, r.next().Items, 1)
		}
		require.Less(t, time.Since(r.through), 20*time.Second)
	})
}

func TestAReaderReplacesPositionsThatAreLost(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		sh := r.add("shard-1", "", 3)
		r.add("shard-2", "", 0)
		r.next()
		r.change(func() { r.epoch++ })
		r.write("shard-2", 5)
		r.caughtUp()
		require.Equal(t, r.seqs("shard-1"), r.returns["shard-1"], "there was no record to go on after: older ones come too")
		require.Equal(t, r.seqs("shard-2"), r.returns["shard-2"])
		r.change(func() { r.epoch++ })
		r.write("shard-2", 5)
		r.caughtUp()
		require.Equal(t, r.seqs("shard-2"), r.returns["shard-2"], "each once")

		r.write("shard-1", 5)
		r.change(func() { r.epoch++; sh.trimmed = 6 })
		for range 10 {
			if _, err := r.reader.Next(t.Context()); err != nil {
				require.ErrorIs(t, err, stream.ErrGap)
				return
			}
		}
		require.Fail(t, "the gap was not noticed")
	})
}

func TestAReaderWhoseFirstCallFailsBeginsWithTheNext(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		for i := range 5 {
			r.add(fmt.Sprint("shard-", i), "", 3)
		}
		for _, op := range []string{"DescribeStream", "GetShardIterator"} {
			r.change(func() { r.fail = refusing(op, "ProvisionedThroughputExceededException") })
			_, err := r.reader.Next(t.Context())
			require.ErrorIs(t, err, plaza.ErrBusy)
		}
		r.change(func() { r.fail = refusing("", "") })
		require.Empty(t, r.next().Items)
		r.write("shard-3", 3)
		r.caughtUp()
		require.Equal(t, map[string][]string{"shard-3": r.seqs("shard-3")[3:]}, r.returns)
	})
}

func TestAReaderWhoseRequestsCannotBeSentIsUnavailable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nobody := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errors.New("none") })
		for _, o := range []dynamodbstreams.Options{{Credentials: nobody}, {BaseEndpoint: aws.String("localhost:8000")}} {
			o.Region = "eu-west-1"
			reader, err := poller.NewReader(dynamodbstreams.New(o), newScript().arn, nil)
			require.NoError(t, err)
			_, err = reader.Next(t.Context())
			require.ErrorIs(t, err, plaza.ErrUnavailable)
			require.NotErrorIs(t, err, plaza.ErrBusy)
		}
	})
}

func TestARoundThatIsCanceledLosesNothing(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		for i := range 5 {
			r.add(fmt.Sprint("shard-", i), "", 0)
		}
		r.next()
		for i := range 5 {
			r.write(fmt.Sprint("shard-", i), 3)
		}
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		r.change(func() {
			r.fail = func(op, _ string) string {
				if op == "GetRecords" {
					if reads++; reads == 3 {
						cancel()
					}
				}
				return ""
			}
		})
		_, err := r.reader.Next(ctx)
		require.ErrorIs(t, err, context.Canceled)
		r.caughtUp()
		for i := range 5 {
			shard := fmt.Sprint("shard-", i)
			require.Equal(t, r.seqs(shard), r.returns[shard])
		}
	})
}

func TestAReaderOfAStreamThatIsSwitchedOffComesToItsEnd(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		sh := r.add("shard-1", "", 0)
		r.next()
		r.write("shard-1", 1500)
		r.change(func() { sh.closed, r.status = true, "DISABLED" })
		for {
			round, err := r.reader.Next(t.Context())
			if errors.Is(err, stream.ErrEnd) {
				break
			}
			require.NoError(t, err)
			for _, item := range round.Items {
				r.returns["shard-1"] = append(r.returns["shard-1"], item.Seq)
			}
		}
		require.Equal(t, r.seqs("shard-1"), r.returns["shard-1"])
	})
}

func TestAReaderReturnsRecordsThatCannotBeRead(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		r.add("shard-1", "", 0)
		r.next()
		r.change(func() { r.odd = 1002 })
		r.write("shard-1", 3)
		items := r.next().Items
		require.Len(t, items, 3)
		require.NoError(t, items[0].Err)
		require.ErrorIs(t, items[1].Err, stream.ErrRecord)
		require.Equal(t, "1002", items[1].Seq)
		require.Equal(t, "source", items[1].Record.Table)
		require.NoError(t, items[2].Err)
	})
}

func TestAReaderWithoutNewsWaits(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		r.add("shard-1", "", 0)
		for begun := time.Now(); time.Since(begun) < 10*time.Minute; {
			r.next()
		}
		require.InDelta(t, 600, len(r.count("GetRecords")), 10, "a request a second")
		require.InDelta(t, 60, len(r.count("DescribeStream")), 5, "one every ten seconds")
	})
}

// Shards split, positions are lost and requests fail, and everything is returned
// in order.
func TestUnderFaultsAReaderReturnsEverythingInOrder(t *testing.T) {
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			tail(t, func(t *testing.T, r *tailing) { r.storm(seed) })
		})
	}
}

// The stream delivers late and twice, so that Through may come too early.
func TestAReaderOfAStreamThatRepeatsReturnsEverythingInOrder(t *testing.T) {
	records := faults.NewRecords(1)
	tail(t, func(t *testing.T, r *tailing) {
		r.late = true
		r.storm(1)
		require.Greater(t, records.Twice(), 20)
	}, records.Wrap)
}

func (r *tailing) storm(seed uint64) {
	random := newRandom(seed, 0)
	r.most = 100
	r.fail = randomFailures(seed)
	open := []string{"shard-0", "shard-1"}
	all := slices.Clone(open)
	for _, shard := range open {
		r.add(shard, "", 0)
	}
	for {
		if _, err := r.reader.Next(r.t.Context()); err == nil {
			break
		}
	}
	for range 60 {
		r.next()
		i := random.IntN(len(open))
		switch random.IntN(8) {
		case 0:
			open = r.split(open, i, len(all), random.IntN(2) == 0)
			all = append(all, open[len(open)-2:]...)
		case 1:
			r.change(func() { r.epoch++ })
		default:
			r.write(open[i], random.IntN(150))
		}
	}
	r.caughtUp()
	for n := 0; r.late && n < 30; n++ { // empty answers in a row
		r.next()
	}
	for _, shard := range all {
		returned := r.returns[shard]
		if r.late {
			returned = firsts(returned)
		}
		require.Equal(r.t, r.seqs(shard), returned, shard)
	}
}

// firsts leaves out what came before.
func firsts(seqs []string) (firsts []string) {
	for _, seq := range seqs {
		if !slices.Contains(firsts, seq) {
			firsts = append(firsts, seq)
		}
	}
	return firsts
}

func TestAReaderReadsAClosedParentToItsEnd(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		parent := r.add("shard-1", "", 0)
		r.next()
		r.write("shard-1", 10)
		r.change(func() { parent.closed, r.empty = true, 20 })
		r.add("shard-2", "shard-1", 10)
		for len(r.returns["shard-2"]) < 10 {
			r.next()
		}
		require.Equal(t, r.seqs("shard-1"), r.returns["shard-1"])
	})
}

func TestThroughWaitsForChildrenThatAreNotListedYet(t *testing.T) {
	tail(t, func(t *testing.T, r *tailing) {
		r.add("shard-1", "", 0) // it stays open
		r.next()
		time.Sleep(2 * time.Second)
		r.add("shard-2", "shard-1", 10)
		written := time.Now()
		for len(r.returns["shard-2"]) == 0 {
			r.next()
			require.True(t, !r.through.After(written) || len(r.returns["shard-2"]) == 10)
		}
	})
}
