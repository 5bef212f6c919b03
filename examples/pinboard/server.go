package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/danmu/videos"
)

const (
	maxBody     = 64 << 10         // bytes
	requestTime = 20 * time.Second // including its body
	stopTime    = 25 * time.Second // so that the current requests end
)

// serve answers requests and works in the background until ctx ends. Then it accepts no
// more requests, ends the streams, finishes the current requests, and stops the work, in
// this order.
func serve(ctx context.Context, l net.Listener, a *app, hosts []string) error {
	s := newAPI(a, hosts...)
	server := videos.NewServer(s, a.log)
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
