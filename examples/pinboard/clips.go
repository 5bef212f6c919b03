package main

import (
	"context"
	"net/http"

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
	a.clips, err = videos.New(ctx, db, a.db.tables, &videos.Options{Videos: clips(), Hosts: hosts, Known: known, IDs: a.ids, Log: a.log})
	return err
}

// watching is where a clip plays: the page of examples/danmu, with everything it has.
const watching = "/watch"

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
