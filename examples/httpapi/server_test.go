package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/plazatest"
)

// lines receives the output, line by line.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// Not parallel: it counts goroutines.
func TestAStopFinishesCurrentRequestsAndLeavesNothingRunning(t *testing.T) {
	plazatest.Start(t, nil) // DynamoDB Local keeps running
	t.Setenv(keyVariable, strings.Repeat("0f", keySize))
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(), // except for connections to the engine
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, ended := make(lines, 100), make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-addr", "127.0.0.1:0"}, printed) }()
	var url string
	for url == "" {
		select {
		case line := <-printed:
			if found := regexp.MustCompile(`url=(http://\S+)`).FindStringSubmatch(line); found != nil {
				url = found[1]
			}
		case err := <-ended:
			t.Fatal(err)
		}
	}

	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	defer client.CloseIdleConnections()
	// Once the server reads the body, the request is in progress.
	asked, body := make(chan struct{}), newBody()
	trace := &httptrace.ClientTrace{Got100Continue: func() { close(asked) }}
	r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost, url+"/users/chris/activities", body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")
	answered := make(chan *http.Response, 1)
	go func() {
		defer close(answered)
		if res, err := client.Do(r); err == nil {
			answered <- res
		}
	}()
	<-asked

	stop()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, 10*time.Second, 5*time.Millisecond, "it still accepts")
	require.Empty(t, ended)
	body.send(`{"verb":"add"}`)
	res := <-answered
	require.NotNil(t, res)
	require.Equal(t, http.StatusCreated, res.StatusCode)
	require.NoError(t, res.Body.Close())
	require.NoError(t, <-ended)
}

// slowBody is a request body that arrives when send is called.
type slowBody struct {
	*io.PipeReader
	w *io.PipeWriter
}

func newBody() slowBody {
	r, w := io.Pipe()
	return slowBody{r, w}
}

func (b slowBody) send(text string) {
	_, err := io.WriteString(b.w, text)
	_ = b.w.CloseWithError(err)
}

func TestTheMachineNumberIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owners := func() (owners []string) {
		var machines []struct {
			Owner string `dynamo:"owner"`
		}
		require.NoError(t, w.env.DB.Table(w.env.Tables.Machines).Scan().Filter("attribute_exists(gen)").All(t.Context(), &machines))
		for _, m := range machines {
			owners = append(owners, m.Owner)
		}
		return owners
	}
	require.Len(t, owners(), 1)
	require.NotEqual(t, []string{""}, owners())
	require.NoError(t, w.service.close())
	require.Equal(t, []string{""}, owners())
	_, err := w.service.ids.Next(t.Context())
	require.ErrorIs(t, err, lease.ErrLost)
}

func TestWrongArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1") // starting would fail
	out := make(lines, 100)
	require.ErrorContains(t, run(t.Context(), []string{"x"}, out), `"x"`)
	require.ErrorContains(t, run(t.Context(), []string{"-port", "1"}, out), "-port")
	require.NoError(t, run(t.Context(), []string{"-h"}, out))
	t.Setenv(keyVariable, "secret")
	require.ErrorIs(t, run(t.Context(), nil, out), plaza.ErrInvalid)
}
