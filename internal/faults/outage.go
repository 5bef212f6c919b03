package faults

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// Outage keeps requests from arriving, those of streams too. It begins with Lose.
type Outage struct {
	fail func(wire.Request) (*http.Response, error)

	mu   sync.Mutex
	rate float64
}

// Outages are those of a database that refuses connections, drops them, or answers
// garbage.
func Outages() map[string]*Outage {
	broken := func(cause error) *Outage {
		return &Outage{fail: func(req wire.Request) (*http.Response, error) {
			return nil, &url.Error{Op: "Post", URL: req.HTTP.URL.String(), Err: cause}
		}}
	}
	garbage := []string{"<html>It works!</html>", "{", "\x00\xff"}
	return map[string]*Outage{
		"refuses": broken(&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
		"drops":   broken(io.EOF), // as net/http reports it
		"garbage": {fail: func(req wire.Request) (*http.Response, error) {
			status := []int{http.StatusOK, http.StatusBadGateway}[rand.N(2)]
			return req.Answer(status, []byte(garbage[rand.N(len(garbage))])), nil
		}},
	}
}

// Lose sets the part of all requests that are lost: 1 for all, 0 to end the outage.
func (o *Outage) Lose(rate float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rate = rate
}

func (o *Outage) loses() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return rand.Float64() < o.rate
}

// Wrap puts the outage before next. It may wrap several clients.
func (o *Outage) Wrap(next aws.HTTPClient) aws.HTTPClient { return interrupted{o, next} }

type interrupted struct {
	*Outage
	next aws.HTTPClient
}

func (c interrupted) Do(r *http.Request) (*http.Response, error) {
	if !c.loses() {
		return c.next.Do(r)
	}
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	return c.fail(req)
}
