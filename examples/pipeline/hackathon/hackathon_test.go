package hackathon_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

type item = map[string]types.AttributeValue

func project(score int64) hackathon.Project {
	return hackathon.Project{
		ID: "1", MetaData: hackathon.MetaData{HackathonName: "StarWar"}, Score: score, UserName: "userA", Version: 7,
	}
}

func marshal(t *testing.T, p hackathon.Project) item {
	t.Helper()
	made, err := dynamo.MarshalItem(p)
	require.NoError(t, err)
	return made
}

func TestABoardShowsAProject(t *testing.T) {
	got, err := hackathon.Projection(t.Context(), marshal(t, project(60)))
	require.NoError(t, err)
	require.Equal(t, leaderboard.Projection{
		Board: "StarWar", Player: "1", Name: "userA", Score: leaderboard.Int(60), Version: 7,
	}, got)
}

func TestAnItemThatIsNotAProjectIsInvalid(t *testing.T) {
	text, number := &types.AttributeValueMemberS{Value: "many"}, &types.AttributeValueMemberN{Value: "1.5"}
	for field, values := range map[string][]types.AttributeValue{
		"Id":           {nil, number},
		"metaData":     {nil, text, &types.AttributeValueMemberM{}, &types.AttributeValueMemberM{Value: item{"hackathonName": number}}},
		"userName":     {nil, number},
		"projectScore": {nil, text, number, &types.AttributeValueMemberN{Value: "9223372036854775808"}},
		"version":      {nil, text, number, &types.AttributeValueMemberN{Value: "-1"}},
	} {
		for _, value := range values {
			broken := marshal(t, project(60))
			broken[field] = value
			_, err := hackathon.Projection(t.Context(), broken)
			require.ErrorIs(t, err, plaza.ErrInvalid, "%s %v", field, value)
		}
	}
}

// A table whose key is (id, metadata) may have no versions: the sequence of the records
// orders them.
func TestAnItemWithoutAVersionGetsThatOfItsRecord(t *testing.T) {
	bare := marshal(t, project(60))
	delete(bare, "version")
	delete(bare, "Id")
	delete(bare, "metaData")
	bare["id"], bare["metadata"] = &types.AttributeValueMemberS{Value: "1"}, &types.AttributeValueMemberS{Value: "StarWar"}
	last := uint64(0)
	for _, at := range []time.Time{{}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)} {
		for _, seq := range []string{"0", "7", "100000000012345678901", "100000000012345678911", "100000000999999999999"} {
			got, err := hackathon.Of(stream.Record{Seq: seq, At: at})(t.Context(), bare)
			require.NoError(t, err)
			require.Greater(t, got.Version, last, "%v %s", at, seq)
			last, got.Version = got.Version, 7
			require.Equal(t, leaderboard.Projection{Board: "StarWar", Player: "1", Name: "userA", Score: leaderboard.Int(60), Version: 7}, got)
		}
	}
	_, err := hackathon.Projection(t.Context(), bare)
	require.ErrorIs(t, err, plaza.ErrInvalid, "an item of the table alone")
	bare["metadata"] = &types.AttributeValueMemberN{Value: "1"}
	_, err = hackathon.Of(stream.Record{Seq: "1"})(t.Context(), bare)
	require.ErrorIs(t, err, plaza.ErrInvalid)

	got, err := hackathon.Of(stream.Record{Seq: "1"})(t.Context(), marshal(t, project(60)))
	require.NoError(t, err)
	require.EqualValues(t, 7, got.Version, "its own")
}

// bus keeps the sources of the events that it got. It refuses those of one.
type bus struct {
	sources map[string][]string
	refused string
}

func (*bus) Limit() stream.Limit { return stream.Limit{Events: 10} }

func (b *bus) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	outcomes := make([]stream.Outcome, len(events))
	for i, e := range events {
		if e.Source == b.refused {
			outcomes[i].Err = errors.New("refused")
			continue
		}
		r, err := stream.DecodeEvent(e.Data)
		if err != nil {
			return nil, err
		}
		b.sources[r.Seq] = append(b.sources[r.Seq], e.Source)
	}
	return outcomes, nil
}

type letters []stream.Dead

func (l *letters) Put(_ context.Context, d stream.Dead) error {
	*l = append(*l, d)
	return nil
}

