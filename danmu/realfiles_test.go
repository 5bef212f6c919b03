package danmu_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
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
