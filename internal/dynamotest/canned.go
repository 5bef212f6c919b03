package dynamotest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// answers is the transport of every client of this process. It passes requests on to the
// engine, unless a benchmark meters them or plays back recorded answers.
var answers canned

// canned plays back a tape instead of asking the engine, so that a benchmark measures
// only the CPU time of this process.
type canned struct {
	tape    atomic.Pointer[tape]
	metered atomic.Pointer[aws.HTTPClient]
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if t := c.tape.Load(); t != nil {
		return t.answer(r)
	}
	if client := c.metered.Load(); client != nil {
		return (*client).Do(r)
	}
	return transport().RoundTrip(r)
}

// cost returns what f costs.
func (c *canned) cost(f func()) Cost {
	m := NewMeter().Price()
	client := m.Wrap(&http.Client{Transport: transport()})
	c.metered.Store(&client)
	defer c.metered.Store(nil)
	f()
	return m.Take()
}

// during records the engine's answers to call, and then runs f with these answers.
func (c *canned) during(call func(), f func()) {
	t := &tape{played: map[string]int{}, answers: map[string][]answer{}}
	c.tape.Store(t)
	defer c.tape.Store(nil)
	call()
	t.recorded = true
	f()
}

type answer struct {
	response http.Response
	body     []byte
}

// tape holds the answers to one call, by operation and in order. Every later call gets
// the same answers, whatever it asks for.
type tape struct {
	recorded bool

	mu      sync.Mutex
	answers map[string][]answer
	played  map[string]int
}

func (t *tape) answer(r *http.Request) (*http.Response, error) {
	op := r.Header.Get("X-Amz-Target")
	if !t.recorded {
		res, err := transport().RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		res.Body.Close()
		t.mu.Lock()
		t.answers[op] = append(t.answers[op], answer{*res, body})
		t.mu.Unlock()
		return play(answer{*res, body}, r), nil
	}
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	given := t.answers[op]
	t.played[op]++
	return play(given[(t.played[op]-1)%len(given)], r), nil
}

func play(a answer, r *http.Request) *http.Response {
	res := a.response
	res.Body = io.NopCloser(bytes.NewReader(a.body))
	res.Request = r
	return &res
}
