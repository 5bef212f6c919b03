package firehose_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/firehose"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/firehose"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines are the records of a request, without their newlines.
func lines(t *testing.T, r sinktest.Request) (sent []string) {
	require.Equal(t, "PutRecordBatch", r.Op)
	got := sinktest.Read[struct {
		DeliveryStreamName string
		Records            []struct{ Data []byte }
	}](t, r)
	require.Equal(t, "archive", got.DeliveryStreamName)
	for _, record := range got.Records {
		line, ended := strings.CutSuffix(string(record.Data), "\n")
		require.True(t, ended)
		require.NotContains(t, line, "\n")
		sent = append(sent, line)
	}
	return sent
}

// answer has an id for each record, but a code for those that failed.
func answer(n int, failed map[int]string) string {
	records := make([]string, n)
	for i := range records {
		records[i] = fmt.Sprintf(`{"RecordId":"id-%d"}`, i)
		if code, ok := failed[i]; ok {
			records[i] = fmt.Sprintf(`{"ErrorCode":%q,"ErrorMessage":"a message"}`, code)
		}
	}
	return fmt.Sprintf(`{"FailedPutCount":%d,"Encrypted":false,"RequestResponses":[%s]}`, len(failed), strings.Join(records, ","))
}

func open(t *testing.T, cfg aws.Config) stream.Sink {
	sink, err := firehose.New(sdk.NewFromConfig(cfg), "archive", nil)
	require.NoError(t, err)
	return sink
}

func TestSink(t *testing.T) {
	refused := map[string]stream.Event{}
	for name, data := range map[string]string{
		"empty": "", "two values": "{}\n{}", "half": `{"a":`, "half a surrogate": `"\ud800"`, "text": "hello",
		"deep": strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
	} {
		refused[name] = stream.Event{Data: []byte(data)}
	}
	sinktest.Run(t, sinktest.Service{
		Package: "stream/firehose", Refused: refused,
		New:  open,
		Sent: lines,
		OK:   func(n int) string { return answer(n, nil) },
		Some: func(n int, failed []int) string {
			codes := map[int]string{}
			for k, i := range failed {
				codes[i] = []string{"ServiceUnavailableException", "InternalFailure", "SomethingNew"}[k%3]
			}
			return answer(n, codes)
		},
		Packs: []sinktest.Pack{
			{Events: 1201, Bytes: 30, Calls: []int{500, 500, 201}},
			{Events: 10, Bytes: 1000<<10 - 1, Calls: []int{4, 4, 2}},
			{Events: 1, Bytes: 1000 << 10, Dead: 1},
		},
		Unclear: map[string]string{
			"no ids":             `{"FailedPutCount":0,"RequestResponses":[{},{}]}`,
			"empty ids":          `{"FailedPutCount":0,"RequestResponses":[{"RecordId":""},{"RecordId":""}]}`,
			"nulls":              `{"FailedPutCount":0,"RequestResponses":[null,null]}`,
			"two failed, unsaid": `{"FailedPutCount":2,"RequestResponses":[{"RecordId":"1"},{"RecordId":"2"}]}`,
			"id and code":        `{"FailedPutCount":0,"RequestResponses":[{"RecordId":"1","ErrorCode":"InternalFailure"},{"RecordId":"2","ErrorCode":"InternalFailure"}]}`,
		},
	})
}

func TestARecordIsOneLine(t *testing.T) {
	script := sinktest.NewScript(func(r sinktest.Request) sinktest.Answer {
		return sinktest.Answer{Body: answer(len(lines(t, r)), nil)}
	})
	_, err := open(t, script.Config()).Put(t.Context(), []stream.Event{
		{Data: []byte("{\n  \"a\": \"b\\n c\",\r\n  \"d\": [1,\n 2]\n}\n")},
		{Data: []byte(`{"a": 1}`)},
		{Data: []byte("7")},
	})
	require.NoError(t, err)
	require.Equal(t, []string{`{"a":"b\n c","d":[1,2]}`, `{"a": 1}`, "7"}, lines(t, script.Requests()[0]))
}

func TestARecordIsAsLargeAsItsLine(t *testing.T) {
	limit := open(t, sinktest.NewScript(nil).Config()).Limit()
	require.Equal(t, stream.Limit{Events: 500, Bytes: 4 << 20, Event: 1000 << 10}, stream.Limit{Events: limit.Events, Bytes: limit.Bytes, Event: limit.Event})
	require.Equal(t, len("{}\n"), limit.Size(stream.Event{ID: "id", Source: "s", Type: "t", Data: []byte("{}")}))
}

func TestInvalidConfigurationFailsInNew(t *testing.T) {
	client := sdk.NewFromConfig(sinktest.NewScript(nil).Config())
	refused := map[string]error{}
	_, refused["client"] = firehose.New(nil, "archive", nil)
	_, refused["name"] = firehose.New(client, "", nil)
	_, refused["Options.Events"] = firehose.New(client, "archive", &firehose.Options{Events: -1})
	_, refused["Options.Bytes"] = firehose.New(client, "archive", &firehose.Options{Bytes: -1})
	_, refused["Options.Event"] = firehose.New(client, "archive", &firehose.Options{Bytes: 1000, Event: 1001})
	sinktest.Refused(t, refused)

	small, err := firehose.New(client, "archive", &firehose.Options{Bytes: 1000})
	require.NoError(t, err)
	require.Equal(t, 1000, small.Limit().Event)
}

// FuzzLine: whatever JSON comes, the archive gets one line that says the same.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"{}", "{\n\"a\":\r\n1}", "\"a\\n\"", "[1,\n2]", "\n7\r"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		script := sinktest.NewScript(func(r sinktest.Request) sinktest.Answer {
			return sinktest.Answer{Body: answer(len(lines(t, r)), nil)}
		})
		sink := open(t, script.Config())
		e := stream.Event{Data: data}
		outcomes, err := sink.Put(t.Context(), []stream.Event{e})
		require.NoError(t, err)
		if outcomes[0].Err != nil {
			require.Empty(t, script.Requests())
			return
		}
		line := lines(t, script.Requests()[0])[0]
		require.LessOrEqual(t, len(line)+1, sink.Limit().Size(e))
		var want, got any
		require.NoError(t, json.Unmarshal(data, &want))
		require.NoError(t, json.Unmarshal([]byte(line), &got))
		require.Equal(t, want, got)
	})
}
