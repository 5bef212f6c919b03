package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/plaza-sdk/plaza/cursor"
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
	a.handle(pattern, parameters, func(w http.ResponseWriter, r *http.Request) error {
		answer, err := do(r)
		if err == nil {
			web.Write(w, status, answer)
		}
		return err
	})
}

// pages registers a list, which its requests read page by page.
func pages[T any](a *api, pattern string, list func(*http.Request, cursor.PageRequest) (cursor.Page[T], error), parameters ...string) {
	a.handle(pattern, append(parameters, "limit", "cursor"), func(w http.ResponseWriter, r *http.Request) error {
		req, err := cursor.ParseQuery(r.URL.Query(), nil)
		if err != nil {
			return err
		}
		page, err := list(r, req)
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return cursor.WritePage(w, page)
	})
}

func (a *api) handle(pattern string, parameters []string, answer func(http.ResponseWriter, *http.Request) error) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), web.RequestTime)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := web.CheckQuery(r, parameters)
		if err == nil {
			err = answer(w, r)
		}
		if err != nil {
			a.refuse(w, r, err)
		}
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
