package format_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// testFiles returns the files of a format in testdata. In valid files every record is
// read, in repaired files too, with one field of each that is unusable; in invalid files
// none is, and broken files end with ErrBroken. The files are append-only.
func testFiles(t testing.TB, f format.Format, kind string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{kind + ".xml", kind + ".json", kind + ".ndjson", filepath.Join(kind, "*")} {
		names, err := filepath.Glob(filepath.Join("testdata", string(f), pattern))
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			files[filepath.Base(name)] = string(text)
		}
	}
	return files
}

// eachFile runs a test of each file of a kind.
func eachFile(t *testing.T, kind string, test func(t *testing.T, f format.Format, text string)) {
	t.Helper()
	for _, f := range formats() {
		for name, text := range testFiles(t, f, kind) {
			t.Run(string(f)+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, f, text)
			})
		}
	}
}

func TestValidFiles(t *testing.T) {
	t.Parallel()
	eachFile(t, "valid", func(t *testing.T, f format.Format, text string) {
		got := whole(t, text, f, &format.ReadOptions{Senders: true})
		require.Zero(t, got.stats.Repaired)
		requireWanted(t, got, f, "valid.want")
	})
}

func TestRepairedFiles(t *testing.T) {
	t.Parallel()
	for _, f := range formats() {
		require.Len(t, testFiles(t, f, "repaired"), 1, f)
	}
	eachFile(t, "repaired", func(t *testing.T, f format.Format, text string) {
		got := whole(t, text, f, &format.ReadOptions{Senders: true})
		require.EqualValues(t, len(got.comments), got.stats.Repaired)
		requireWanted(t, got, f, "repaired.want")
	})
}

// requireWanted requires what the file of that name has as NDJSON.
func requireWanted(t *testing.T, got file, f format.Format, name string) {
	t.Helper()
	require.NotEmpty(t, got.comments)
	require.Empty(t, got.refused)
	requireComesBack(t, got, f)

	name = filepath.Join("testdata", string(f), name)
	lines := write(t, got.comments, format.NDJSON, nil)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(name, []byte(lines), 0o644))
	}
	wanted, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(wanted), lines)
}

func TestInvalidFiles(t *testing.T) {
	t.Parallel()
	refused := map[format.Format]int{
		format.Bilibili: 30, format.DPlayer: 16, format.ArtPlayer: 14, format.Dandanplay: 12, format.Niconico: 11, format.NiconicoXML: 27, format.NDJSON: 16,
	}
	eachFile(t, "invalid", func(t *testing.T, f format.Format, text string) {
		got := whole(t, text, f, nil)
		require.Empty(t, got.comments)
		require.Empty(t, got.tags)
		require.Len(t, got.refused, refused[f])
		for i, e := range got.refused {
			require.EqualValues(t, i+1, e.Record)
			if i > 0 {
				require.Greater(t, e.Offset, got.refused[i-1].Offset)
			}
		}
	})
}

func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	eachFile(t, "broken", func(t *testing.T, f format.Format, text string) {
		_, err := read(t, strings.NewReader(text), f, nil)
		require.ErrorIs(t, err, format.ErrBroken)
	})
}

// Of a file that is cut anywhere, exactly the complete records are read.
func TestEveryPrefixIsReadUpToTheCut(t *testing.T) {
	t.Parallel()
	failed := errors.New("disk")
	eachFile(t, "valid", func(t *testing.T, f format.Format, text string) {
		all := whole(t, text, f, nil)
		before := 0
		for n := 0; n < len(text); n += faults.Size(1, 5) {
			got, err := read(t, strings.NewReader(text[:n]), f, nil)
			require.GreaterOrEqual(t, len(got.comments), before)
			before = len(got.comments)
			require.ElementsMatch(t, all.comments[:before], got.comments, "up to byte %d", n)
			if f == format.NDJSON {
				require.NoError(t, err)
				require.LessOrEqual(t, len(got.refused), 1)
			} else if err == nil {
				require.Equal(t, all.comments, got.comments)
			} else {
				require.ErrorIs(t, err, format.ErrBroken)
				require.Empty(t, got.refused)
			}

			got, err = read(t, io.MultiReader(strings.NewReader(text[:n]), failing{failed}), f, nil)
			if err != nil || f == format.Bilibili || f == format.NDJSON {
				require.ErrorIs(t, err, failed, "up to byte %d", n)
			} else {
				require.Equal(t, all.comments, got.comments)
			}
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// The chunks in which a file arrives change nothing, nor does the buffer's size.
func TestChunksChangeNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"valid", "repaired", "invalid", "broken"} {
		eachFile(t, kind, func(t *testing.T, f format.Format, text string) {
			for _, limit := range []int{0, 20, 40, 100} {
				opts := &format.ReadOptions{MaxRecord: limit}
				want, wantErr := read(t, strings.NewReader(text), f, opts)
				for _, chunked := range chunkings(text) {
					got, err := read(t, chunked, f, opts)
					require.Equal(t, wantErr == nil, err == nil)
					require.Equal(t, want, got)
				}
			}
		})
	}
}

func chunkings(text string) []io.Reader {
	return []io.Reader{
		iotest.OneByteReader(strings.NewReader(text)),
		iotest.HalfReader(strings.NewReader(text)),
		iotest.DataErrReader(strings.NewReader(text)),
	}
}
