package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	maxHeader = 96 << 10  // bytes; a query has up to 100 names of 768
	maxBody   = 512 << 10 // bytes; an activity has up to 256 KiB, before JSON's escapes

	headerTime  = 5 * time.Second
	readTime    = 10 * time.Second
	requestTime = 20 * time.Second // including its body
	writeTime   = requestTime + 5*time.Second
	idleTime    = time.Minute
	stopTime    = writeTime
)

// newServer bounds every wait for a client.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// serve answers requests and delivers activities until ctx ends. Then it accepts no more
// requests, finishes the current requests, and stops delivering, in this
// order.
func serve(ctx context.Context, l net.Listener, s *service, log *slog.Logger, hosts []string) error {
	a := newAPI(s, log, hosts...)
	server := newServer(a, log)
	group, ending := errgroup.WithContext(ctx) // ends also if one of these fails
	delivering, stopDelivering := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error {
		if err := s.feeds.Run(delivering); delivering.Err() == nil {
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
		defer stopDelivering()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	})
	return group.Wait()
}
