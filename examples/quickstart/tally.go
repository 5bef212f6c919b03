package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza/examples/edgelist"
	"github.com/plaza-sdk/plaza/follow"
)

// tally is what the file says, to check Plaza's answers by. Unlike the import
// it holds the whole graph in memory.
type tally struct {
	lines  int // edges in the file, repeated ones too
	people map[string]*follow.Counts
	pairs  map[follow.Edge]struct{}
}

// tallyOf fails at the first broken line.
func tallyOf(edges edgelist.Edges) (*tally, error) {
	t := &tally{people: map[string]*follow.Counts{}, pairs: map[follow.Edge]struct{}{}}
	for e, err := range edges {
		if err != nil {
			return nil, err
		}
		t.lines++
		if _, again := t.pairs[e]; again {
			continue
		}
		t.pairs[e] = struct{}{}
		t.person(e.Follower).Following++
		t.person(e.Followee).Followers++
	}
	return t, nil
}

func (t *tally) person(name string) *follow.Counts {
	if t.people[name] == nil {
		t.people[name] = &follow.Counts{}
	}
	return t.people[name]
}

func (t *tally) edges() int { return len(t.pairs) }

func (t *tally) has(follower, followee string) bool {
	_, ok := t.pairs[follow.Edge{Follower: follower, Followee: followee}]
	return ok
}

func (t *tally) names() []string { return slices.Sorted(maps.Keys(t.people)) }

func (t *tally) mostFollowed(n int) []string {
	names := t.names()
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(t.people[b].Followers, t.people[a].Followers)
	})
	return names[:min(n, len(names))]
}

// someFollowers is up to n of them, spread over all.
func (t *tally) someFollowers(followee string, n int) []string {
	var all []string
	for pair := range t.pairs {
		if pair.Followee == followee {
			all = append(all, pair.Follower)
		}
	}
	slices.Sort(all)
	some := make([]string, min(n, len(all)))
	for i := range some {
		some[i] = all[i*len(all)/len(some)]
	}
	return some
}
