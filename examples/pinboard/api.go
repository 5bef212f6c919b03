package main

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/examples/web"
)

//go:embed static
var static embed.FS

const (
	requestRate, requestBurst = 50, 500 // of an address, a second and at once

	streamsEach, streamsAll = 20, 1_000

	maxBody = 64 << 10 // bytes

	// loseHeader on a write asks to lose its answer: the write is applied, and the page
	// gets no answer.
	loseHeader = "Pinboard-Lose"
)

// api answers the page's requests.
type api struct {
	*app
	mux      *http.ServeMux
	patterns []string // of the routes that people ask for
	guard    *guard.Guard
	requests *guard.Rate
	streams  *guard.Streams

	askAgain   time.Duration // that a page waits where it cannot have a stream
	ending     chan struct{} // closed to end the streams
	endStreams func()
}

// action handles a request of a person. Its answer is sent as JSON.
type action func(r *http.Request, me people.Person) (answer any, err error)

// newAPI returns an api that answers to hosts, localhost and the listener's address.
func newAPI(a *app, hosts ...string) *api {
	s := &api{
		app: a, mux: http.NewServeMux(),
		guard:    guard.New(hosts...),
		requests: guard.NewRate(requestRate, requestBurst, nil),
		streams:  guard.NewStreams(streamsEach, streamsAll),
		askAgain: 30 * time.Second,
		ending:   make(chan struct{}),
	}
	s.endStreams = sync.OnceFunc(func() { close(s.ending) })
	s.routes()
	return s
}

// routes lists the requests, with the parameters that a query may have.
func (s *api) routes() {
	s.mux.HandleFunc("GET /api/people", s.people)
	s.mux.HandleFunc("GET /api/costs", s.spent)
	s.homeRoutes()
	s.pinRoutes()
	s.makeRoutes()
	s.commentRoutes()
	s.boardRoutes()
	s.profileRoutes()
	s.tagRoutes()
	s.followRoutes()
	s.weeklyRoutes()
	s.moderationRoutes()
	s.liveRoutes()
	s.bellRoutes()
	s.messageRoutes()
	s.settingRoutes()
	s.clipRoutes()
	s.mux.HandleFunc("GET /pictures/{file}", picture)
	s.mux.HandleFunc("GET /avatars/{file}", avatar)
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // static is embedded
	}
	s.mux.Handle("GET /", page(files))
}

// route registers an action. Requests with other query parameters are refused.
func (s *api) route(pattern string, do action, parameters ...string) {
	s.patterns = append(s.patterns, pattern)
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), web.RequestTime)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		me, err := s.admit(r, parameters)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		r, mine := s.costs.begin(r)
		answer, err := do(r, me)
		lose := asksToLose(r)
		s.costs.end(me.ID, mine, lose)
		switch {
		case lose:
			s.cutOff(w)
		case err != nil:
			s.refuse(w, r, err)
		default:
			web.Write(w, http.StatusOK, answer)
		}
	})
}

func asksToLose(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Header.Get(loseHeader) != ""
}

// cutOff begins an answer and breaks the connection. An answer that never began would
// make some browsers repeat the request on their own. On Lambda there is no connection to
// break: the page cannot read an answer without a body either.
func (a *app) cutOff(w http.ResponseWriter) {
	if a.onLambda {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Length", "1000")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// admit refuses requests that come too often, that nobody signs, or that have unknown
// parameters.
func (s *api) admit(r *http.Request, parameters []string) (people.Person, error) {
	if err := s.requests.Take(guard.Client(r)); err != nil {
		return people.Person{}, err
	}
	if err := web.CheckQuery(r, parameters); err != nil {
		return people.Person{}, err
	}
	return who(r)
}

func (s *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	web.ProblemOf(err, func(field string) string { return field }).Refuse(w, r, err, s.log)
}

func (s *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if err := s.guard.Check(r); err != nil {
		s.refuse(w, r, err)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// people lists everybody.
func (s *api) people(w http.ResponseWriter, _ *http.Request) {
	web.Write(w, http.StatusOK, people.All())
}

// spent answers with the costs of a person's latest clicks. It costs nothing itself.
func (s *api) spent(w http.ResponseWriter, r *http.Request) {
	me, err := s.admit(r, []string{"after"})
	var after int64
	if text := r.URL.Query().Get("after"); err == nil && text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			err = &plaza.InvalidError{Field: "after", Reason: "is not a number"}
		}
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	web.Write(w, http.StatusOK, s.costs.spentBy(me.ID, after))
}

// pageOf reads which page of a list a request wants.
func pageOf(r *http.Request, limit int) cursor.PageRequest {
	return cursor.PageRequest{Cursor: cursor.Cursor(r.URL.Query().Get("cursor")), Limit: limit}
}
