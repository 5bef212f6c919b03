package main

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
)

// api answers over a service. It lets everybody do everything: who the caller
// is, and whether that is the user of the request, is for the service to check
// that this is copied into.
type api struct {
	*service
	log *slog.Logger
	mux *http.ServeMux

	claiming sync.Mutex // of a video by its owner

	ending     chan struct{} // closed once streams are to end
	endStreams func()
}

// action does what a request asks for. What it returns is answered as JSON.
type action func(*http.Request) (answer any, err error)

func newAPI(s *service, log *slog.Logger) *api {
	a := &api{service: s, log: log, mux: http.NewServeMux(), ending: make(chan struct{})}
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
		err := checkQuery(r, parameters)
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

func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError {
		a.log.Error("request failed", "route", r.Pattern, "status", p.status, "err", err)
	}
	p.write(w)
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }
