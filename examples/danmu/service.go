package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/tables"
)

// service holds the parts of Plaza that an application uses, the video that it shows, and
// the ids of other videos, which an application would have in its own database.
type service struct {
	ids    *lease.Source
	danmu  *danmu.Repository
	hub    *live.Hub
	shown  video
	others []string
}

// video is the video that the page plays. Without Src the page plays a clock.
type video struct {
	ID       string
	Owner    string
	Duration time.Duration
	Src      string
}

func hills() video { return video{ID: "1", Owner: "1", Duration: time.Minute, Src: "/hills.webm"} }

// has reports whether the video exists.
func (s *service) has(id string) bool { return id == s.shown.ID || slices.Contains(s.others, id) }

func newService(ctx context.Context, db *dynamo.DB, t tables.Names, log *slog.Logger, shown video, others ...string) (*service, error) {
	ids, err := lease.NewSource(db, t.Machines, nil)
	if err != nil {
		return nil, err
	}
	s := &service{ids: ids, shown: shown, others: others}
	if err := s.open(ctx, db, t, log); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *service) open(ctx context.Context, db *dynamo.DB, t tables.Names, log *slog.Logger) (err error) {
	// Many viewers open an episode at once. One read serves them all for two seconds.
	s.danmu, err = danmu.New(db, t.Danmu, s.ids, &danmu.Options{
		Cache: 2 * time.Second,
		OnCorrupt: func(e *plaza.CorruptError) {
			log.Error("stored item is damaged", "table", e.Table, "pk", e.PK, "sk", e.SK, "reason", e.Reason)
		},
	})
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
	_, err = s.danmu.Configure(ctx, s.shown.ID, danmu.Settings{
		Owner: s.shown.Owner, Duration: s.shown.Duration,
		Shards: 4, // so that a sample of a quarter reads a quarter
	})
	return err
}

// close gives the machine number back to the next process, also after an interrupt.
func (s *service) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if s.hub != nil {
		s.hub.Close()
	}
	return s.ids.Close(ctx)
}
