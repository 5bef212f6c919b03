package videos

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	maxHeader = 16 << 10 // bytes
	maxBody   = 64 << 10 // bytes

	headerTime  = 5 * time.Second
	readTime    = 10 * time.Second
	requestTime = 20 * time.Second // including its body
	writeTime   = requestTime + 5*time.Second
	idleTime    = time.Minute
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
