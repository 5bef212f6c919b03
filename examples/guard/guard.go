// Package guard protects the example services: it limits the host names that they
// answer to, the sites whose pages may call them, the rate of calls and the form
// of bodies. Copy it, and add who the caller is.
package guard

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// RefusedError is the refusal of a request.
type RefusedError struct {
	Status int
	Field  string // of the request, as the client spells it, or ""
	Reason string
	After  time.Duration // when to try again, or 0
}

func (e *RefusedError) Error() string { return "refused: " + e.Field + " " + e.Reason }

// Guard refuses requests that other sites could make a browser send. It is safe
// for concurrent use.
type Guard struct {
	hosts   map[string]bool
	origins *http.CrossOriginProtection
}

// New accepts requests for hosts, which are names without a port, for localhost,
// for loopback addresses and for the address that a request arrived at.
func New(hosts ...string) *Guard {
	g := &Guard{hosts: map[string]bool{"localhost": true}, origins: http.NewCrossOriginProtection()}
	for _, host := range hosts {
		if name := hostname(host); name != "" {
			g.hosts[name] = true
		}
	}
	return g
}

// Check refuses a request for another host, as after DNS rebinding, with 421. It
// refuses a request by a page of another site with 403, but not a link from there.
func (g *Guard) Check(r *http.Request) error {
	if !g.serves(r) {
		return &RefusedError{Status: http.StatusMisdirectedRequest, Field: "host", Reason: "is not served here: -host adds names"}
	}
	if g.origins.Check(r) != nil || embedded(r) {
		return &RefusedError{Status: http.StatusForbidden, Field: "origin", Reason: "is another site"}
	}
	return nil
}

// serves compares host names: a page that rebinds its own name to an address of
// ours still sends its own name. Addresses cannot be rebound.
func (g *Guard) serves(r *http.Request) bool {
	name := hostname(r.Host)
	if served, _ := r.Context().Value(servedKey{}).(string); g.hosts[name] || name != "" && name == served {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if addr.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	arrived, err := netip.ParseAddrPort(local.String())
	return err == nil && arrived.Addr().Unmap() == addr.Unmap()
}

type servedKey struct{}

// Served returns a request that came by a gateway, which answers to host and no other name
// of ours: every Guard serves that host too.
func Served(r *http.Request, host string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), servedKey{}, hostname(host)))
}

// embedded reports whether another site's page reads from here, such as a stream,
// and does not just link. CrossOriginProtection checks only unsafe methods.
func embedded(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Header.Get("Sec-Fetch-Dest") != "document"
}

func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Protect sets the headers of every answer. A page replaces the policy with its
// own.
func Protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// Names returns the host names to answer to: those of a list with commas, and the
// one of the address that the service listens at.
func Names(addr, list string) []string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	return append(List(list), host)
}

// List splits text at commas and spaces.
func List(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
