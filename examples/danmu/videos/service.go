// Package videos shows videos with danmu: a page that plays them, and the requests behind
// it. Its requests are in routes.go. Copy the folder for a page with a video; to add danmu
// to a page that you have, copy its script stage.js and the requests.
//
// A Service is an http.Handler. The page's addresses are relative, so that it can be
// served below a path:
//
//	mux.Handle("/clips/", http.StripPrefix("/clips", service))
//
// The page reads a query:
//
//	video=ID    plays this video instead of the first one
//	user=NAME   makes this the viewer's name, which they cannot change then
//	back=/PATH  links back to a page of the same origin
package videos

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/plazalog"
	"github.com/plaza-sdk/plaza/tables"
)

// Limits per second and for bursts, for an address and for a video. There are none for
// names, because anybody can make up names.
const (
	requestRate, requestBurst = 50, 300
	sendRate, sendBurst       = 10, 100
	videoRate, videoBurst     = 50, 500

	// Of likes and reports. A good joke gets more likes than anybody sends danmu.
	reactionRate, reactionBurst           = 10, 100
	videoReactionRate, videoReactionBurst = 200, 2_000

	streamsEach, streamsAll = 50, 10_000
)

// Service answers the requests of the page and of other players. It lets everybody do
// everything: a real service checks that the caller is the user of the request.
type Service struct {
	opts  Options
	ids   *lease.Source // its own, or nil
	danmu *danmu.Repository
	hub   *live.Hub

	mux        *http.ServeMux
	guard      *guard.Guard
	requests   *guard.Rate // by address
	sends      *guard.Rate // by address
	videoSends *guard.Rate
	streams    *guard.Streams

	reactions      *guard.Rate // by address
	videoReactions *guard.Rate

	ending     chan struct{} // closed to end the streams
	endStreams func()
}

// New returns a Service on the table Danmu of t, which it marks as danmu's, and on the
// table Machines if it makes the ids. It writes the settings of the videos. Close it.
func New(ctx context.Context, db *dynamo.DB, t tables.Names, opts *Options) (*Service, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newService(o)
	if err := s.open(ctx, db, t); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newService returns a Service without a database.
func newService(o Options) *Service {
	s := &Service{
		opts: o, mux: http.NewServeMux(),
		guard:      guard.New(o.Hosts...),
		requests:   guard.NewRate(requestRate, requestBurst, nil),
		sends:      guard.NewRate(sendRate, sendBurst, nil),
		videoSends: guard.NewRate(videoRate, videoBurst, nil),
		streams:    guard.NewStreams(streamsEach, streamsAll),

		reactions:      guard.NewRate(reactionRate, reactionBurst, nil),
		videoReactions: guard.NewRate(videoReactionRate, videoReactionBurst, nil),

		ending: make(chan struct{}),
	}
	s.endStreams = sync.OnceFunc(func() { close(s.ending) })
	s.routes()
	return s
}

func (s *Service) open(ctx context.Context, db *dynamo.DB, t tables.Names) (err error) {
	source := s.opts.IDs
	if source == nil {
		if s.ids, err = lease.NewSource(db, t.Machines, nil); err != nil {
			return err
		}
		source = s.ids
	}
	// Many viewers open an episode at once. One read serves them all for two seconds.
	s.danmu, err = danmu.New(db, t.Danmu, source, &danmu.Options{Cache: 2 * time.Second, OnCorrupt: plazalog.New(s.opts.Log).Corrupt})
	if err != nil {
		return err
	}
	// The table was created just now. If another tool creates it, call Verify.
	if err := s.danmu.Init(ctx); err != nil {
		return err
	}
	// Several processes would need a live/redisstream backplane. Each would count its own
	// viewers.
	if s.hub, err = live.New(s.danmu, &live.Options{Encode: s.encode, PresentEvery: presentEvery}); err != nil {
		return err
	}
	for _, v := range s.opts.Videos {
		_, err := s.danmu.Configure(ctx, v.ID, danmu.Settings{
			Owner: v.Owner, Duration: v.Duration,
			Shards: 4, // so that a sample of a quarter reads a quarter
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Import writes those danmu to a video that are not stored yet.
func (s *Service) Import(ctx context.Context, video string, comments []danmu.Comment) (danmu.ImportResult, error) {
	return s.danmu.Import(ctx, video, func(yield func(danmu.Comment, error) bool) {
		for _, c := range comments {
			if !yield(c, nil) {
				return
			}
		}
	}, nil)
}

// EndStreams ends the streams of all viewers, so that a server can stop.
func (s *Service) EndStreams() { s.endStreams() }

// Close ends the streams, and gives the machine number of its own ids back to the next
// process.
func (s *Service) Close() error {
	s.EndStreams()
	if s.hub != nil {
		s.hub.Close()
	}
	if s.ids == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second) // also after an interrupt
	defer cancel()
	return s.ids.Close(ctx)
}

// find returns the video that can be played, if there is one.
func (s *Service) find(id string) (Video, bool) {
	i := slices.IndexFunc(s.opts.Videos, func(v Video) bool { return v.ID == id })
	if i < 0 {
		return Video{}, false
	}
	return s.opts.Videos[i], true
}

// has reports whether the video accepts danmu.
func (s *Service) has(id string) bool {
	_, found := s.find(id)
	return found || slices.Contains(s.opts.Others, id)
}

// knows refuses a user that is not known.
func (s *Service) knows(user string) error {
	if user == "" || s.opts.Known == nil || s.opts.Known(user) { // none is refused where one is needed
		return nil
	}
	return &guard.RefusedError{Status: http.StatusForbidden, Field: "userId", Reason: "is not known here"}
}
