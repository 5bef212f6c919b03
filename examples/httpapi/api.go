package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/web"
)

// api answers requests with Plaza's features. It lets everybody do everything: a real
// service checks that the caller is the user in the path or the body.
type api struct {
	*service
	log   *slog.Logger
	mux   *http.ServeMux
	guard *guard.Guard
}

const maxBody = 512 << 10 // bytes; an activity has up to 256 KiB, before JSON's escapes

// action handles a request. Its answer is sent as JSON.
type action func(*http.Request) (answer any, err error)

// newAPI returns an api that answers to hosts, localhost and the listener's address.
func newAPI(s *service, log *slog.Logger, hosts ...string) *api {
	a := &api{service: s, log: log, mux: http.NewServeMux(), guard: guard.New(hosts...)}
	a.routes()
	return a
}

// route registers an action. Requests with other query parameters are refused.
func (a *api) route(pattern string, status int, do action, parameters ...string) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), web.RequestTime)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := web.CheckQuery(r, parameters)
		var answer any
		if err == nil {
			answer, err = do(r)
		}
		if err == nil {
			web.Write(w, status, answer)
			return
		}
		a.refuse(w, r, err)
	})
}

func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := web.ProblemOf(err, wireName)
	var add *addError
	if errors.As(err, &add) {
		p.ID = add.id
	}
	p.Refuse(w, r, err, a.log)
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard.Protect(w.Header())
	if err := a.guard.Check(r); err != nil {
		a.refuse(w, r, err)
		return
	}
	if _, pattern := a.mux.Handler(r); pattern == "" {
		w = refusal{w}
	}
	a.mux.ServeHTTP(w, r)
}

// followed, removal and change report whether this call changed something. A repeat
// reports false.
type followed struct {
	Created bool `json:"created"`
}

type removal struct {
	Removed bool `json:"removed"`
}

type change struct {
	Changed bool `json:"changed"`
}
