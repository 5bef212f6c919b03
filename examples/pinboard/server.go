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
	maxHeader = 16 << 10 // bytes
	maxBody   = 64 << 10 // bytes

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
		WriteTimeout:      writeTime, // streams set their own
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// serve answers requests and works in the background until ctx ends. Then it accepts no
// more requests, ends the streams, finishes the current requests, and stops the work, in
// this order.
func serve(ctx context.Context, l net.Listener, a *app, hosts []string) error {
	s := newAPI(a, hosts...)
	server := newServer(s, a.log)
	server.RegisterOnShutdown(s.endStreams)
	server.RegisterOnShutdown(a.clips.EndStreams)
	group, ending := errgroup.WithContext(ctx) // ends also if one of these fails
	working, stopWorking := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error { return a.run(working) })
	group.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ending.Done()
		defer stopWorking()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	})
	return group.Wait()
}
