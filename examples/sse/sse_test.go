package sse

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachEventArrivesWhenItIsSent(t *testing.T) {
	t.Parallel()
	next := make(chan Event)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s, err := Start(w)
		assert.NoError(t, err)
		for e := range next {
			assert.NoError(t, s.Send(e))
		}
	}))
	defer server.Close()
	first := Event{Name: "joined", Data: "{}"}
	go func() { next <- first }()
	res, err := server.Client().Get(server.URL)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	require.Equal(t, "no-store, no-transform", res.Header.Get("Cache-Control"))
	require.Equal(t, "no", res.Header.Get("X-Accel-Buffering"))

	lines := bufio.NewScanner(res.Body)
	got, err := Next(lines)
	require.NoError(t, err)
	require.Equal(t, first, got)
	second := Event{Name: "batch", ID: "7-0", Data: `["a: b"]`}
	next <- second
	got, err = Next(lines)
	require.NoError(t, err)
	require.Equal(t, second, got)
	close(next)
	_, err = Next(lines)
	require.ErrorIs(t, err, io.EOF)
}

func TestAPageThatTakesNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		page, conn := net.Pipe() // without buffers, and by the clock of the bubble
		ended := make(chan time.Duration, 1)
		server := &http.Server{WriteTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			s, err := Start(w)
			assert.NoError(t, err)
			time.Sleep(time.Minute) // the deadline of the server does not hold
			assert.NoError(t, s.Send(Event{Name: "joined", Data: "{}"}))
			began := time.Now()
			for err == nil {
				err = s.Send(Event{Name: "batch", Data: "[]"})
			}
			ended <- time.Since(began)
		})}
		accepted := make(chan net.Conn, 1)
		accepted <- conn
		go func() { _ = server.Serve(listener{accepted, conn}) }()
		_, err := io.WriteString(page, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		lines := bufio.NewScanner(page)
		var again int
		for lines.Scan() && lines.Text() != "data: {}" { // then the page reads no more
			_, _ = fmt.Sscanf(lines.Text(), "retry: %d", &again)
		}
		require.True(t, 1000 <= again && again < 2000, again)
		require.Equal(t, sending, <-ended)
		require.NoError(t, page.Close())
		close(accepted)
		require.NoError(t, server.Close())
	})
}

func TestPagesReconnectAtDifferentTimes(t *testing.T) {
	t.Parallel()
	times := map[time.Duration]bool{}
	for range 100 {
		s, _ := Start(httptest.NewRecorder()) // it has no deadlines
		times[s.retry] = true
	}
	require.Greater(t, len(times), 50)
}

// listener accepts one connection.
type listener struct {
	conns chan net.Conn
	first net.Conn
}

func (l listener) Accept() (net.Conn, error) {
	if conn, ok := <-l.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l listener) Close() error   { return nil }
func (l listener) Addr() net.Addr { return l.first.LocalAddr() }
