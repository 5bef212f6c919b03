package webhook

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"code.dny.dev/ssrf"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// transport connects to public addresses only. The dialer checks the address after the
// name was resolved, so a name cannot resolve to another one later. It uses no proxy,
// because a proxy resolves names itself.
func transport(opts Options) *http.Transport {
	var v4, v6 []netip.Prefix
	for _, prefix := range opts.Allow {
		if prefix.Addr().Is4() {
			v4 = append(v4, prefix)
		} else {
			v6 = append(v6, prefix)
		}
	}
	guardian := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: guardian.Safe}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        opts.TLS.Clone(),
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 16 << 10,
	}
}

// unreached leaves out the URL, which may contain secrets.
func unreached(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) {
		return digest.Permanent(&plaza.InvalidError{Field: "URL", Reason: "has an address that is not public"})
	}
	return err
}
