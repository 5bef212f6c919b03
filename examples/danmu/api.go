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

// What a client's address may ask for a second, and at once; and what a video
// takes from all of them together. Names cost nothing to make up.
const (
	requestRate, requestBurst = 50, 300
	sendRate, sendBurst       = 10, 100
	videoRate, videoBurst     = 50, 500

	streamsEach, streamsAll = 50, 10_000
)

// api answers over a service. It lets everybody do everything: who the caller
// is, and whether that is the user of the request, is for the service to check
// that this is copied into.
type api struct {
	*service
	log *slog.Logger
	mux *http.ServeMux

	guard    *guard.Guard
	requests *guard.Rate // by address
	sends    *guard.Rate // by address
	videos   *guard.Rate
	streams  *guard.Streams

	claiming sync.Mutex // of a video by its owner

	ending     chan struct{} // closed once streams are to end
	endStreams func()
}

// action does what a request asks for. What it returns is answered as JSON.
type action func(*http.Request) (answer any, err error)

// newAPI answers to hosts, beside localhost and the address that is listened
// at.
func newAPI(s *service, log *slog.Logger, hosts ...string) *api {
	a := &api{
		service: s, log: log, mux: http.NewServeMux(),
		guard:    guard.New(hosts...),
		requests: guard.NewRate(requestRate, requestBurst, nil),
		sends:    guard.NewRate(sendRate, sendBurst, nil),
		videos:   guard.NewRate(videoRate, videoBurst, nil),
		streams:  guard.NewStreams(streamsEach, streamsAll),
		ending:   make(chan struct{}),
	}
	a.endStreams = sync.OnceFunc(func() { close(a.ending) })
	a.routes()
	return a
}

// route answers requests that have no other parameters in their query.
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

// admit refuses what is too often, and what nobody has: a video in the path
// that there is not is neither read nor watched.
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
