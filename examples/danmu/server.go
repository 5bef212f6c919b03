package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/danmu/videos"
)

// serve answers until ctx ends. Then it accepts no more requests, ends the streams
// and finishes the current requests.
func serve(ctx context.Context, l net.Listener, s *videos.Service, log *slog.Logger) error {
	server := videos.NewServer(s, log)
	server.RegisterOnShutdown(s.EndStreams)
	group, ending := errgroup.WithContext(ctx) // ends also if serving fails
	group.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ending.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.WriteTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	})
	return group.Wait()
}
