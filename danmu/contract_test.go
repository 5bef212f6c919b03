package danmu_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// TestAKeyIsItsSendersOwn at one Progress, on one object.
func TestAKeyIsItsSendersOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	seen := map[danmu.ID]bool{}
	for _, c := range []danmu.Comment{
		{User: "ann", Key: "1"}, {User: "bob", Key: "1"}, {User: "ann", Key: "2"}, {User: "ann", Key: "1", Object: "w"},
		{User: "ann#1", Key: "2"}, {User: "ann", Key: "1#2"},
	} {
		c.Progress = time.Second
		id := w.send(t, c).ID
		require.False(t, seen[id], "%s, %s", c.User, c.Key)
		seen[id] = true
	}
}

func TestEachSentinelIsOneOfPlazas(t *testing.T) {
	t.Parallel()
	all := []error{
		plaza.ErrInvalid, plaza.ErrForbidden, plaza.ErrNotFound, plaza.ErrConflict, plaza.ErrRemoved, plaza.ErrBusy,
		plaza.ErrUnavailable, plaza.ErrUnknownOutcome, plaza.ErrTable, plaza.ErrCorrupt,
	}
	for err, want := range map[error]error{
		danmu.ErrTooLate:   plaza.ErrForbidden,
		danmu.ErrRate:      plaza.ErrBusy,
		danmu.ErrInvalidID: plaza.ErrInvalid,
		danmu.ErrBroken:    plaza.ErrInvalid,
		format.ErrBroken:   plaza.ErrInvalid,
		&danmu.RateError{}: plaza.ErrBusy,
	} {
		for _, one := range all {
			require.Equal(t, one == want, errors.Is(err, one), "%v is %v", err, one)
		}
	}
	require.ErrorIs(t, &danmu.RateError{}, danmu.ErrRate)
}

// TestACutFileIsNotImportedAsAWhole though what it is cut by is invalid.
func TestACutFileIsNotImportedAsAWhole(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	reader, err := format.NewReader(strings.NewReader(`[{"text":"a","time":1},{"text":"","time":2},{"text":"b","time":3`), format.ArtPlayer, nil)
	require.NoError(t, err)
	result, err := s.Import(t.Context(), "film", reader.All(), nil)
	require.ErrorIs(t, err, danmu.ErrBroken)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	require.Zero(t, result.Written)

	var refuse iter.Seq2[danmu.Comment, error] = func(yield func(danmu.Comment, error) bool) {
		_ = yield(danmu.Comment{}, fmt.Errorf("a line: %w", plaza.ErrInvalid)) && yield(danmu.Comment{Text: "b"}, nil)
	}
	result, err = s.Import(t.Context(), "film", refuse, nil)
	require.NoError(t, err)
	require.Equal(t, danmu.ImportResult{Read: 2, Written: 1, Refused: 1}, result)
}

// TestImportsSinceTheYear2000StandByTheirTime among what is sent.
func TestImportsSinceTheYear2000StandByTheirTime(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var film []danmu.Comment
	for i, at := range []time.Time{
		time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2000, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2006, 12, 12, 0, 0, 0, 0, time.UTC),
		time.Date(2006, 12, 12, 0, 0, 0, 1e6, time.UTC), time.Date(2007, 3, 6, 0, 0, 0, 0, time.UTC), time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		film = append(film, danmu.Comment{User: "ann", Text: fmt.Sprint(i), Sent: at, Progress: time.Duration(9-i) * time.Second})
	}
	s.imports(t, "film", film...)
	s.send(t, danmu.Comment{Object: "film", User: "ann", Text: "now"})
	require.Equal(t, []string{"now", "5", "4", "3", "2", "1", "0"}, texts(s.by(t, "ann")))
	for _, i := range s.items(t, "D#film") {
		id, err := danmu.ParseID(i.SK)
		require.NoError(t, err)
		c, ok := s.get(t, danmu.Comment{Object: "film", ID: id, Progress: id.Progress()})
		require.True(t, ok)
		if c.Sent.Year() >= 2000 {
			require.Equal(t, c.Sent, i.Sent.Time(), c.Text)
		}
	}
}

func TestVerifyFindsTheTableOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "it has no expiry")
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), danmu.TTL(w.table))
	require.NoError(t, err)
	meter := dynamotest.NewMeter()
	w = w.process(t, nil, meter.Wrap)
	for range 2 {
		meter.AtMost(t, "verify", dynamotest.Cost{Requests: 3, Read: 0.5}, func() { require.NoError(t, w.Verify(t.Context())) })
		meter.AtMost(t, "init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() { require.NoError(t, w.Init(t.Context())) })
	}
	w.at(t, 1)
	require.Len(t, w.window(t, 0, 2, nil), 1)
	for name, value := range map[string]any{"feature": "follow", "format": 2} {
		require.NoError(t, w.raw(t).Update("pk", "~").Range("sk", "~").Set(name, value).Run(t.Context()))
		for _, call := range []func(context.Context) error{w.Verify, w.Init} {
			require.ErrorIs(t, call(t.Context()), plaza.ErrTable)
		}
		require.NoError(t, w.raw(t).Update("pk", "~").Range("sk", "~").Set("feature", "danmu").Set("format", 1).Run(t.Context()))
	}

	// A table without the index.
	plain := world{table: dynamotest.Table(t, withoutIndex), source: w.source}
	_, err = dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), danmu.TTL(plain.table))
	require.NoError(t, err)
	require.ErrorIs(t, plain.process(t, nil).Verify(t.Context()), plaza.ErrTable)

	_, err = danmu.New(nil, "t", w.source, nil)
	require.ErrorIs(t, err, plaza.ErrInvalid)
}

func withoutIndex(name string) *dynamodb.CreateTableInput {
	in := danmu.Table(name)
	in.GlobalSecondaryIndexes, in.AttributeDefinitions = nil, in.AttributeDefinitions[:2]
	return in
}
