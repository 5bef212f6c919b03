package stream

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Policy says how often to try something and how long to wait in between. The
// zero value works.
type Policy struct {
	// Attempts is how often a record or an event is tried. Defaults to 3.
	Attempts int

	// Wait bounds the pause before the second attempt. The bound doubles with each
	// attempt up to MaxWait, and a pause is a random part of it. They default to
	// 100 ms and 5 s.
	Wait, MaxWait time.Duration

	// Sleep waits, and returns the context's error if that ends first. Defaults
	// to a timer.
	Sleep func(context.Context, time.Duration) error
}

func (p Policy) check(field string) error {
	return cmp.Or(
		args.AtLeast(field+".Attempts", p.Attempts, 0),
		args.AtLeast(field+".Wait", p.Wait, 0),
		args.AtLeast(field+".MaxWait", p.MaxWait, 0),
	)
}

func (p Policy) attempts() int { return cmp.Or(max(p.Attempts, 0), 3) }

// pause waits after the given round of attempts, counted from 1.
func (p Policy) pause(ctx context.Context, round int) error {
	most := cmp.Or(max(p.MaxWait, 0), 5*time.Second)
	bound := min(cmp.Or(max(p.Wait, 0), 100*time.Millisecond), most)
	for range round - 1 {
		if bound = min(2*bound, most); bound == most {
			break
		}
	}
	sleep := p.Sleep
	if sleep == nil {
		sleep = parallel.Sleep
	}
	return sleep(ctx, rand.N(bound+1))
}
