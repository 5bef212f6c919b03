package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/danmu/videos"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/tables"
)

// clips are the videos with danmu, each of a person.
func clips() []videos.Video {
	hills, lighthouse := videos.Hills(), videos.Lighthouse()
	hills.ID, hills.Owner = "hills", "lin"
	lighthouse.ID, lighthouse.Owner = "lighthouse", "chris"
	return []videos.Video{hills, lighthouse}
}

// newClips returns the page of the clips and the requests behind it. Known reports
// whether there is such a person. End its streams when the server stops, and close it
// after that.
//
// A link to a clip is /clips/?video=hills&user=ann&back=/ once it is mounted.
func newClips(ctx context.Context, db *dynamo.DB, t tables.Names, source ids.Source, known func(person string) bool, log *slog.Logger, hosts ...string) (*videos.Service, error) {
	return videos.New(ctx, db, t, &videos.Options{Videos: clips(), Hosts: hosts, Known: known, IDs: source, Log: log})
}

// mountClips serves the clips below /clips/. A pattern without a method would conflict
// with "GET /".
func mountClips(mux *http.ServeMux, s *videos.Service) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		mux.Handle(method+" /clips/", http.StripPrefix("/clips", s))
	}
}

// seedClips writes what persons said at the clips, unless it is there.
func seedClips(ctx context.Context, s *videos.Service, persons []string, until time.Time) error {
	for _, clip := range clips() {
		if _, err := s.Import(ctx, clip.ID, videos.Crowd(clip, &videos.CrowdOptions{Viewers: persons, Until: until})); err != nil {
			return fmt.Errorf("seeding clip %s: %w", clip.ID, err)
		}
	}
	return nil
}
