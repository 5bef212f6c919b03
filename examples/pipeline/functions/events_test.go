package functions_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// fanOut gives the fan-out records of which none comes again.
func (w world) fanOut(t *testing.T, payload []byte) {
	t.Helper()
	got, err := w.fanout.invoke(t, payload)
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":[]}`, got)
}

// consume gives the consumer an event that it applies.
func (w world) consume(t *testing.T, payload []byte) {
	t.Helper()
	_, err := w.consumer.invoke(t, payload)
	require.NoError(t, err)
}

// refuses gives the consumer an event that it cannot apply. Lambda sends those to the dead
// letters.
func (w world) refuses(t *testing.T, payload []byte, what ...any) {
	t.Helper()
	_, err := w.consumer.invoke(t, payload)
	require.NotEmpty(t, failed(t, err).Message, what...)
}

// changed is the file of an event with a part of it replaced.
func changed(t *testing.T, name, old, part string) []byte {
	t.Helper()
	text := string(event(t, name))
	require.Contains(t, text, old)
	return []byte(strings.Replace(text, old, part, 1))
}

func scores(places []hackathon.Place) []int64 {
	var scores []int64
	for _, p := range places {
		scores = append(scores, p.Score.Int64())
	}
	return scores
}

func TestAStreamsEventReachesTheBoards(t *testing.T) {
	w := newWorld(t, nil)
	w.fanOut(t, event(t, "dynamodbStream.json"))
	require.Empty(t, w.fanout.Messages())

	bySource := map[string][]lambdatest.Event{}
	for _, e := range w.fanout.Events() {
		require.Equal(t, "fanoutBus", e.EventBusName)
		require.Equal(t, "INSERT", e.DetailType)
		bySource[e.Source] = append(bySource[e.Source], e)
	}
	require.Len(t, bySource[hackathon.UpdateSource], 4)
	require.Len(t, bySource[hackathon.OperationsSource], 4)

	for range 2 { // a bus gives what it has more than once, in any order
		slices.Reverse(bySource[hackathon.UpdateSource])
		for _, e := range bySource[hackathon.UpdateSource] {
			// The file is old, and what happened 30 days ago is refused.
			e.Detail = strings.Replace(e.Detail, `"at":"2026-01-02T03:04:05Z",`, "", 1)
			w.consume(t, overBus(t, e))
		}
	}
	require.Equal(t, []hackathon.Place{
		{Rank: 1, ID: "2", UserName: "userB", Score: leaderboard.Int(90)},
		{Rank: 2, ID: "3", UserName: "userC", Score: leaderboard.Int(70)},
		{Rank: 3, ID: "1", UserName: "userA", Score: leaderboard.Int(60)},
	}, w.board(t, "StarWar"))
	require.Equal(t, []hackathon.Place{{Rank: 1, ID: "4", UserName: "userD", Score: leaderboard.Int(100)}}, w.board(t, "WarCraft"))
}

func TestInsertUpdateAndDeleteReachTheBoardInAnyOrderAndTwice(t *testing.T) {
	w := newWorld(t, nil)
	insert, update, remove := "insertEvent.json", "updateEvent.json", "deleteEvent.json"
	for i, c := range []struct {
		events []string
		want   []int64
	}{
		{[]string{insert}, []int64{80}},
		{[]string{insert, update, insert, update}, []int64{95}},
		{[]string{update, insert}, []int64{95}},
		{[]string{insert, update, remove, update}, nil},
		{[]string{remove, update, insert}, nil},
		{[]string{update, remove, remove, insert}, nil},
	} {
		t.Run(fmt.Sprint(c.events), func(t *testing.T) {
			board := fmt.Sprint("StarWar", i)
			for _, name := range c.events {
				w.consume(t, bytes.ReplaceAll(event(t, name), []byte("StarWar"), []byte(board)))
			}
			require.Equal(t, c.want, scores(w.board(t, board)))
		})
	}
}

