package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cmd/plaza/internal/estimate"
)

var write = flag.Bool("write", false, "write the output into docs/estimate.md")

// A worked example is a command and what it prints.
var worked = regexp.MustCompile("(?s)```console\n\\$ plaza (estimate[^\n]*)\n.*?```")

func TestTheWorkedExamplesAreWhatPlazaPrints(t *testing.T) {
	t.Parallel()
	const page = "../../docs/estimate.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Len(t, worked.FindAll(text, -1), 3)
	want := worked.ReplaceAllStringFunc(string(text), func(example string) string {
		command := worked.FindStringSubmatch(example)[1]
		got := offline(t, "", strings.Fields(command)...)
		require.Equal(t, exitFine, got.code, got.stderr)
		return "```console\n$ plaza " + command + "\n" + got.stdout + "```"
	})
	if *write {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./cmd/plaza -run WorkedExamples -write brings docs/estimate.md up to date")
}

func TestAnEstimatesInputCanBeReadAgain(t *testing.T) {
	t.Parallel()
	read := func(args ...string) (e estimate.Estimate) {
		got := offline(t, "", append([]string{"estimate", "--json"}, args...)...)
		require.Equal(t, exitFine, got.code, got.stderr)
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &e))
		return e
	}
	first := read("--users", "2000", "--home-reads=3.5", "--poll", "0.5", "--job-shards", "8")
	require.EqualValues(t, 2000, first.Input.Users)
	require.Equal(t, 0.5, first.Input.Poll)
	file := filepath.Join(t.TempDir(), "input.json")
	for _, written := range []any{first, first.Input} {
		text, err := json.Marshal(written)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		require.Equal(t, first, read("--input", file))
	}

	again := read("--input", file, "--users", "3000")
	require.EqualValues(t, 3000, again.Input.Users, "flags come first")
	require.Equal(t, 3.5, again.Input.HomeReads)

	dearer := read("--input", file, "--read-price", "0.25", "--write-price", "1.25")
	require.InEpsilon(t, 2*first.Dollars, dearer.Dollars, 1e-9)
}

func TestAnEstimateOfAnEdgeList(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "edges")
	require.NoError(t, os.WriteFile(file, []byte("a c\nb c\n"), 0o600))
	got := offline(t, "", "estimate", "--edges", file)
	require.Equal(t, exitFine, got.code, got.stderr)
	require.Contains(t, got.stdout, "users 3  follows 0.6666666666666666")
}

func TestWrongInputOfAnEstimateIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for code, all := range map[int][][]string{
		exitUsage: {
			{"--users", "1"},
			{"--users", "many"},
			{"--zipf", "-1"},
			{"--edges", file("three", "a b c\n")},
			{"--edges", file("none", "# nothing\n")},
			{"--input", file("misspelt", `{"homereeds": 3}`)},
			{"--input", file("text", `users 3`)},
			{"--input", file("printed", `{"input": {"homereeds": 3}}`)},
			{"--input", filepath.Join(folder, "missing")},
		},
		exitFailure: {{"--edges", filepath.Join(folder, "missing")}},
	} {
		for _, args := range all {
			got := offline(t, "", append([]string{"estimate"}, args...)...)
			require.Equal(t, code, got.code, "%q: %s", args, got.stderr)
			require.NotEmpty(t, got.stderr)
		}
	}
}
