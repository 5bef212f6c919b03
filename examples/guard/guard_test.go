package guard

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func status(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return err.(*RefusedError).Status
}

func TestOnlyNamesOfThisServiceAreServed(t *testing.T) {
	t.Parallel()
	g := New(Names("danmu.local:5000", "video.example, Other.Example.")...)
	arrived := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 5000}))
	for host, want := range map[string]int{
		"localhost": 200, "localhost:5000": 200, "LOCALHOST.:5000": 200,
		"127.0.0.1:5000": 200, "127.9.9.9": 200, "[::1]:5000": 200, "[::1]": 200,
		"danmu.local:5000": 200, "video.example": 200, "other.example:80": 200,
		"192.0.2.7:5000": 200, "[::ffff:192.0.2.7]:5000": 200,

		"": 421, "evil.example": 421, "evil.example:5000": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421,
		"evil.localhost": 421, "localhost:5000:evil": 421, "192.0.2.8:5000": 421, "0.0.0.0:5000": 421, "[::]": 421,
		"video.example.evil.example": 421, "localhost@evil.example": 421, "2130706433": 421,
	} {
		r := httptest.NewRequestWithContext(arrived, http.MethodGet, "/", nil)
		r.Host = host
		require.Equal(t, want, status(g.Check(r)), host)
	}
}

func TestTheHostOfAGatewayIsServed(t *testing.T) {
	t.Parallel()
	g := New("video.example")
	for _, c := range []struct {
		gateway, host string
		want          int
	}{
		{"api.example", "api.example", 200}, {"API.example", "api.example:443", 200}, {"api.example", "video.example", 200},
		{"api.example", "evil.example", 421}, {"", "", 421},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = c.host
		require.Equal(t, c.want, status(g.Check(Served(r, c.gateway))), "%v", c)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	r.Host = "api.example"
	r.Header.Set("Origin", "https://evil.example")
	require.Equal(t, http.StatusForbidden, status(g.Check(Served(r, "api.example"))))
	r.Header.Set("Origin", "https://api.example")
	require.NoError(t, g.Check(Served(r, "api.example")))
}

func TestPagesOfOtherSitesAreRefusedAndLinksAreNot(t *testing.T) {
	t.Parallel()
	g := New()
	for name, c := range map[string]struct {
		method  string
		headers map[string]string
		want    int
	}{
		"no browser":                 {"POST", nil, 200},
		"the page itself":            {"POST", map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		"the address bar":            {"GET", map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}, 200},
		"a link":                     {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, 200},
		"a form":                     {"POST", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, 403},
		"a fetch":                    {"POST", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"}, 403},
		"another port":               {"POST", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "empty"}, 403},
		"a stream":                   {"GET", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "empty"}, 403},
		"a script":                   {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "script"}, 403},
		"a frame":                    {"GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, 403},
		"an old browser elsewhere":   {"DELETE", map[string]string{"Origin": "http://evil.example"}, 403},
		"an old browser, no origin":  {"POST", map[string]string{"Origin": "null"}, 403},
		"an old browser at the page": {"POST", map[string]string{"Origin": "http://localhost:5000"}, 200},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, "/", nil)
		r.Host = "localhost:5000"
		for header, value := range c.headers {
			r.Header.Set(header, value)
		}
		require.Equal(t, c.want, status(g.Check(r)), name)
	}
}
