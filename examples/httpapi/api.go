package main

import (
	"context"
	"log/slog"
	"net/http"
)

// api answers over Plaza's features. It lets everybody do everything: who the
// caller is, and whether that is the user in the path or the body, is for the
// service to check that this is copied into.
type api struct {
	*service
	log *slog.Logger
	mux *http.ServeMux
}

// action does what a request asks for. What it returns is answered as JSON.
type action func(*http.Request) (answer any, err error)

func newAPI(s *service, log *slog.Logger) *api {
	a := &api{service: s, log: log, mux: http.NewServeMux()}
	a.routes()
	return a
}

// route answers requests that have no other parameters in their query.
func (a *api) route(pattern string, status int, do action, parameters ...string) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		err := checkQuery(r, parameters)
		var answer any
		if err == nil {
			answer, err = do(r)
		}
		if err == nil {
			write(w, status, answer)
			return
		}
		p := problemOf(err)
		if p.status >= 500 {
			a.log.Error("request failed", "route", r.Pattern, "status", p.status, "err", err)
		}
		p.write(w)
	})
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if _, pattern := a.mux.Handler(r); pattern == "" {
		w = refusal{w}
	}
	a.mux.ServeHTTP(w, r)
}
