package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/edgelist"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

const (
	stars   = 5  // how many of the most followed people publish
	readers = 20 // how many followers of each of them read
)

// importGraph imports the follow graph in path and checks the result. If pullAbove is
// not 0, it compares pushed sources with pulled ones.
func importGraph(ctx context.Context, out io.Writer, path string, pullAbove int) (err error) {
	edges := edgelist.File(path)
	graph, err := readGraph(edges) // reads the whole file before anything is written
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if graph.edges() == 0 {
		return &plaza.InvalidError{Field: "graph", Reason: "has no edges"}
	}
	report(out, "Graph", "%s: %s people, %s edges", filepath.Base(path), ledger.Thousands(len(graph.people)), ledger.Thousands(graph.edges()))

	s, err := startLocal(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	report(out, "Engine", "%s", *s.env.Config.BaseEndpoint)
	if err := importEdges(ctx, out, s, graph, edges); err != nil {
		return err
	}
	if err := checkCounts(ctx, out, s.service, graph); err != nil {
		return err
	}
	if pullAbove > 0 {
		return comparePulled(ctx, out, s, graph, pullAbove)
	}
	return publishAndRead(ctx, out, s.service, graph)
}

// importEdges imports the edges. After each window it writes as many items of the
// same size bare, so that both find the engine in the same state.
func importEdges(ctx context.Context, out io.Writer, s *local, graph *graphFile, edges edgelist.Edges) error {
	table, err := s.env.CreateTable(ctx, follow.Table("bare"))
	if err != nil {
		return err
	}
	bare := newBareWriter(s.db.Client(), table, edges)
	defer bare.close()
	bar := newProgress(out, graph.lines)

	var bareErr error
	began := time.Now()
	result, err := s.follows.Import(ctx, "graph", edges, &follow.ImportOptions{
		Parallel: parallel,
		Progress: func(r follow.ImportResult) {
			bar.show(int(r.Edges), time.Since(began)-bare.spent)
			if bareErr == nil {
				bareErr = bare.writeTo(ctx, int(r.Edges))
			}
		},
	})
	took := time.Since(began) - bare.spent
	bar.end()
	if err != nil {
		return err
	}
	if bareErr != nil {
		return bareErr
	}
	report(out, "Import", "%s people, %s edges in %.1f s: %s edges a second",
		ledger.Thousands(len(graph.people)), ledger.Thousands(int(result.Created)), took.Seconds(), ledger.Thousands(perSecond(int(result.Created), took)))
	report(out, "Bare", "%s items of that size by BatchWriteItem alone in %.1f s: the import ran at %.0f%% of that speed",
		ledger.Thousands(bare.items), bare.spent.Seconds(), 100*bare.spent.Seconds()/took.Seconds())
	return nil
}

// checkCounts compares everybody's counts with the file.
func checkCounts(ctx context.Context, out io.Writer, s *service, graph *graphFile) error {
	const atOnce = 100
	names := graph.names()
	for start := 0; start < len(names); start += atOnce {
		users := names[start:min(start+atOnce, len(names))]
		counts, err := s.follows.CountsMany(ctx, users)
		if err != nil {
			return err
		}
		for _, user := range users {
			if counts[user] != *graph.people[user] {
				return fmt.Errorf("counts of %q are %+v, the file has %+v", user, counts[user], *graph.people[user])
			}
		}
	}
	report(out, "Counts", "of %s people, all as in the file", ledger.Thousands(len(names)))
	return nil
}

// publishAndRead lets the most followed people publish, and reads the homes of
// some of their followers.
func publishAndRead(ctx context.Context, out io.Writer, s *service, graph *graphFile) error {
	began := time.Now()
	published := map[ids.ID]string{}
	reached := 0
	owners := graph.mostFollowed(stars)
	for _, star := range owners {
		a, _, err := s.feeds.Outbox(star).Publish(ctx, feed.Activity{
			Actor: feed.Ref{Kind: "user", ID: star}, Verb: "post", Object: feed.Ref{Kind: "note", ID: "1"},
		})
		if err != nil {
			return err
		}
		published[a.ID] = star
		reached += int(graph.people[star].Followers)
	}
	if err := deliver(ctx, s.feeds); err != nil {
		return err
	}
	report(out, "Publish", "by the %d most followed: %s homes reached in %.2f s", len(published), ledger.Thousands(reached), time.Since(began).Seconds())

	read := 0
	for _, star := range owners {
		for _, reader := range graph.someFollowers(star, readers) {
			if err := checkHome(ctx, s.feeds, graph, reader, published); err != nil {
				return err
			}
			read++
		}
	}
	report(out, "Homes", "%d read, each with what it should have", read)
	return nil
}

// deliver finishes what waits in the queue. A service leaves this to Run.
func deliver(ctx context.Context, feeds *feed.Repository) error {
	for more := 1; more > 0; {
		var err error
		if more, err = feeds.Deliver(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkHome fails unless the reader's home has exactly what the people they
// follow published.
func checkHome(ctx context.Context, feeds *feed.Repository, graph *graphFile, reader string, published map[ids.ID]string) error {
	want := map[ids.ID]bool{}
	for id, owner := range published {
		if graph.has(reader, owner) {
			want[id] = true
		}
	}
	for a, err := range cursor.All(ctx, feeds.Home(reader).List) {
		if err != nil {
			return err
		}
		if !want[a.ID] {
			return fmt.Errorf("home of %q shows %v, which it should not", reader, a.ID)
		}
		delete(want, a.ID)
	}
	if len(want) > 0 {
		return fmt.Errorf("home of %q lacks %d activities", reader, len(want))
	}
	return nil
}

func report(out io.Writer, what, format string, args ...any) {
	fmt.Fprintf(out, "%-9s %s\n", what, fmt.Sprintf(format, args...))
}

func perSecond(n int, took time.Duration) int { return int(float64(n) / took.Seconds()) }