func TestTheBoardIsAskedForByURL(t *testing.T) {
	w := newWorld(t, nil)
	w.consume(t, event(t, "insertEvent.json"))
	got, err := w.leaderget.invoke(t, event(t, "apigw.json"))
	require.NoError(t, err)
	require.JSONEq(t, `{"statusCode":200,"headers":{"content-type":"application/json"},"multiValueHeaders":null,"cookies":null,
		"body":"[{\"rank\":1,\"id\":\"5\",\"userName\":\"userE\",\"projectScore\":\"80\"}]"}`, got)

	for _, c := range []struct {
		query  map[string]string
		status int
	}{
		{map[string]string{"hackathonName": "StarWar", "limit": "1"}, 200},
		{map[string]string{"hackathonName": "StarWar", "limit": "0"}, 400},
		{map[string]string{"hackathonName": "StarWar", "limit": "101"}, 400},
		{map[string]string{"hackathonName": "StarWar", "limit": "many"}, 400},
		{map[string]string{"hackathonName": strings.Repeat("x", 3000)}, 400},
		{map[string]string{"hackathonName": ""}, 400},
		{nil, 400},
		{map[string]string{"hackathonName": "Nobody"}, 404},
	} {
		status, body := w.get(t, c.query)
		require.Equal(t, c.status, status, "%v: %s", c.query, body)
	}
}

// bad are events that no function can read.
var bad = map[string]string{
	"no JSON":        `{"Records":[`,
	"nothing":        ``,
	"2 MiB":          `"` + strings.Repeat("x", 2<<20) + `"`,
	"10,000 deep":    `{"Records":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
	"a wrong type":   `{"Records":7,"detail":7,"queryStringParameters":7}`,
	"another event":  `[]`,
	"another record": `{"Records":{"1":{}},"detail":{"v":1},"queryStringParameters":[]}`,
}

func TestAnUnreadableEventIsAnErrorAndTheProcessLives(t *testing.T) {
	w := newWorld(t, nil)
	for name, payload := range bad {
		for _, f := range []function{w.fanout, w.consumer, w.leaderget} {
			_, err := f.invoke(t, []byte(payload))
			require.NotEmpty(t, failed(t, err).Message, name)
			require.True(t, f.Alive(), name)
		}
	}
	require.Empty(t, w.fanout.Events())

	w.fanOut(t, event(t, "dynamodbStream.json"))
	require.Len(t, w.fanout.Events(), 8)
	w.consume(t, event(t, "insertEvent.json"))
	require.Equal(t, []int64{80}, scores(w.board(t, "StarWar")))
}

// letters reads the messages of the fan-out's queue, as a redrive does.
func (w world) letters(t *testing.T) []stream.Dead {
	t.Helper()
	var letters []stream.Dead
	for _, message := range w.fanout.Messages() {
		var letter stream.Dead
		require.NoError(t, letter.UnmarshalJSON([]byte(message)))
		letters = append(letters, letter)
	}
	return letters
}

func TestARecordThatCannotBeReadIsADeadLetterAndTheOthersAreSent(t *testing.T) {
	w := newWorld(t, nil)
	for name, broken := range map[string]string{
		"an attribute of no type":  `{}`,
		"an attribute of two":      `{"N":"60","S":"60"}`,
		"a number that is none":    `{"N":"many"}`,
		"an attribute 33 deep":     strings.Repeat(`{"L":[`, 33) + `{"N":"1"}` + strings.Repeat(`]}`, 33),
		"an attribute of no value": `null`,
	} {
		events, messages := len(w.fanout.Events()), len(w.fanout.Messages())
		w.fanOut(t, changed(t, "dynamodbStream.json", `{"N": "60"}`, broken))
		require.Len(t, w.fanout.Events(), events+6, name)
		require.Len(t, w.fanout.Messages(), messages+1, name)
	}
	for _, letter := range w.letters(t) {
		require.Equal(t, "100000000012345678901", letter.Seq)
		require.NotEmpty(t, letter.Record)
	}
}

func TestARecordOfTwoMiBIsNotLost(t *testing.T) {
	w := newWorld(t, nil)
	w.fanOut(t, changed(t, "dynamodbStream.json", `"userA"`, `"`+strings.Repeat("x", 2<<20)+`"`))
	require.Len(t, w.fanout.Events(), 8)
	require.Empty(t, w.fanout.Messages())
	refused := 0
	for _, e := range w.fanout.Events() {
		record, err := stream.DecodeEvent([]byte(e.Detail))
		require.NoError(t, err)
		if record.Truncated && e.Source == hackathon.UpdateSource {
			w.refuses(t, overBus(t, e))
			refused++
		}
	}
	require.Equal(t, 1, refused)
}

func TestAnEventThatTheBusRefusesIsADeadLetter(t *testing.T) {
	w := newWorld(t, func(action string) bool { return action == "events:PutEvents" })
	w.fanOut(t, event(t, "dynamodbStream.json"))
	require.Empty(t, w.fanout.Events())
	seqs := map[string]bool{}
	for _, letter := range w.letters(t) {
		record, err := stream.DecodeEvent(letter.Record)
		require.NoError(t, err)
		seqs[record.Seq] = true
	}
	require.Len(t, seqs, 4)
}

func TestARecordThatIsNeitherSentNorADeadLetterComesAgain(t *testing.T) {
	w := newWorld(t, func(string) bool { return true })
	got, err := w.fanout.invoke(t, event(t, "dynamodbStream.json"))
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"100000000012345678901"}]}`, got)
	require.Empty(t, w.fanout.Messages())
}

