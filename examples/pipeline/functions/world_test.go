// Package functions_test feeds events to the functions' programs, and reads the
// template that deploys them.
package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// programs is the folder of the functions' programs, as sam build writes it:
// SAM_BUILD, or one that is built here.
var functionNames = []string{"FanoutLambda", "ConsumerLambda", "LeaderGet"}

var programs, bootstrap = os.Getenv("SAM_BUILD"), "bootstrap"

func TestMain(m *testing.M) {
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (code int, err error) {
	if programs == "" {
		if programs, err = os.MkdirTemp("", "functions"); err != nil {
			return 1, err
		}
		defer os.RemoveAll(programs)
		if runtime.GOOS == "windows" {
			bootstrap += ".exe"
		}
		// By one command, without what debuggers read, and for this machine: go test has compiled
		// nearly all of it, which sam build's CGO_ENABLED=0 would compile again.
		built := filepath.Join(programs, "built")
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", built+string(filepath.Separator), "./fanout", "./consumer", "./leaderget")
		if out, err := cmd.CombinedOutput(); err != nil {
			return 1, fmt.Errorf("%w: %s", err, out)
		}
		for _, name := range functionNames {
			program := strings.ToLower(strings.TrimSuffix(name, "Lambda")) + filepath.Ext(bootstrap)
			folder := filepath.Join(programs, name)
			if err := errors.Join(os.Mkdir(folder, 0o700), os.Rename(filepath.Join(built, program), filepath.Join(folder, bootstrap))); err != nil {
				return 1, err
			}
		}
	}
	// Now, so that the engine, which keeps running, does not count as a leak.
	env, err := plazatest.Open(context.Background(), &plazatest.Options{Tables: tables.Names{Machines: "first"}})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	now := goleak.IgnoreCurrent()
	if code = m.Run(); code == 0 {
		err = goleak.Find(now, // nor are connections to it
			goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	}
	return code, err
}

// mainStream is the stream of the events.
const mainStream = "arn:aws:dynamodb:us-east-1:123456789012:table/main/stream/2026-01-02T03:04:05.678"

// world is the functions, each with services of its own over one DynamoDB.
type world struct {
	fanout, consumer, leaderget function
	tables                      map[string]string // the template's names of the tables
}

type function struct {
	*lambdatest.Function
	*lambdatest.Services
}

// newWorld starts the functions. refuse is the fan-out's, or nil.
func newWorld(t *testing.T, refuse func(action string) bool) world {
	t.Helper()
	db := plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Leaderboard: "boards", Machines: "machines"}})
	start := func(name string, refuse func(string) bool, env ...string) function {
		services, err := lambdatest.Serve(t.Context(), db.Config, refuse)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, services.Close()) })
		if name == "FanoutLambda" {
			env = append(env, "DEAD_LETTER_QUEUE_URL="+services.QueueURL())
		}
		f, err := lambdatest.Start(filepath.Join(programs, name, bootstrap), append(services.Env(), env...), t.Output())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, f.Close()) })
		return function{f, services}
	}
	return world{
		fanout:    start("FanoutLambda", refuse, "EVENT_BUS_NAME=fanoutBus", "EVENT_BRIDGE_MAX_ATTEMPT=2"),
		consumer:  start("ConsumerLambda", nil, "LEADERBOARD_TABLE="+db.Tables.Leaderboard, "MACHINES_TABLE="+db.Tables.Machines, "STREAM_ARN="+mainStream),
		leaderget: start("LeaderGet", nil, "LEADERBOARD_TABLE="+db.Tables.Leaderboard),
		tables:    map[string]string{db.Tables.Leaderboard: "Leaderboard", db.Tables.Machines: "Machines"},
	}
}

// invoke gives a function an event and time enough.
func (f function) invoke(t *testing.T, payload []byte) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	body, err := f.Invoke(ctx, payload)
	return string(body), err
}

// failed is the answer that the function failed.
func failed(t *testing.T, err error) *lambdatest.FunctionError {
	t.Helper()
	var failure *lambdatest.FunctionError
	require.ErrorAs(t, err, &failure)
	return failure
}

func event(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../events/" + name)
	require.NoError(t, err)
	return text
}

// overBus is how a bus gives an event to the consumer.
func overBus(t *testing.T, e lambdatest.Event) []byte {
	t.Helper()
	made, err := json.Marshal(map[string]any{
		"version": "0", "id": "event", "account": "123456789012", "source": e.Source, "detail-type": e.DetailType, "time": "2026-01-02T03:04:05Z",
		"resources": []string{}, "detail": json.RawMessage(e.Detail),
	})
	require.NoError(t, err)
	return made
}

// board asks the function for a hackathon's board.
func (w world) board(t *testing.T, name string) []hackathon.Place {
	t.Helper()
	status, body := w.get(t, map[string]string{"hackathonName": name})
	require.Equal(t, 200, status, body)
	var places []hackathon.Place
	require.NoError(t, json.Unmarshal([]byte(body), &places))
	return places
}

func (w world) get(t *testing.T, query map[string]string) (status int, body string) {
	t.Helper()
	var request map[string]any
	require.NoError(t, json.Unmarshal(event(t, "apigw.json"), &request))
	request["queryStringParameters"] = query
	payload, err := json.Marshal(request)
	require.NoError(t, err)
	text, err := w.leaderget.invoke(t, payload)
	require.NoError(t, err)
	var answer struct {
		StatusCode int
		Body       string
	}
	require.NoError(t, json.Unmarshal([]byte(text), &answer))
	return answer.StatusCode, answer.Body
}
