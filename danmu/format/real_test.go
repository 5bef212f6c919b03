package format_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu/format"
)

// realFile reads a real file, or skips the test without it.
func realFile(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "danmu", name+".gz"))
	if os.IsNotExist(err) {
		t.Skipf("no ../shared/data/danmu/%s.gz beside the checkout", name)
	}
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return text
}

func TestRealFilesAreReadWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		format        format.Format
		read, refused int
		tags          int
	}{
		"bilibili-24min-10000.xml":       {format.Bilibili, 10_000, 0, 5},
		"bilibili-9field-1200.xml":       {format.Bilibili, 1_200, 0, 7},
		"bilibili-mode7-dupids-6343.xml": {format.Bilibili, 6_343, 0, 3},
		"bilibili-noids-10593.xml":       {format.Bilibili, 10_592, 1, 9},
		"artplayer-16348.json":           {format.ArtPlayer, 16_348, 0, 0},
		"niconico-v1-4630.json":          {format.Niconico, 4_630, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := realFile(t, name)
			got, err := read(t, bytes.NewReader(text), tt.format, &format.ReadOptions{Senders: true})
			require.NoError(t, err)
			require.Len(t, got.comments, tt.read)
			require.Len(t, got.refused, tt.refused)
			require.Len(t, got.tags, tt.tags)
			require.Zero(t, got.stats.Repaired)
			requireComesBack(t, got, tt.format)

			slow, err := read(t, iotest.OneByteReader(bytes.NewReader(text[:50_000])), tt.format, &format.ReadOptions{Senders: true})
			require.ErrorIs(t, err, format.ErrBroken)
			require.Equal(t, got.comments[:len(slow.comments)], slow.comments)
		})
	}
}
