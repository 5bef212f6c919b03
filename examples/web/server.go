package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// RequestTime is how long a request may take, including its body.
const RequestTime = 20 * time.Second

const (
	headerTime = 5 * time.Second
	readTime   = 10 * time.Second
	writeTime  = RequestTime + 5*time.Second
	idleTime   = time.Minute
	maxHeader  = 96 << 10 // bytes; a query may have a hundred names
)

// NewServer returns a server that bounds every wait for a client.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	var unused spares
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime, // streams set their own
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState:         unused.watch,
	}
	s.RegisterOnShutdown(unused.close)
	return s
}

// Serve answers requests and does the work in the background until ctx ends. Then it
// accepts no more requests, finishes the current ones, and stops the work, in this order.
func Serve(ctx context.Context, l net.Listener, server *http.Server, work func(context.Context) error) error {
	group, ending := errgroup.WithContext(ctx) // ends also if one of these fails
	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error {
		if err := work(working); working.Err() == nil {
			return err
		}
		return nil
	})
	group.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ending.Done()
		defer stopWorking()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	})
	return group.Wait()
}

// spares are the connections that have brought no request yet: a browser opens some before
// it needs them. Shutdown would wait five seconds for them.
type spares struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// watch is an http.Server's ConnState.
func (s *spares) watch(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[net.Conn]bool{}
	}
	if delete(s.open, c); state == http.StateNew {
		s.open[c] = true
	}
}

func (s *spares) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Close()
	}
}