func record(t *testing.T, seq string, before, after item) stream.Record {
	t.Helper()
	r := stream.Record{
		ID: seq, Seq: seq, Stream: "arn:aws:dynamodb:us-east-1:123456789012:table/main/stream/1", Table: "main",
		Keys: item{"Id": &types.AttributeValueMemberS{Value: "1"}}, Old: before, New: after, Kind: stream.Modify,
	}
	switch {
	case before == nil:
		r.Kind = stream.Insert
	case after == nil:
		r.Kind = stream.Remove
	}
	return r
}

func records(t *testing.T) []stream.Record {
	first, more, moved, renamed := project(60), project(61), project(61), project(61)
	moved.MetaData.HackathonName = "WarCraft"
	moved.Version++
	renamed.UserName = "userB"
	elsewhere := first
	elsewhere.URL = "https://example.com"
	elsewhere.Version++
	poison := marshal(t, first)
	poison["projectScore"] = &types.AttributeValueMemberS{Value: "many"}
	a, b := marshal(t, first), marshal(t, more)
	truncated := record(t, "8", nil, nil)
	truncated.Kind, truncated.Truncated = stream.Modify, true
	return []stream.Record{
		record(t, "1", nil, a), record(t, "2", a, b), record(t, "3", b, marshal(t, moved)), record(t, "4", b, marshal(t, renamed)),
		record(t, "5", a, marshal(t, elsewhere)), record(t, "6", a, poison), record(t, "7", a, nil), truncated,
	}
}

func TestEachChangeGoesToTheArchiveAndWhatABoardShowsToTheBoard(t *testing.T) {
	b := &bus{sources: map[string][]string{}}
	for i, err := range hackathon.Fanout(b, stream.Policy{}, nil)(t.Context(), records(t)) {
		require.NoError(t, err, i)
	}
	both := []string{hackathon.UpdateSource, hackathon.OperationsSource}
	want := map[string][]string{"5": both[1:]}
	for _, seq := range []string{"1", "2", "3", "4", "6", "7", "8"} {
		want[seq] = both
	}
	require.Equal(t, want, b.sources)
}

// Items of 400 KB are in both images, and their JSON may be six times as large.
func TestTheEventOfAHugeItemHasWhatABoardShows(t *testing.T) {
	huge := func(score int64) item {
		p := project(score)
		p.URL = strings.Repeat("\x01", 390_000)
		made := marshal(t, p)
		made["metaData"].(*types.AttributeValueMemberM).Value["rules"] = &types.AttributeValueMemberS{Value: "many"}
		return made
	}
	var got []stream.Event
	sink := catcher{&got}
	for _, err := range hackathon.Fanout(sink, stream.Policy{}, nil)(t.Context(), []stream.Record{record(t, "1", huge(60), huge(61))}) {
		require.NoError(t, err)
	}
	require.Len(t, got, 2)
	board, err := stream.DecodeEvent(got[0].Data)
	require.NoError(t, err)
	require.Equal(t, marshal(t, project(60)), board.Old)
	require.Equal(t, marshal(t, project(61)), board.New)
	require.False(t, board.Truncated)

	archive, err := stream.DecodeEvent(got[1].Data)
	require.NoError(t, err)
	require.True(t, archive.Truncated)
	require.Less(t, len(got[1].Data), 1<<20)
}

// catcher keeps what it is given.
type catcher struct{ events *[]stream.Event }

func (catcher) Limit() stream.Limit { return stream.Limit{Events: 10, Event: 1 << 20} }

func (c catcher) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	*c.events = append(*c.events, events...)
	return make([]stream.Outcome, len(events)), nil
}

func TestARecordThatOneRuleRefusesIsADeadLetterAndReachesTheOther(t *testing.T) {
	for _, refused := range []string{hackathon.UpdateSource, hackathon.OperationsSource} {
		b := &bus{sources: map[string][]string{}, refused: refused}
		var dead letters
		for _, err := range hackathon.Fanout(b, stream.Policy{}, &dead)(t.Context(), records(t)[:1]) {
			require.NoError(t, err)
		}
		require.Len(t, dead, 1)
		require.Equal(t, "1", dead[0].Seq)
		require.Len(t, b.sources["1"], 1)
		require.NotEqual(t, refused, b.sources["1"][0])

		// Without dead letters it is the Processor's.
		err := hackathon.Fanout(b, stream.Policy{}, nil)(t.Context(), records(t)[:1])[0]
		require.Error(t, err)
		require.NotErrorIs(t, err, stream.ErrHeld)
	}
}
