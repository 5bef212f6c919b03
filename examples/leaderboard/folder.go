package main

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/plaza-sdk/plaza/leaderboard"
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
