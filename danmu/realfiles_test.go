package danmu_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// realFile yields the comments of a file, and its errors.
func realFile(t testing.TB, name string, f format.Format) (read func(yield func(danmu.Comment, error) bool)) {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "data", "danmu", name+".gz")
	if _, err := os.Stat(path); os.IsNotExist(err) {
		t.Skip("no ../shared/data/danmu/" + name + ".gz beside the checkout")
	}
	return func(yield func(danmu.Comment, error) bool) {
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		plain, err := gzip.NewReader(file)
		require.NoError(t, err)
		r, err := format.NewReader(plain, f, nil)
		require.NoError(t, err)
		r.All()(yield)
	}
}

func TestImportOfRealFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() || !faults.Full() {
		t.Skip("46,810 comments")
	}
	files := []struct {
		name   string
		format format.Format
		shards int
		want   danmu.ImportResult
	}{
		{"bilibili-mode7-dupids-6343.xml", format.Bilibili, 2, danmu.ImportResult{Read: 6343, Written: 4050, Present: 2293}},
		{"bilibili-24min-10000.xml", format.Bilibili, 4, danmu.ImportResult{Read: 10_000, Written: 10_000}},
		{"bilibili-noids-10593.xml", format.Bilibili, 1, danmu.ImportResult{Read: 10_593, Written: 10_592, Refused: 1}},
		{"artplayer-16348.json", format.ArtPlayer, 8, danmu.ImportResult{Read: 16_348, Written: 16_348}},
		{"niconico-v1-4630.json", format.Niconico, 1, danmu.ImportResult{Read: 4630, Written: 4630}},
	}
	for _, c := range files {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			read := realFile(t, c.name, c.format)
			s := newStage(t)
			s.configure(t, "film", danmu.Settings{Shards: c.shards})
			result, err := s.Import(t.Context(), "film", read, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, result)
			first := s.exported(t, "film")
			require.Len(t, first, c.want.Written)

			does(t, true)(s.Like(t.Context(), of(first[0], "anna")))
			does(t, true)(s.Remove(t.Context(), moderated(first[1])))
			want := s.exported(t, "film")
			again, err := s.Import(t.Context(), "film", read, nil)
			require.NoError(t, err)
			require.Equal(t, danmu.ImportResult{Read: c.want.Read, Present: c.want.Written + c.want.Present, Refused: c.want.Refused}, again)
			require.Equal(t, want, s.exported(t, "film"))
			require.EqualValues(t, 1, want[0].Likes)
			require.Len(t, want, c.want.Written-1)
		})
	}
}
