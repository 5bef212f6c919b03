package plazalog_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/plazalog"
	"github.com/plaza-sdk/plaza/stream"
)

// logger logs all levels, without times.
func logger() (*plazalog.Logger, *bytes.Buffer) {
	out := new(bytes.Buffer)
	return plazalog.New(slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "duration" {
				return slog.Attr{}
			}
			return a
		},
	}))), out
}

func TestFailedRequestsAreLoggedByWhatTheyMean(t *testing.T) {
	t.Parallel()
	refusal := func(code string) sinktest.Answer { return sinktest.Refusal(http.StatusBadRequest, code) }
	for name, c := range map[string]struct {
		answer sinktest.Answer
		level  string
		as     string
	}{
		"a condition":   {refusal("ConditionalCheckFailedException"), "DEBUG", "ConditionalCheckFailedException"},
		"throttled":     {refusal("ProvisionedThroughputExceededException"), "WARN", "ProvisionedThroughputExceededException"},
		"a conflict":    {refusal("TransactionConflictException"), "WARN", "TransactionConflictException"},
		"a fault":       {sinktest.Refusal(http.StatusInternalServerError, "InternalServerError"), "WARN", "InternalServerError"},
		"no answer":     {sinktest.Answer{Err: errors.New("reset")}, "WARN", "no_answer"},
		"half of one":   {sinktest.Answer{Body: `{"Item":`}, "WARN", "no_answer"},
		"no table":      {refusal("ResourceNotFoundException"), "ERROR", "ResourceNotFoundException"},
		"no permission": {refusal("AccessDeniedException"), "ERROR", "AccessDeniedException"},
		"a transaction throttled": {
			sinktest.Answer{Status: http.StatusBadRequest, Body: `{"__type":"TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"ThrottlingError"}]}`},
			"WARN", "ThrottlingError",
		},
		"canceled": {sinktest.Answer{Err: context.Canceled}, "DEBUG", "canceled"},
		"success":  {sinktest.Answer{Body: `{}`}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures, out := logger()
			cfg := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return c.answer }).Config()
			cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
			failures.Attach(&cfg)
			_, err := dynamodb.NewFromConfig(cfg).GetItem(plaza.WithOperation(t.Context(), "feed.Home.List"), &dynamodb.GetItemInput{
				TableName: aws.String("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "H#ann"}},
			})
			if c.level == "" {
				require.NoError(t, err)
				require.Empty(t, out.String())
				return
			}
			require.Error(t, err)
			require.True(t, strings.HasPrefix(out.String(), "level="+c.level+
				` msg="plaza: request failed" operation=feed.Home.List action=GetItem table=t failure=`+c.as+" error="), out)
			require.NotContains(t, out.String(), "ann", "no key")
		})
	}
}

func TestAttemptsAreLoggedIfTheyFail(t *testing.T) {
	t.Parallel()
	busy := errors.Join(errors.New("queue"), plaza.ErrBusy)
	id := ids.ID(7)
	for name, c := range map[string]struct {
		do   func(*plazalog.Logger)
		want string
	}{
		"done":           {func(l *plazalog.Logger) { l.Feed(feed.Attempt{Owner: "ann", ID: id, Done: true}) }, ""},
		"tried again":    {func(l *plazalog.Logger) { l.Feed(feed.Attempt{Owner: "ann", ID: id, Err: busy}) }, "WARN attempt failed feed failed"},
		"no table":       {func(l *plazalog.Logger) { l.Notify(notify.Attempt{Err: plaza.ErrTable}) }, "ERROR attempt failed notify failed"},
		"damaged":        {func(l *plazalog.Logger) { l.Folder(leaderboard.FolderAttempt{Err: plaza.ErrCorrupt}) }, "ERROR attempt failed folder failed"},
		"a kit's":        {func(l *plazalog.Logger) { l.Attempt(kit.Attempt{Worker: "feed", Done: true, Err: busy}) }, "ERROR attempt failed feed given_up"},
		"given up":       {func(l *plazalog.Logger) { l.Digest(digest.Attempt{Done: true, Err: busy}) }, "ERROR attempt failed digest given_up"},
		"a worker stops": {func(l *plazalog.Logger) { l.Leaderboard(leaderboard.Attempt{Err: context.Canceled}) }, "DEBUG attempt failed leaderboard failed"},
		"a poller":       {func(l *plazalog.Logger) { l.Failed("bells")(busy) }, "WARN attempt failed bells failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures, out := logger()
			c.do(failures)
			got := out.String()
			for _, noise := range []string{"level=", "msg=", "plaza: ", "worker=", "result=", `"`} {
				got = strings.ReplaceAll(got, noise, "")
			}
			got, _, _ = strings.Cut(got, " error=")
			require.Equal(t, c.want, got)
		})
	}
}

func TestADamagedItemIsLoggedWithItsKey(t *testing.T) {
	t.Parallel()
	failures, out := logger()
	failures.Corrupt(&plaza.CorruptError{Table: "feed", PK: "A#ann", SK: "7", Reason: "no verb"})
	require.Equal(t, `level=ERROR msg="plaza: stored item is damaged" table=feed pk=A#ann sk=7 reason="no verb"`+"\n", out.String())
}

// The cause of a dead letter is a handler's error, and may have a text of the item.
func TestADeadLetterIsLoggedWithoutItsText(t *testing.T) {
	t.Parallel()
	failures, out := logger()
	failures.Dead("bells")(stream.Dead{Stream: "arn", Seq: "12", Attempts: 3, Reason: "*errors.errorString"}, errors.New("a secret"))
	require.Equal(t, `level=ERROR msg="plaza: dead letter" worker=bells stream=arn seq=12 attempts=3 reason=*errors.errorString`+"\n", out.String())
}

func TestWithoutALogTheDefaultOneIsWritten(t *testing.T) {
	t.Parallel()
	require.NotPanics(t, func() { plazalog.New(nil).Failed("feed")(context.Canceled) })
}