func TestARecordThatNoBoardTakesIsAnError(t *testing.T) {
	w := newWorld(t, nil)
	for _, broken := range []string{`{"S": "many"}`, `{"N": "1.5"}`} {
		w.refuses(t, changed(t, "insertEvent.json", `{"N": "80"}`, broken))
	}
	w.consume(t, event(t, "insertEvent.json"))
	require.Equal(t, []int64{80}, scores(w.board(t, "StarWar")))
}

func TestARecordOfAnotherSourceTableOrAccountIsAnError(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range [][2]string{
		{hackathon.UpdateSource, hackathon.OperationsSource},
		{`"account": "123456789012"`, `"account": "210987654321"`},
		{":table/main/", ":table/other/"},
		{"us-east-1:123456789012:table", "us-east-1:210987654321:table"},
		{"us-east-1:123456789012:table", "eu-west-1:123456789012:table"},
	} {
		w.refuses(t, changed(t, "insertEvent.json", c[0], c[1]), c)
	}
	status, _ := w.get(t, map[string]string{"hackathonName": "StarWar"})
	require.Equal(t, 404, status)
	w.consume(t, changed(t, "insertEvent.json", "03:04:05.678", "11:12:13.141")) // the stream was switched off and on
}

// What Lambda sends to the queue when the consumer gave up is read as the record
// that the bus brought.
func TestAnEventThatTheConsumerGaveUpOnCanBeDrivenAgain(t *testing.T) {
	document := fmt.Sprintf(`{"version":"1.0","timestamp":"2026-01-02T03:04:05.678Z",
		"requestContext":{"requestId":"r","functionArn":"arn:aws:lambda:us-east-1:123456789012:function:consumer","condition":"RetriesExhausted","approximateInvokeCount":3},
		"requestPayload":%s,"responseContext":{"statusCode":200,"executedVersion":"$LATEST","functionError":"Unhandled"},
		"responsePayload":{"errorMessage":"broken","errorType":"error"}}`, event(t, "updateEvent.json"))
	letters, err := stream.ParseFailure([]byte(document), stream.Limits{})
	require.NoError(t, err)
	require.Len(t, letters, 1)
	require.Equal(t, "RetriesExhausted", letters[0].Reason)
	record, err := stream.DecodeEvent(letters[0].Record)
	require.NoError(t, err)
	projection, err := hackathon.Projection(t.Context(), record.New)
	require.NoError(t, err)
	require.Equal(t, leaderboard.Int(95), projection.Score)
}

func TestAFunctionWithoutItsSettingsDoesNotStart(t *testing.T) {
	for _, name := range functionNames {
		f, err := lambdatest.Start(filepath.Join(programs, name, bootstrap), []string{"AWS_REGION=us-east-1"}, t.Output())
		require.NoError(t, err)
		_, err = f.Invoke(t.Context(), []byte(`{}`))
		require.Error(t, err, name)
		var failure *lambdatest.FunctionError
		require.NotErrorAs(t, err, &failure, name)
		require.False(t, f.Alive(), name)
		require.NoError(t, f.Close())
	}
}
