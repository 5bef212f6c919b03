package leaderboard

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/lease"
)

// Run folds until ctx ends, and returns the context's error. Any number of processes may
// run a folder: one leads, and the others wait to take over. It must not be called again
// before it has returned.
//
// A wrong table, a stream that is switched off and a missing permission end it with
// plaza.ErrTable. It reports other errors to FolderOptions.OnAttempt and goes on. If the
// leader is stopped, another leads within a third of FolderOptions.Lease; if it died,
// after Lease. Until the next leader has read the boards, ranks are those that were
// published last.
//
// Cost: every third of FolderOptions.Lease 1 request, 1 WCU to lead or 1 RCU to wait. The
// one that leads also reads the stream as stream.Reader.Next does; at its start 1 request
// for each 1 MB of definitions, 2 requests for each board, 4 requests for each period and
// 1 for each 1,000 entries, 0.5 RCU for 4 KB of the index; to publish a period 1 request,
// 1 WCU for each KB of its root, and the same for blocks that changed, 25 a request.
func (f *Folder) Run(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Folder.Run")
	owner, err := lease.NewOwner(f.opts.Rand)
	if err != nil {
		return fmt.Errorf("leaderboard: %w", err)
	}
	e := &lease.Election{
		Table: f.boards.table, Key: leaderKey, Owner: owner,
		Lease: f.opts.Lease, Lead: f.lead, OnError: func(err error) { f.opts.OnAttempt(FolderAttempt{Err: err}) },
	}
	return e.Run(ctx)
}
