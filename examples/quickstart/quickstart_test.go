package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestTheTourShowsWhatPeopleDid(t *testing.T) {
	out := output(t)
	require.Regexp(t, `(?m)^Done in \d+\.\d s\.`, out)

	home := section(t, out, "jack reads his home", "chris edits")
	for n := 12; n >= 1; n-- { // newest first, over three pages
		picture := fmt.Sprintf("picture:%d ", n)
		at := strings.Index(home, picture)
		require.GreaterOrEqual(t, at, 0, picture)
		home = home[at:]
	}

	home = section(t, out, "jack unfollows ann:", "chris removes")
	require.Contains(t, home, "picture:8   Moonrise over the bay, edited")
	require.Contains(t, home, "picture:1 ")
	require.NotContains(t, home, "ann    add")

	home = section(t, out, "chris removes a picture", "Who follows whom")
	require.Contains(t, home, "picture:6 ")
	require.NotContains(t, home, "picture:7   Sunset")

	graph := section(t, out, "Who follows whom", "All of it")
	require.Contains(t, graph, "3 followers, 0 following")
	require.Contains(t, graph, "chris  jack follows: true")
	require.Contains(t, graph, "ann    jack follows: false")
}

// star is a graph in which everybody follows 0 and the next one.
func star(people int) string {
	var text strings.Builder
	text.WriteString("# made up\n")
	for i := 1; i < people; i++ {
		fmt.Fprintf(&text, "%d\t0\r\n%d %d\n", i, i, i%(people-1)+1)
	}
	return text.String()
}

func TestAGraphIsImportedAndChecked(t *testing.T) {
	people := faults.Size(700, 510) // so one has more followers than Publish itself delivers to
	edges := ledger.Thousands(2 * (people - 1))
	text := star(people) + fmt.Sprintf("1 0\n%d 1\n1 0\n", people-1) // again
	out := output(t, "-graph", file(t, "graph.txt.gz", zip(t, text)))
	require.Contains(t, out, fmt.Sprintf("Graph     graph.txt.gz: %d people, %s edges\n", people, edges))
	require.Regexp(t, fmt.Sprintf(`(?m)^Import    %d people, %s edges in \d+\.\d s: [\d,]+ edges a second$`, people, edges), out)
	require.Contains(t, out, fmt.Sprintf("Counts    of %d people, all as in the file\n", people))
	require.Regexp(t, fmt.Sprintf(`(?m)^Publish   by the 5 most followed: %d homes reached in`, people+3), out)
	require.Regexp(t, `(?m)^Homes     \d+ read, each with what it should have$`, out)
}

func TestHomesAreTheSamePushedAndPulled(t *testing.T) {
	people := faults.Size(60, 30)
	graph := file(t, "graph.txt", []byte(star(people)))
	out := output(t, "-graph", graph, "-pull-above", "20")
	require.Contains(t, out, fmt.Sprintf("Switch    of 1 with more than 20 followers: %d homes changed", people-1))
	require.Contains(t, out, fmt.Sprintf("Publish   by the %d most followed, 1 of them pulled", people))
	require.Regexp(t, `(?m)^Homes     24 read to the end, each with what it should have`, out)
	figures := regexp.MustCompile(`(?m)^ +(pushed|pulled|and cached) +([\d,]+) +([\d,]+) +([\d.]+) +[\d.]+$`).FindAllStringSubmatch(out, -1)
	require.Len(t, figures, 6, out)
	units := func(line, column int) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(figures[line][column], ",", ""), 64)
		require.NoError(t, err)
		return n
	}
	const write = 3
	saved := units(1, write) - units(2, write)
	require.GreaterOrEqual(t, saved, float64(people-1), "entries of 0's activity")
	require.LessOrEqual(t, saved, float64(people+7), "and up to 8 writes of the number of job shards, which the switch has made")
}

// The engine cannot start here, so an error of the flags or the file came first.
func TestABrokenGraphIsRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	graph := file(t, "graph.txt", []byte("jack chris\n"))
	broken := []byte("# made up\njack chris\nann\n")
	for _, args := range [][]string{
		{"-graph", graph, "-pull-above", "-1"},
		{"-pull-above", "200"},
		{"-graph", file(t, "broken.txt", broken)},
		{"-graph", file(t, "broken.txt.gz", zip(t, string(broken)))},
		{"-graph", file(t, "self.txt", []byte("ann ann\n"))},
		{"-graph", file(t, "empty.txt", nil)},
		{"-graph", filepath.Join(t.TempDir(), "none")},
	} {
		var out bytes.Buffer
		require.Error(t, run(t.Context(), args, &out), "%q", args)
		require.Empty(t, out.String())
	}
}

// output returns what a run prints.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out)
	require.NoError(t, err, out.String())
	return out.String()
}

// section returns the text between the first line that begins with from and the
// next line that begins with to.
func section(t *testing.T, text, from, to string) string {
	t.Helper()
	found := regexp.MustCompile(`(?ms)^` + from + `.*?^` + to).FindString(text)
	require.NotEmpty(t, found, "from %q to %q in\n%s", from, to, text)
	return found
}

func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}
