// Package guard is what stands before the example services: it says to which
// names they answer, to pages of which sites, how often and to what bodies. A
// service that this is copied into adds who the caller is.
package guard

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// RefusedError is a request that is not answered.
type RefusedError struct {
	Status int
	Field  string // of the request, as the client spells it; or ""
	Reason string
	After  time.Duration // when to try again, or 0
}

func (e *RefusedError) Error() string { return "refused: " + e.Field + " " + e.Reason }

// Guard refuses what other sites could make a browser ask for. It is safe for
// concurrent use.
type Guard struct {
	hosts   map[string]bool
	origins *http.CrossOriginProtection
}

// New answers to hosts, names without a port, beside localhost, loopback
// addresses and the address that a request arrived at.
func New(hosts ...string) *Guard {
	g := &Guard{hosts: map[string]bool{"localhost": true}, origins: http.NewCrossOriginProtection()}
	for _, host := range hosts {
		if name := hostname(host); name != "" {
			g.hosts[name] = true
		}
	}
	return g
}

// Check refuses a request under another name, as after DNS rebinding, with 421,
// and one that another site's page makes with 403. Links from there are fine.
func (g *Guard) Check(r *http.Request) error {
	if !g.serves(r) {
		return &RefusedError{Status: http.StatusMisdirectedRequest, Field: "host", Reason: "is not served here: -host adds names"}
	}
	if g.origins.Check(r) != nil || embedded(r) {
		return &RefusedError{Status: http.StatusForbidden, Field: "origin", Reason: "is another site"}
	}
	return nil
}

// serves goes by names: a page that rebinds its own to an address of ours
// still sends its own. Addresses cannot be rebound.
func (g *Guard) serves(r *http.Request) bool {
	name := hostname(r.Host)
	if g.hosts[name] {
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

// embedded reports whether another site's page reads from here, such as for a
// stream, and not just links. CrossOriginProtection has only what changes
// something.
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

// Protect sets the headers of every answer. A page replaces the policy by its
// own.
func Protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// Names are those to answer to: of the address that is listened at, and of a
// list with commas.
func Names(addr, list string) []string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	return append(List(list), host)
}

// List parts text at its commas.
func List(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
