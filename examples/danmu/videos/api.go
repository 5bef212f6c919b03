package videos

import (
	"cmp"
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/web"
)

// action handles a request. Its answer is sent as JSON.
type action func(*http.Request) (answer any, err error)

// route registers an action. Requests with other query parameters are refused.
func (s *Service) route(pattern string, do action, parameters ...string) {
	h := func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), web.RequestTime)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := s.admit(r, parameters)
		var answer any
		if err == nil {
			answer, err = do(r)
		}
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		web.Write(w, http.StatusOK, answer)
	}
	if s.opts.Wrap != nil {
		h = s.opts.Wrap(pattern, h)
	}
	s.mux.HandleFunc(pattern, h)
}

const maxBody = 64 << 10 // bytes

// admit refuses requests that come too often, have an unknown parameter or name an
// unknown video or user.
func (s *Service) admit(r *http.Request, parameters []string) error {
	if err := s.requests.Take(guard.Client(r)); err != nil {
		return err
	}
	if err := web.CheckQuery(r, parameters); err != nil {
		return err
	}
	if id := r.PathValue("id"); id != "" && !s.has(id) {
		return plaza.ErrNotFound
	}
	return s.knows(cmp.Or(r.PathValue("user"), r.URL.Query().Get("user")))
}

func (s *Service) refuse(w http.ResponseWriter, r *http.Request, err error) {
	web.ProblemOf(err, wireName).Refuse(w, r, err, s.opts.Log)
}

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard.Protect(w.Header())
	if err := s.guard.Check(r); err != nil {
		s.refuse(w, r, err)
		return
	}
	s.mux.ServeHTTP(w, r)
}
