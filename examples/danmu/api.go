package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
)

// Limits per second and for bursts, for an address and for a video. There are none for
// names, because anybody can make up names.
const (
	requestRate, requestBurst = 50, 300
	sendRate, sendBurst       = 10, 100
	videoRate, videoBurst     = 50, 500

	// Of likes and reports. A good joke is liked more often than anything is said.
	reactionRate, reactionBurst           = 10, 100
	videoReactionRate, videoReactionBurst = 200, 2_000

	streamsEach, streamsAll = 50, 10_000
)

// api answers requests to a service. It lets everybody do everything: a real service
// checks that the caller is the user of the request.
type api struct {
	*service
	log *slog.Logger
	mux *http.ServeMux

	guard    *guard.Guard
	requests *guard.Rate // by address
	sends    *guard.Rate // by address
	videos   *guard.Rate
	streams  *guard.Streams

	reactions      *guard.Rate // by address
	videoReactions *guard.Rate

	claiming sync.Mutex // held while a video gets its owner

	ending     chan struct{} // closed to end the streams
	endStreams func()
}

// action handles a request. Its answer is sent as JSON.
type action func(*http.Request) (answer any, err error)

// newAPI returns an api that answers to hosts, localhost and the listener's address.
func newAPI(s *service, log *slog.Logger, hosts ...string) *api {
	a := &api{
		service: s, log: log, mux: http.NewServeMux(),
		guard:    guard.New(hosts...),
		requests: guard.NewRate(requestRate, requestBurst, nil),
		sends:    guard.NewRate(sendRate, sendBurst, nil),
		videos:   guard.NewRate(videoRate, videoBurst, nil),
		streams:  guard.NewStreams(streamsEach, streamsAll),

		reactions:      guard.NewRate(reactionRate, reactionBurst, nil),
		videoReactions: guard.NewRate(videoReactionRate, videoReactionBurst, nil),

		ending: make(chan struct{}),
	}
	a.endStreams = sync.OnceFunc(func() { close(a.ending) })
	a.routes()
	return a
}

// route registers an action. Requests with other query parameters are refused.
func (a *api) route(pattern string, do action, parameters ...string) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTime)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := a.admit(r, parameters)
		var answer any
		if err == nil {
			answer, err = do(r)
		}
		if err != nil {
			a.refuse(w, r, err)
			return
		}
		write(w, http.StatusOK, answer)
	})
}

// admit refuses requests that come too often, have an unknown parameter or name an
// unknown video.
func (a *api) admit(r *http.Request, parameters []string) error {
	if err := a.requests.Take(guard.Client(r)); err != nil {
		return err
	}
	if err := checkQuery(r, parameters); err != nil {
		return err
	}
	if id := r.PathValue("id"); id != "" && !a.has(id) {
		return plaza.ErrNotFound
	}
	return nil
}

func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError {
		log := a.log
		var damaged *plaza.CorruptError
		if errors.As(err, &damaged) {
			log = log.With("table", damaged.Table, "pk", damaged.PK, "sk", damaged.SK)
		}
		log.Error("request failed", "route", r.Pattern, "status", p.status, "err", err)
	}
	p.write(w)
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard.Protect(w.Header())
	if err := a.guard.Check(r); err != nil {
		a.refuse(w, r, err)
		return
	}
	a.mux.ServeHTTP(w, r)
}
