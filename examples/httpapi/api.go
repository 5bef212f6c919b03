package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
)

// api answers over Plaza's features. It lets everybody do everything: who the
// caller is, and whether that is the user in the path or the body, is for the
// service to check that this is copied into.
type api struct {
	*service
	log   *slog.Logger
	mux   *http.ServeMux
	guard *guard.Guard
}

// action does what a request asks for. What it returns is answered as JSON.
type action func(*http.Request) (answer any, err error)

// newAPI answers to hosts, beside localhost and the address that is listened
// at.
func newAPI(s *service, log *slog.Logger, hosts ...string) *api {
	a := &api{service: s, log: log, mux: http.NewServeMux(), guard: guard.New(hosts...)}
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
		a.refuse(w, r, err)
	})
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
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if _, pattern := a.mux.Handler(r); pattern == "" {
		w = refusal{w}
	}
	a.mux.ServeHTTP(w, r)
}
