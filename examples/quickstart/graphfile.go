package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza/examples/edgelist"
	"github.com/plaza-sdk/plaza/follow"
)

// graphFile is the content of the file, with which Plaza's answers are compared.
// Unlike the import it holds the whole graph in memory.
type graphFile struct {
	lines  int // edges in the file, including repeated ones
	people map[string]*follow.Counts
	pairs  map[follow.Edge]struct{}
}

// readGraph fails at the first broken line.
func readGraph(edges edgelist.Edges) (*graphFile, error) {
	t := &graphFile{people: map[string]*follow.Counts{}, pairs: map[follow.Edge]struct{}{}}
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

func (t *graphFile) person(name string) *follow.Counts {
	if t.people[name] == nil {
		t.people[name] = &follow.Counts{}
	}
	return t.people[name]
}

func (t *graphFile) edges() int { return len(t.pairs) }

func (t *graphFile) has(follower, followee string) bool {
	_, ok := t.pairs[follow.Edge{Follower: follower, Followee: followee}]
	return ok
}

func (t *graphFile) names() []string { return slices.Sorted(maps.Keys(t.people)) }

func (t *graphFile) mostFollowed(n int) []string {
	names := t.byFollowers()
	return names[:min(n, len(names))]
}

// followedByMoreThan returns the people with more than n followers, the most followed first.
func (t *graphFile) followedByMoreThan(n int) []string {
	names := t.byFollowers()
	end := slices.IndexFunc(names, func(name string) bool { return t.people[name].Followers <= int64(n) })
	if end < 0 {
		return names
	}
	return names[:end]
}

func (t *graphFile) byFollowers() []string {
	names := t.names()
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(t.people[b].Followers, t.people[a].Followers)
	})
	return names
}

// someFollowers returns up to n followers, spread over all of them.
func (t *graphFile) someFollowers(followee string, n int) []string {
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
