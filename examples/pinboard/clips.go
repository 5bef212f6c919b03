package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/danmu/videos"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
)

// clips are the videos with danmu, each of a person.
func clips() []videos.Video {
	hills, lighthouse := videos.Hills(), videos.Lighthouse()
	hills.ID, hills.Owner = "hills", "lin"
	lighthouse.ID, lighthouse.Owner = "lighthouse", "chris"
	return []videos.Video{hills, lighthouse}
}

func (a *app) openClips(ctx context.Context, db *dynamo.DB, hosts []string) (err error) {
	a.clips, err = videos.New(ctx, db, a.db.tables, &videos.Options{
		Videos: clips(), Hosts: hosts, Known: known, IDs: a.ids, Log: a.log,
		Script: "/clip.js", Wrap: a.watched,
	})
	return err
}

const watching = "/watch" // the page of examples/danmu

// watched counts the requests of a clip's page as clicks, and loses answers on request.
// Other players name nobody, and their requests do not count.
func (a *app) watched(route string, h http.HandlerFunc) http.HandlerFunc {
	method, path, _ := strings.Cut(route, " ")
	route = method + " " + watching + path
	a.watchedRoutes = append(a.watchedRoutes, route)
	return func(w http.ResponseWriter, r *http.Request) {
		me, err := who(r)
		if err != nil {
			h(w, r)
			return
		}
		r, mine := a.costs.begin(r)
		mine.Route = route
		lose := asksToLose(r)
		if lose {
			h(unread{http.Header{}}, r)
		} else {
			h(w, r)
		}
		a.costs.end(me.ID, mine, lose)
		if lose {
			a.cutOff(w)
		}
	}
}

// unread takes an answer that nobody gets.
type unread struct{ header http.Header }

func (u unread) Header() http.Header          { return u.header }
func (unread) Write(text []byte) (int, error) { return len(text), nil }
func (unread) WriteHeader(int)                {}

func (s *api) clipRoutes() {
	s.route("GET /api/clips", s.listClips)
	// A pattern without a method would conflict with "GET /".
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		s.mux.Handle(method+" "+watching+"/", http.StripPrefix(watching, s.clips))
	}
}

// clip is a video in a list.
type clip struct {
	ID      string  `json:"id"`
	Owner   string  `json:"owner"`
	Title   string  `json:"title"`
	Seconds float64 `json:"seconds"`
	Src     string  `json:"src"`
}

func (s *api) listClips(*http.Request, people.Person) (any, error) {
	all := []clip{}
	for _, v := range clips() {
		all = append(all, clip{v.ID, v.Owner, v.Title, v.Duration.Seconds(), watching + "/" + v.Src})
	}
	return cursor.Page[clip]{Items: all}, nil
}
