package sse

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

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
	require.Equal(t, "no-store", res.Header.Get("Cache-Control"))

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
