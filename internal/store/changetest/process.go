package changetest

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// noon is the time at which every check begins.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// minted makes all ids different.
var minted atomic.Int64

// Process has what makes a repository a process of its own: a clock, a source of ids, and
// a client whose requests may have faults.
type Process struct {
	in    *faults.Injector
	held  *faults.Late
	holds atomic.Bool
	ahead atomic.Int64 // ns
	low   atomic.Int64 // the lower bits of the next id, if not 0
	part  string
}

func newProcess(t testing.TB, part string) *Process {
	p := &Process{in: faults.New(t, 1, faults.Rates{}), part: part}
	p.held = &faults.Late{Holds: func(op string, body []byte) bool { return p.holds.Load() && p.changes(op, body) }}
	return p
}

// Now is the time of the process.
func (p *Process) Now() time.Time { return noon.Add(time.Duration(p.ahead.Load())) }

// Next makes ids with that time.
func (p *Process) Next(context.Context) (ids.ID, error) {
	low := p.low.Swap(0)
	if low == 0 {
		low = minted.Add(1)
	}
	return ids.At(p.Now()) + ids.ID(low), nil
}

// Wrap gives a client the faults of the process.
func (p *Process) Wrap(next aws.HTTPClient) aws.HTTPClient { return p.in.Wrap(p.held.Wrap(next)) }

// changes reports whether a request is a write of the part.
func (p *Process) changes(op string, body []byte) bool {
	switch {
	case strings.HasPrefix(op, "Get"), strings.HasPrefix(op, "BatchGet"), op == "Query", op == "Scan":
		return false
	}
	return bytes.Contains(body, []byte(`"`+p.part+`"`)) || p.part == ""
}

// each calls f before each write of the part, with its number from 1.
func (p *Process) each(f func(n int) faults.Kind) {
	n := 0
	p.in.Script(func(op string, body []byte, _ int) faults.Fault {
		if !p.changes(op, body) {
			return faults.Fault{}
		}
		n++
		return faults.Fault{Kind: f(n)}
	})
}

// first gives the first write of the part a fault and calls then before the second.
func (p *Process) first(kind faults.Kind, then func()) {
	p.each(func(n int) faults.Kind {
		switch n {
		case 1:
			return kind
		case 2:
			then()
		}
		return faults.None
	})
}

// calm ends the faults.
func (p *Process) calm() {
	p.in.Script(nil)
	p.holds.Store(false)
}

// before calls f before the k-th request from now on, and returns the number of requests
// since then.
func (p *Process) before(k int, f func()) (sent func() int) {
	begun := p.in.Requests()
	p.in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n == begun+k {
			f()
		}
		return faults.Fault{}
	})
	return func() int { return p.in.Requests() - begun }
}
