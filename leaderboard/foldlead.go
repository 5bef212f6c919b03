package leaderboard

import "context"

// Run is a stub.
func (f *Folder) Run(ctx context.Context) error { return f.lead(ctx, 1) }
