package videos

import (
	"log/slog"
	"net/http"
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
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime, // streams set their own
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
