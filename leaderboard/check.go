package leaderboard

import (
	"context"
)

// Drift is how far the entries of a period and the index are from being whole.
// The zero Drift says that nothing is off.
type Drift struct {
	// Broken entries are damaged, contradict themselves or stand where nobody
	// reads them. Lists leave the damaged ones out, though they keep their
	// place in counts and ranks. Repair mends them.
	Broken int
	// Lagging are players whom the index does not show as their entries have
	// them. It follows by itself.
	Lagging int
}

// Check compares the entries of a period with themselves and with the index,
// and changes nothing. It is exact once writers are quiet. A period or a
// definition that is itself damaged is plaza.ErrCorrupt: Repair mends the one,
// Define the other.
//
// It reads the whole table, 1 RCU for each 4 KB, and the index as Count does,
// and holds the period in memory.
func (r *Repository) Check(ctx context.Context, in In) (Drift, error) {
	if err := in.check(); err != nil {
		return Drift{}, err
	}
	a, err := r.audit(ctx, in)
	return a.drift(), in.wrap("check", err)
}
