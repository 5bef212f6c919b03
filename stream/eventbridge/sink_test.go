package eventbridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/eventbridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// putEvents is a request.
type putEvents struct {
	Entries []struct {
		EventBusName, Source, DetailType, Detail string
		Time                                     *json.Number
		Resources                                []string
	}
}

func details(t *testing.T, r sinktest.Request) (sent []string) {
	require.Equal(t, "PutEvents", r.Op)
	for _, entry := range sinktest.Read[putEvents](t, r).Entries {
		sent = append(sent, entry.Detail)
	}
	return sent
}

// answer has an id for each entry, but a code for those that failed.
func answer(n int, failed map[int]string) string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"EventId":"id-%d"}`, i)
		if code, ok := failed[i]; ok {
			entries[i] = fmt.Sprintf(`{"ErrorCode":%q,"ErrorMessage":"a message"}`, code)
		}
	}
	return fmt.Sprintf(`{"FailedEntryCount":%d,"Entries":[%s]}`, len(failed), strings.Join(entries, ","))
}

func open(t *testing.T, cfg aws.Config) stream.Sink {
	sink, err := eventbridge.New(sdk.NewFromConfig(cfg), "fanoutBus", nil)
	require.NoError(t, err)
	return sink
}

func event(data string) stream.Event { return stream.Event{Source: "s", Type: "t", Data: []byte(data)} }

func TestSink(t *testing.T) {
	sinktest.Run(t, sinktest.Service{
		Package: "stream/eventbridge",
		New:     open,
		Sent:    details,
		OK:      func(n int) string { return answer(n, nil) },
		Some: func(n int, failed []int) string {
			codes := map[int]string{}
			for _, i := range failed {
				codes[i] = "ThrottlingException"
			}
			return answer(n, codes)
		},
		Refused: map[string]stream.Event{
			"Event.Source": {Type: "t", Data: []byte("{}")},
			"Event.Type":   {Source: "s", Data: []byte("{}")},
			"Event.Data":   event(""),
			"an array":     event(" [1]"),
			"a string":     event(`"{"`),
			"two":          event("{}{}"),
			"half":         event(`{"a":`),
			"half a pair":  event(`{"a":"\ud800"}`),
			"deep":         event(strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)),
		},
		Packs: []sinktest.Pack{
			{Events: 23, Bytes: 20, Calls: []int{10, 10, 3}},
			{Events: 5, Bytes: 300 << 10, Calls: []int{3, 2}},
			{Events: 1, Bytes: 1<<20 + 1, Dead: 1},
			{Events: 2, Bytes: 512 << 10, Calls: []int{1, 1}},
		},
		Unclear: map[string]string{
			"no ids":             `{"FailedEntryCount":0,"Entries":[{},{}]}`,
			"empty ids":          `{"FailedEntryCount":0,"Entries":[{"EventId":""},{"EventId":""}]}`,
			"nulls":              `{"FailedEntryCount":0,"Entries":[null,null]}`,
			"two failed, unsaid": `{"FailedEntryCount":2,"Entries":[{"EventId":"1"},{"EventId":"2"}]}`,
			"id and code":        `{"FailedEntryCount":0,"Entries":[{"EventId":"1","ErrorCode":"InternalFailure"},{"EventId":"2","ErrorCode":"InternalFailure"}]}`,
		},
	})
}

func TestAnEntryHasTheFieldsThatRulesMatch(t *testing.T) {
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: answer(2, nil)} })
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	_, err := open(t, script.Config()).Put(t.Context(), []stream.Event{
		{ID: "1", Source: "update.aws.dynamodb", Type: "post", Group: "g", At: at, Data: []byte(` {"a":1}`)},
		{ID: "2", Source: "operations.aws.dynamodb", Type: "log", Data: []byte("{}")},
	})
	require.NoError(t, err)
	entries := sinktest.Read[putEvents](t, script.Requests()[0]).Entries
	for i, want := range []string{"update.aws.dynamodb post", "operations.aws.dynamodb log"} {
		require.Equal(t, "fanoutBus", entries[i].EventBusName)
		require.Equal(t, want, entries[i].Source+" "+entries[i].DetailType)
		require.Empty(t, entries[i].Resources)
	}
	seconds, err := entries[0].Time.Float64()
	require.NoError(t, err)
	require.Equal(t, at.Unix(), int64(seconds))
	require.Nil(t, entries[1].Time, "a time that is not known is the service's to set")
}

// The count of a request that the service makes: 14 bytes for a time.
func TestAnEntryIsAsLargeAsTheServiceCounts(t *testing.T) {
	limit := open(t, sinktest.NewScript(nil).Config()).Limit()
	require.Equal(t, stream.Limit{Events: 10, Bytes: 1 << 20, Event: 1 << 20}, stream.Limit{Events: limit.Events, Bytes: limit.Bytes, Event: limit.Event})
	require.Equal(t, len("日本")+len("type")+len("{}")+14, limit.Size(stream.Event{Source: "日本", Type: "type", At: time.Unix(1, 0), Data: []byte("{}"), ID: "id", Group: "group"}))
	require.Equal(t, len("{}"), limit.Size(stream.Event{Data: []byte("{}")}))
}

func TestAnEntrysCodeSaysWhetherToRepeatIt(t *testing.T) {
	again := []string{"InternalFailure", "ThrottlingException", "InternalException", "SomethingNew"}
	never := []string{
		"AccessDeniedException", "InvalidAccountIdException", "InvalidArgument", "MalformedDetail", "RedactionFailure",
		"NotAuthorizedForSourceException", "NotAuthorizedForDetailTypeException",
	}
	failed := map[int]string{}
	for i, code := range append(again, never...) {
		failed[i+1] = code
	}
	n := len(failed) + 1
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: answer(n, failed)} })
	events := make([]stream.Event, n)
	for i := range events {
		events[i] = event("{}")
	}
	outcomes, err := open(t, script.Config()).Put(t.Context(), events)
	require.NoError(t, err)
	require.Zero(t, outcomes[0])
	for i, o := range outcomes[1:] {
		require.ErrorContains(t, o.Err, failed[i+1])
		require.NotContains(t, o.Err.Error(), "a message")
		require.Equal(t, i < len(again), o.Retry, failed[i+1])
	}
}

func TestInvalidConfigurationFailsInNew(t *testing.T) {
	client := sdk.NewFromConfig(sinktest.NewScript(nil).Config())
	refused := map[string]error{}
	_, refused["client"] = eventbridge.New(nil, "bus", nil)
	_, refused["bus"] = eventbridge.New(client, "", nil)
	_, refused["Options.Events"] = eventbridge.New(client, "bus", &eventbridge.Options{Events: -1})
	_, refused["Options.Bytes"] = eventbridge.New(client, "bus", &eventbridge.Options{Bytes: -1})
	sinktest.Refused(t, refused)
}
