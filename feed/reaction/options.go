package reaction

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

const (
	// MaxShards is the most shards an object's lists can have.
	MaxShards = edge.MaxShards

	maxKinds = 16

	// maxKind is the longest name of a kind, as attributes have it: a switch
	// names all kinds of a group in one expression, which may have 4 KB.
	maxKind = 64
)

// Options of a Repository. Kinds is required.
type Options struct {
	// Kinds of reactions, 1 to 16 different names of at most 64 bytes. Kinds may
	// be added at any time. A kind that is taken out is no longer listed or
	// counted; to show its old reactions, keep it here and refuse new ones.
	Kinds []string

	// OneOf are groups of kinds. A user has at most one kind of a group on an object: a
	// new one replaces the old one. Each kind is in one group at most. If a user had
	// several of them before the group was made, they stay until another of the group
	// begins.
	OneOf [][]string

	// Shards returns the number of partitions over which an object's new reactions are
	// spread, in its lists and its counts, 1 to MaxShards. A partition takes about 500
	// reactions a second. The number may grow at any time. Defaults to 1.
	Shards func(object string) int

	// Consistent makes Reacted, Counts and CountsMany strongly consistent, for
	// twice the units. Lists and Get always are.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock by which IDs from the future are refused and ended
	// reactions expire. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) withDefaults() (Options, error) {
	full := args.Given(o)
	if err := checkKinds(full.Kinds); err != nil {
		return full, err
	}
	if err := checkGroups(full.OneOf, full.Kinds); err != nil {
		return full, err
	}
	if full.Shards == nil {
		full.Shards = func(string) int { return 1 }
	}
	full.Codec = cmp.Or(full.Codec, cursor.Plain())
	if full.Now == nil {
		full.Now = time.Now
	}
	return full, nil
}

func checkKinds(kinds []string) error {
	if len(kinds) == 0 {
		return &plaza.InvalidError{Field: "Options.Kinds", Reason: "is empty"}
	}
	if err := args.Count("Options.Kinds", len(kinds), "kinds", maxKinds); err != nil {
		return err
	}
	for i, kind := range kinds {
		field := fmt.Sprintf("Options.Kinds[%d]", i)
		err := cmp.Or(
			keys.CheckName(field, kind),
			args.Count(field, len(keys.Join(kind)), `bytes, with # and \ counted twice`, maxKind),
		)
		if err != nil {
			return err
		}
		if slices.Contains(kinds[:i], kind) {
			return &plaza.InvalidError{Field: field, Reason: "is there twice"}
		}
	}
	return nil
}

func checkGroups(groups [][]string, kinds []string) error {
	grouped := map[string]bool{}
	for i, group := range groups {
		for j, kind := range group {
			field := fmt.Sprintf("Options.OneOf[%d][%d]", i, j)
			switch {
			case !slices.Contains(kinds, kind):
				return &plaza.InvalidError{Field: field, Reason: "is not one of Options.Kinds"}
			case grouped[kind]:
				return &plaza.InvalidError{Field: field, Reason: "is in a group already"}
			}
			grouped[kind] = true
		}
	}
	return nil
}
