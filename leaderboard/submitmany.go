package leaderboard

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Outcome is what became of one submission of many.
type Outcome struct {
	Result
	Err error
}

// SubmitMany submits each as Submit does, and answers in the same order. Those
// of one player are applied one after another, in the order given; others at
// the same time, up to Options.Parallel players at once.
func (r *Repository) SubmitMany(ctx context.Context, submissions []Submission) []Outcome {
	outcomes := make([]Outcome, len(submissions))
	lanes := map[string][]int{} // by player
	for i, s := range submissions {
		lanes[s.Player] = append(lanes[s.Player], i)
	}
	group := parallel.New()
	group.SetLimit(r.opts.Parallel)
	for _, lane := range lanes {
		group.Go(func() error {
			for _, i := range lane {
				outcomes[i].Err = parallel.Catch(func() (err error) {
					outcomes[i].Result, err = r.Submit(ctx, submissions[i])
					return err
				})
			}
			return nil
		})
	}
	_ = group.Wait()
	return outcomes
}
