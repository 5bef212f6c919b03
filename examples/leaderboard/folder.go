package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/stream"
)

// What runs beside the steps: the folder, and looking whether it has followed.
const (
	folding  = "leaderboard.Folder.Run"
	watching = "watching"
)

// folder is a Folder that runs.
type folder struct {
	*leaderboard.Folder
	cancel context.CancelFunc
	done   chan error
}

// start starts a folder of the table, whose stream it switches on.
func (f *folder) start(ctx context.Context, l *league) error {
	arn, err := l.env.Stream(ctx, l.env.Tables.Leaderboard)
	if err != nil {
		return err
	}
	// On AWS the defaults do. Here the index does not lag, and nobody pays for polls.
	reader, err := stream.NewReader(dynamodbstreams.NewFromConfig(l.env.Config), arn,
		&stream.ReaderOptions{Idle: 100 * time.Millisecond, List: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	f.Folder, err = leaderboard.NewFolder(l.boards, reader, &leaderboard.FolderOptions{Settle: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	ctx, f.cancel = context.WithCancel(ctx)
	f.done = make(chan error, 1)
	go func() { f.done <- f.Run(ctx) }()
	return nil
}

// stop ends a folder that was started.
func (f *folder) stop() error {
	if f.cancel == nil {
		return nil
	}
	f.cancel()
	if err := <-f.done; !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// fold lets the board fold its ranks.
func (c *contest) fold(ctx context.Context) error {
	c.ledger.Apart(folding)
	c.ledger.Apart(watching)
	c.ledger.Title("A folder keeps the order of all players in memory")
	err := c.ledger.Do("define weekly with folded ranks", defineCost, func() error { return c.rankBy(ctx, leaderboard.RankByFold) })
	if err != nil {
		return err
	}
	if err := c.folder.start(ctx, c.league); err != nil {
		return err
	}
	return c.follow(ctx, "the folder loads the week", time.Now())
}

// follow waits until the folder has published all changes up to a time, and shows its
// progress and its own cost.
func (c *contest) follow(ctx context.Context, what string, at time.Time) error {
	watch := plaza.WithOperation(ctx, watching)
	return c.ledger.Do(what, meter.Cost{}, func() error {
		began := time.Now()
		var shown leaderboard.FolderStatus
		for {
			select {
			case <-time.After(250 * time.Millisecond):
			case err := <-c.folder.done:
				c.folder.cancel = nil
				return cmp.Or(err, errors.New("the folder ended"))
			}
			if is := c.folder.Status(); is.Entries-shown.Entries > len(c.best)/5 || is.Loading != shown.Loading {
				c.ledger.Show("%5.1f s  %9s entries, loading %d", time.Since(began).Seconds(), ledger.Thousands(is.Entries), is.Loading)
				shown = is
			}
			c.passed.Add(int64(2 * time.Second)) // so that nothing is cached
			rank, err := c.boards.Rank(watch, c.final, c.best[0].id)
			if err != nil {
				return err
			}
			if rank.Folded && !rank.AsOf.Before(at) {
				break
			}
		}
		c.ledger.Show("%5.1f s  published; the folder took %v", time.Since(began).Seconds(), c.ledger.Taken(folding))
		return nil
	})
}
