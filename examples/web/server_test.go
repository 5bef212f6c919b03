package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// The server has no limit of its own, so that the test does not end if nobody closes them.
func TestConnectionsWithoutARequestAreClosed(t *testing.T) {
	t.Parallel()
	var unused spares
	changed := make(chan http.ConnState, 8)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		unused.watch(c, s)
		changed <- s
	}
	server.Start()
	t.Cleanup(server.CloseClientConnections) // what is not closed ends with the test
	dial := func() net.Conn {
		t.Helper()
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		require.Equal(t, http.StateNew, <-changed)
		return c
	}
	used := dial()
	ask := func() {
		t.Helper()
		_, err := fmt.Fprint(used, "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		require.Equal(t, http.StateActive, <-changed)
		require.Equal(t, http.StateIdle, <-changed)
	}
	ask()
	spare := dial()
	unused.close()
	require.Equal(t, http.StateClosed, <-changed)
	_, err := spare.Read(make([]byte, 1))
	require.Error(t, err)
	ask() // a connection in use stays
}
