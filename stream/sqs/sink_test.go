package sqs_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const queue = "https://sqs.us-east-1.amazonaws.com/123456789012/board"

// sendMessageBatch is a request.
type sendMessageBatch struct {
	QueueURL string
	Entries  []struct {
		ID, MessageBody   string
		MessageAttributes map[string]struct{ DataType, StringValue string }
		MessageGroupID    *string
	}
}

func bodies(t *testing.T, r sinktest.Request) (sent []string) {
	require.Equal(t, "SendMessageBatch", r.Op)
	got := sinktest.Read[sendMessageBatch](t, r)
	require.Equal(t, queue, got.QueueURL)
	for _, entry := range got.Entries {
		sent = append(sent, entry.MessageBody)
	}
	return sent
}

func sent(id int) string { return fmt.Sprintf(`{"Id":"%d","MessageId":"m-%d"}`, id, id) }

func failed(id int, sender bool, code string) string {
	return fmt.Sprintf(`{"Id":"%d","SenderFault":%t,"Code":%q,"Message":"a message"}`, id, sender, code)
}

func answer(successful, failed []string) string {
	return fmt.Sprintf(`{"Successful":[%s],"Failed":[%s]}`, strings.Join(successful, ","), strings.Join(failed, ","))
}

func allSent(n int) string {
	var entries []string
	for i := range n {
		entries = append(entries, sent(i))
	}
	return answer(entries, nil)
}

func open(t *testing.T, cfg aws.Config) stream.Sink {
	sink, err := sqs.New(sdk.NewFromConfig(cfg), queue, nil)
	require.NoError(t, err)
	return sink
}

func TestSink(t *testing.T) {
	sinktest.Run(t, sinktest.Service{
		New:  open,
		Sent: bodies,
		OK:   allSent,
		Some: func(n int, bad []int) string {
			var passed, lost []string
			for i := range n {
				if slices.Contains(bad, i) {
					lost = append(lost, failed(i, false, "InternalError"))
				} else {
					passed = append(passed, sent(i))
				}
			}
			return answer(passed, lost)
		},
		Refused: map[string]stream.Event{
			"Event.Data":   {Data: []byte("\"\uFFFE\"")},
			"Event.ID":     {Data: []byte("{}"), ID: "\x00"},
			"Event.Source": {Data: []byte("{}"), Source: "\uFFFF"},
			"Event.Type":   {Data: []byte("{}"), Type: "\xff"},
		},
		Packs: []sinktest.Pack{
			{Events: 23, Bytes: 20, Calls: []int{10, 10, 3}},
			{Events: 5, Bytes: 300 << 10, Calls: []int{3, 2}},
			{Events: 1, Bytes: 1<<20 + 1, Dead: 1},
		},
		Unclear: map[string]string{
			"no ids":             `{"Successful":[{"MessageId":"m"},{"MessageId":"m"}],"Failed":[]}`, // the SDK panics
			"nulls":              `{"Successful":[null,null],"Failed":[null]}`,
			"no ids that failed": `{"Failed":[{"Code":"Unavailable","SenderFault":true},{"Code":"Unavailable","SenderFault":true}]}`,
			"unknown ids":        answer([]string{sent(2), sent(-1), `{"Id":"00"}`, `{"Id":"+1"}`, `{"Id":" 0"}`, `{"Id":""}`, `{"Id":"x"}`}, []string{failed(7, true, "Nothing")}),
			"both":               answer([]string{sent(0), sent(1)}, []string{failed(0, true, "InvalidMessageContents"), failed(1, false, "InternalError")}),
		},
	})
}

func TestAMessageCarriesTheEventsIdentity(t *testing.T) {
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: allSent(2)} })
	_, err := open(t, script.Config()).Put(t.Context(), []stream.Event{
		{ID: "event 1", Source: "update.aws.dynamodb", Type: "post", Group: "g", Data: []byte("{}")},
		{Data: []byte("{}")},
	})
	require.NoError(t, err)
	entries := sinktest.Read[sendMessageBatch](t, script.Requests()[0]).Entries
	for name, want := range map[string]string{"id": "event 1", "source": "update.aws.dynamodb", "type": "post"} {
		require.Equal(t, want, entries[0].MessageAttributes[name].StringValue)
		require.Equal(t, "String", entries[0].MessageAttributes[name].DataType)
	}
	require.Empty(t, entries[1].MessageAttributes, "SQS refuses attributes without a value")
	require.Nil(t, entries[0].MessageGroupID)
	require.NotEqual(t, entries[0].ID, entries[1].ID)
}

