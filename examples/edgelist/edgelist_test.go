package edgelist_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/edgelist"
	"github.com/plaza-sdk/plaza/follow"
)

func TestEdgesAreReadHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	want := []follow.Edge{{Follower: "jack", Followee: "chris"}, {Follower: "ann", Followee: "chris"}}
	for name, text := range map[string]string{
		"tabs":                     "jack\tchris\nann\tchris\n",
		"spaces":                   "jack chris\nann   chris\n",
		"around the names":         "  jack\t chris \n\tann chris\t\n",
		"CRLF":                     "jack\tchris\r\nann\tchris\r\n",
		"no end of the last line":  "jack\tchris\nann\tchris",
		"comments and blank lines": "# follower followee\n\njack chris\n \t\n  # more\nann chris\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := read(strings.NewReader(text))
			require.NoError(t, err)
			require.Equal(t, want, got)

			got, err = read(bytes.NewReader(zip(t, text)))
			require.NoError(t, err, "gzipped")
			require.Equal(t, want, got, "gzipped")
		})
	}
}

func TestNothingIsAnEmptyGraph(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# nobody\n", "#"} {
		got, err := read(strings.NewReader(text))
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

func TestABrokenLineIsNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 257)
	for name, tc := range map[string]struct {
		text string
		line int
	}{
		"one field":          {"jack chris\nann\n", 2},
		"three fields":       {"# x\n\njack chris 7\n", 3},
		"following oneself":  {"jack jack\n", 1},
		"a long follower":    {long + " chris\n", 1},
		"a long followee":    {"jack " + long + "\n", 1},
		"not UTF-8":          {"jack chris\njack \xff\n", 2},
		"a lone CR":          {"jack\rchris\n", 1},
		"two CRs":            {"jack chris\r\r\n", 1},
		"a line without end": {"jack chris\n" + strings.Repeat("y", 70_000), 2},
		"half a gzip":        {string(zip(t, "jack chris\n")[:12]), 1},
		"a damaged gzip":     {"\x1f\x8b\x00\x00", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(strings.NewReader(tc.text))
			var broken *edgelist.LineError
			require.ErrorAs(t, err, &broken)
			require.Equal(t, tc.line, broken.Line)
			require.NotEmpty(t, broken.Reason)
			require.ErrorIs(t, err, plaza.ErrInvalid)
		})
	}
}

func TestTheCauseOfAnUnreadableLineIsKept(t *testing.T) {
	t.Parallel()
	failing := errors.New("disk on fire")
	_, err := read(io.MultiReader(strings.NewReader("jack chris\n"), failingReader{failing}))
	require.ErrorIs(t, err, failing)
	require.ErrorIs(t, err, plaza.ErrInvalid)
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestEachRangeReadsTheFileAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "graph.txt")
	require.NoError(t, os.WriteFile(path, []byte("jack chris\nann chris\n"), 0o600))
	edges := edgelist.File(path)
	for range 2 {
		n := 0
		for _, err := range edges {
			require.NoError(t, err)
			n++
		}
		require.Equal(t, 2, n)
	}
	for range edges {
		break // must leave no file open, because Windows could not delete it
	}
	require.NoError(t, os.Remove(path))
	for _, err := range edges {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

// FuzzRead checks that Plaza accepts all edges before the first error, and that
// writing and reading them gives the same edges.
func FuzzRead(f *testing.F) {
	f.Add([]byte("# a graph\njack\tchris\r\nann chris\n"))
	f.Add([]byte("jack chris\njack\n"))
	f.Add([]byte("jack\rchris x\n"))
	f.Add(zip(f, "jack chris\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		edges, err := read(bytes.NewReader(text))
		var broken *edgelist.LineError
		if err != nil && (!errors.As(err, &broken) || broken.Line < 1) {
			t.Fatalf("%v names no line", err)
		}
		var again strings.Builder
		for _, e := range edges {
			for _, name := range []string{e.Follower, e.Followee} {
				if name == "" || len(name) > 256 || strings.ContainsAny(name, " \t\r\n") {
					t.Fatalf("%q is no name", name)
				}
			}
			if e.Follower == e.Followee {
				t.Fatalf("%q follows itself", e.Follower)
			}
			again.WriteString(e.Follower + " " + e.Followee + "\n")
		}
		same, err := read(strings.NewReader(again.String()))
		if err != nil {
			t.Fatal(err)
		}
		require.Equal(t, edges, same)
	})
}

// read collects the edges before the first error.
func read(r io.Reader) (edges []follow.Edge, err error) {
	for edge, err := range edgelist.Read(r) {
		if err != nil {
			return edges, err
		}
		edges = append(edges, edge)
	}
	return edges, nil
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}
