package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/danmu/videos"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/examples/pinboard/seed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
)

// seed writes weeks of activity, unless they are there, and reports on out how far it is.
func (a *app) seed(ctx context.Context, out io.Writer) error {
	ctx = free(ctx)
	began := time.Now()
	db, t := dynamo.New(a.db.config), a.db.tables
	err := seed.Run(ctx, seed.Repositories{
		Follows: a.Follows, Feeds: a.Feeds, Comments: a.Comments, Reactions: a.Reactions, Report: a.fileSeeded,
		Boards: func(now func() time.Time) (*leaderboard.Repository, error) {
			return leaderboard.New(db, t.Leaderboard, a.ids, &leaderboard.Options{Now: now})
		},
		Messages: func(gen ids.Source, now func() time.Time) (*message.Repository, error) {
			return message.New(db, t.Message, gen, &message.Options{Now: now})
		},
		Bells: func(gen ids.Source, now func() time.Time) (*notify.Repository, error) {
			return notify.New(db, t.Notify, gen, &notify.Options{Now: now})
		},
	}, began, func(what string) { fmt.Fprintln(out, "making up a community:", what) })
	if err != nil {
		return err
	}
	anchor, err := seed.Began(ctx, a.Feeds)
	if err != nil {
		return err
	}
	a.seeded = ids.At(anchor)
	if err := a.importClips(ctx, began); err != nil {
		return err
	}
	fmt.Fprintf(out, "made up in %.0f s\n", time.Since(began).Seconds())
	return nil
}

// importClips writes danmu of the weeks before a time.
func (a *app) importClips(ctx context.Context, until time.Time) error {
	var viewers []string
	for _, p := range people.All() {
		viewers = append(viewers, p.ID)
	}
	for _, clip := range clips() {
		if _, err := a.clips.Import(ctx, clip.ID, videos.Crowd(clip, &videos.CrowdOptions{Viewers: viewers, Until: until})); err != nil {
			return fmt.Errorf("danmu of clip %s: %w", clip.ID, err)
		}
	}
	return nil
}