func TestAMessageIsAsLargeAsBodyAndAttributes(t *testing.T) {
	limit := open(t, sinktest.NewScript(nil).Config()).Limit()
	require.Equal(t, stream.Limit{Events: 10, Bytes: 1 << 20, Event: 1 << 20}, stream.Limit{Events: limit.Events, Bytes: limit.Bytes, Event: limit.Event})
	require.Equal(t, len(`{"a":"日本"}`), limit.Size(stream.Event{Data: []byte(`{"a":"日本"}`), Group: "g"}))
	require.Equal(t, len("{}")+len("idString12")+len("typeStringpost"), limit.Size(stream.Event{ID: "12", Type: "post", Data: []byte("{}")}))
}

// The messages are answered out of order, and two are not named at all.
func TestAnAnswerIsReadByItsIds(t *testing.T) {
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer {
		return sinktest.Answer{Body: answer(
			[]string{sent(5), sent(0), sent(0)},
			[]string{failed(4, false, "InternalError"), failed(2, true, "InvalidMessageContents"), failed(6, true, "RequestThrottled")},
		)}
	})
	events := make([]stream.Event, 7)
	for i := range events {
		events[i].Data = []byte("{}")
	}
	outcomes, err := open(t, script.Config()).Put(t.Context(), events)
	require.NoError(t, err)
	for i, want := range []struct{ delivered, retry bool }{
		{true, false}, {false, true}, {false, false}, {false, true}, {false, true}, {true, false}, {false, true},
	} {
		require.Equal(t, want.delivered, outcomes[i].Err == nil, i)
		require.Equal(t, want.retry, outcomes[i].Retry, i)
		if outcomes[i].Err != nil {
			require.NotContains(t, outcomes[i].Err.Error(), "a message")
		}
	}
}

// A message that was damaged on its way is sent again.
func TestAChecksumThatDiffersConfirmsNothing(t *testing.T) {
	sum := md5.Sum([]byte("{}"))
	for name, digest := range map[string]string{"right": hex.EncodeToString(sum[:]), "wrong": strings.Repeat("0", 32)} {
		script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer {
			return sinktest.Answer{Body: fmt.Sprintf(`{"Successful":[{"Id":"0","MessageId":"m","MD5OfMessageBody":%q}]}`, digest)}
		})
		outcomes, err := open(t, script.Config()).Put(t.Context(), []stream.Event{{Data: []byte("{}")}, {}})
		require.NoError(t, err)
		require.Equal(t, name == "right", outcomes[0].Err == nil)
		require.Equal(t, name == "wrong", outcomes[0].Retry)
	}
}

func TestCharactersThatSQSRefusesAreNotSent(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if r > 0x3000 && r < 0xD700 || r > 0x10010 && r < 0x10FFF0 {
			continue
		}
		want := r == 0x9 || r == 0xA || r == 0xD || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000
		require.Equal(t, want, sqs.Allowed(string(r)), "%U", r)
	}
	require.False(t, sqs.Allowed("a\xff"))
	require.True(t, sqs.Allowed(string(utf8.RuneError)), "a character as others, if it was written as one")
}

func TestInvalidConfigurationFailsInNew(t *testing.T) {
	client := sdk.NewFromConfig(sinktest.NewScript(nil).Config())
	refused := map[string]error{}
	_, refused["client"] = sqs.New(nil, queue, nil)
	_, refused["queue"] = sqs.New(client, queue+".fifo", nil)
	_, refused["Options.Events"] = sqs.New(client, queue, &sqs.Options{Events: -1})
	_, refused["Options.Bytes"] = sqs.New(client, queue, &sqs.Options{Bytes: -1})
	sinktest.Refused(t, refused)
	_, err := sqs.New(client, "", nil)
	require.ErrorIs(t, err, plaza.ErrInvalid)
}
