package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

// graph is the content of a file, with which Plaza's answers are compared. Unlike the
// import it holds all of it in memory.
type graph struct {
	edges  []follow.Edge // each once, as in the file
	people map[string]*follow.Counts
	pairs  map[follow.Edge]bool
}

// readGraph fails at the first broken line.
func readGraph(path string) (*graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	var lines io.Reader = text
	if magic, _ := text.Peek(2); string(magic) == "\x1f\x8b" {
		if lines, err = gzip.NewReader(text); err != nil {
			return nil, err
		}
	}
	g := &graph{people: map[string]*follow.Counts{}, pairs: map[follow.Edge]bool{}}
	scanner := bufio.NewScanner(lines)
	for n := 1; scanner.Scan(); n++ {
		names := strings.Fields(scanner.Text())
		if len(names) == 0 || strings.HasPrefix(names[0], "#") {
			continue
		}
		if len(names) != 2 || names[0] == names[1] {
			return nil, &plaza.InvalidError{Field: "graph", Reason: fmt.Sprintf("has no follower and followee in line %d", n)}
		}
		g.add(follow.Edge{Follower: names[0], Followee: names[1]})
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(g.edges) == 0 {
		return nil, &plaza.InvalidError{Field: "graph", Reason: "has no edges"}
	}
	return g, nil
}

func (g *graph) add(e follow.Edge) {
	if g.pairs[e] {
		return
	}
	g.pairs[e] = true
	g.edges = append(g.edges, e)
	g.person(e.Follower).Following++
	g.person(e.Followee).Followers++
}

func (g *graph) person(name string) *follow.Counts {
	if g.people[name] == nil {
		g.people[name] = &follow.Counts{}
	}
	return g.people[name]
}

// all is for Import, which may range over the edges again.
func (g *graph) all(yield func(follow.Edge, error) bool) {
	for _, e := range g.edges {
		if !yield(e, nil) {
			return
		}
	}
}

func (g *graph) names() []string { return slices.Sorted(maps.Keys(g.people)) }

// mostFollowed returns up to n people, and with at least as many followers.
func (g *graph) mostFollowed(n int, followers int64) []string {
	names := slices.DeleteFunc(g.names(), func(name string) bool { return g.people[name].Followers < followers })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(g.people[b].Followers, g.people[a].Followers) })
	return names[:min(n, len(names))]
}

// readers returns some followers of each of the most followed.
func (g *graph) readers() (some []string) {
	const stars, each = 5, 20
	for _, star := range g.mostFollowed(stars, 0) {
		var all []string
		for _, e := range g.edges {
			if e.Followee == star {
				all = append(all, e.Follower)
			}
		}
		slices.Sort(all)
		for i := range min(each, len(all)) {
			some = append(some, all[i*len(all)/min(each, len(all))])
		}
	}
	return some
}

// importGraph imports the follow graph in a file and checks the result. Then it compares
// pushed sources with pulled ones, or only publishes and reads if pullAbove is 0.
func importGraph(ctx context.Context, out io.Writer, path string, pullAbove int) (err error) {
	g, err := readGraph(path) // before anything is written
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	report(out, "Graph", "%s: %s people, %s edges", filepath.Base(path), ledger.Thousands(len(g.people)), ledger.Thousands(len(g.edges)))
	s, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.importEdges(ctx, out, g); err != nil {
		return err
	}
	if err := s.checkCounts(ctx, out, g); err != nil {
		return err
	}
	if pullAbove > 0 {
		return comparePulled(ctx, out, s, g, int64(pullAbove))
	}
	return s.publishAndRead(ctx, out, g)
}

const parallel = 8 // requests of the import, and publishers

func (s *service) importEdges(ctx context.Context, out io.Writer, g *graph) error {
	began, tenth := time.Now(), 0
	result, err := s.follows.Import(ctx, "graph", g.all, &follow.ImportOptions{
		Parallel: parallel,
		Progress: func(r follow.ImportResult) {
			if now := 10 * int(r.Edges) / len(g.edges); now > tenth {
				tenth = now
				report(out, "", "%s of %s edges", ledger.Thousands(r.Edges), ledger.Thousands(len(g.edges)))
			}
		},
	})
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	report(out, "Import", "%s people, %s edges in %.1f s: %s edges a second",
		ledger.Thousands(len(g.people)), ledger.Thousands(result.Created), took, ledger.Thousands(int(float64(result.Created)/took)))
	return nil
}

// checkCounts compares everybody's counts with the file.
func (s *service) checkCounts(ctx context.Context, out io.Writer, g *graph) error {
	for users := range slices.Chunk(g.names(), 100) {
		counts, err := s.follows.CountsMany(ctx, users)
		if err != nil {
			return err
		}
		for _, user := range users {
			if counts[user] != *g.people[user] {
				return fmt.Errorf("counts of %q are %+v, the file has %+v", user, counts[user], *g.people[user])
			}
		}
	}
	report(out, "Counts", "of %s people, all as in the file", ledger.Thousands(len(g.people)))
	return nil
}

// publishAndRead lets the most followed people publish, and reads the homes of some of
// their followers.
func (s *service) publishAndRead(ctx context.Context, out io.Writer, g *graph) error {
	const stars = 5
	began, reached := time.Now(), int64(0)
	posts, err := s.posts(ctx, g, stars)
	if err != nil {
		return err
	}
	if err := publishAll(ctx, s.feeds, posts); err != nil {
		return err
	}
	for _, a := range posts {
		reached += g.people[a.Actor.ID].Followers
	}
	report(out, "Publish", "by the %d most followed: %s homes reached in %.2f s", len(posts), ledger.Thousands(reached), time.Since(began).Seconds())
	readers := g.readers()
	for _, reader := range readers {
		if err := checkHome(ctx, s.feeds, g, reader, posts); err != nil {
			return err
		}
	}
	report(out, "Homes", "%d read, each with what it should have", len(readers))
	return nil
}

// posts has an activity of each of the most followed, with an id, so that it can be
// published twice.
func (s *service) posts(ctx context.Context, g *graph, n int) ([]feed.Activity, error) {
	var posts []feed.Activity
	for _, owner := range g.mostFollowed(n, 0) {
		id, err := s.ids.Next(ctx)
		if err != nil {
			return nil, err
		}
		posts = append(posts, feed.Activity{ID: id, Actor: feed.Ref{Kind: "user", ID: owner}, Verb: "post", Object: feed.Ref{Kind: "note", ID: "1"}})
	}
	return posts, nil
}

// checkHome fails unless the reader's home has exactly what the people whom the reader
// follows published.
func checkHome(ctx context.Context, feeds *feed.Repository, g *graph, reader string, posts []feed.Activity) error {
	var want, got []ids.ID
	for _, a := range posts {
		if g.pairs[follow.Edge{Follower: reader, Followee: a.Actor.ID}] {
			want = append(want, a.ID)
		}
	}
	for a, err := range cursor.All(ctx, feeds.Home(reader).List) {
		if err != nil {
			return err
		}
		got = append(got, a.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("home of %q shows %v, not %v", reader, got, want)
	}
	return nil
}

func report(out io.Writer, what, format string, args ...any) {
	fmt.Fprintf(out, "%-9s %s\n", what, fmt.Sprintf(format, args...))
}
