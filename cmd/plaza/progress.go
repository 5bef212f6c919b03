package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progress shows on stderr how far a long task is: on a terminal one line that changes,
// otherwise a line every few seconds.
type progress struct {
	out      io.Writer
	terminal bool
	every    time.Duration
}

func newProgress(p *program) *progress {
	if p.terminal {
		return &progress{p.stderr, true, 200 * time.Millisecond}
	}
	return &progress{p.stderr, false, 5 * time.Second}
}

// shared is a writer for several goroutines.
type shared struct {
	mu  sync.Mutex
	out io.Writer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(b)
}

const eraseLine = "\r\x1b[K"

// watch shows status until stop is called, which shows it for the last time.
func (p *progress) watch(status func() string) (stop func()) {
	var wait sync.WaitGroup
	ended := make(chan struct{})
	wait.Go(func() {
		tick := time.NewTicker(p.every)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				p.show(status(), "")
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		wait.Wait()
		p.show(status(), "\n")
	})
}

func (p *progress) show(status, end string) {
	if p.terminal {
		fmt.Fprint(p.out, eraseLine, status, end)
		return
	}
	fmt.Fprintln(p.out, status)
}

// count is n of something, in groups of three digits.
func count(n int64, what string) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if n == 1 {
		return b.String() + " " + what
	}
	return b.String() + " " + what + "s"
}
