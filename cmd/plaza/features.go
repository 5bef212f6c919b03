package main

import (
	"slices"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/tables"
)

// kit opens the features as an operator does: reads are consistent. Gen is nil to lease a
// machine number. Without kinds of reactions, no call may need them.
func (s *site) kit(gen ids.Source, kinds ...string) (*kit.Kit, error) {
	opts := &kit.Options{Prefix: s.prefix, Names: s.names, OnCorrupt: s.corrupt}
	for _, t := range tables.Of(s.names) {
		if f := kit.Feature(t.Feature); slices.Contains(kit.Features(), f) {
			opts.Features = append(opts.Features, f)
		}
	}
	if len(opts.Features) == 0 {
		return nil, usagef("give a feature with --only that has data of users")
	}
	opts.Follow.Consistent, opts.Reaction.Consistent, opts.Leaderboard.Consistent = true, true, true
	opts.Reaction.Kinds = kinds
	return kit.New(s.db, gen, opts)
}
