//go:build unix

package engine_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// A fake cargo installs a fake dynoxide into the folder after --root, and a fake mvn jars
// into that of -DoutputDirectory. What they install ends at once.
const (
	fetchesDynoxide = `while [ "$1" != --root ]; do shift; done
mkdir -p "$2/bin" && echo fake >"$2/bin/dynoxide"`
	fetchesJars = `for last; do :; done
dir=${last#-DoutputDirectory=}; mkdir -p "$dir" && echo fake >"$dir/a.jar"`
)

// named is the cache's folder of a fake engine.
func named(t *testing.T, cache string) (dir string) {
	t.Helper()
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, strings.Contains(e.Name(), "partial") || strings.HasSuffix(e.Name(), ".lock"), e.Name())
		if e.IsDir() {
			dir = filepath.Join(cache, e.Name())
		}
	}
	return dir
}

func TestADownloadIsKeptUntilItIsDamaged(t *testing.T) {
	alone(t, map[string]string{"cargo": fetchesDynoxide})
	cache := filepath.Join(t.TempDir(), "new", "cache")
	start := func() string {
		var log strings.Builder
		_, err := engine.Start(t.Context(), &engine.Options{Name: "dynoxide", CacheDir: cache, Log: &log})
		require.ErrorContains(t, err, "dynoxide", "it is a text")
		return log.String()
	}
	require.Contains(t, start(), "fetching")
	dir := named(t, cache)
	require.NotContains(t, start(), "fetching")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "dynoxide"), []byte("cut"), 0o755))
	require.Contains(t, start(), "damaged")
	require.NotContains(t, start(), "fetching")

	require.NoError(t, os.Remove(dir+".sha512"))
	require.Contains(t, start(), "fetching", "nobody knows what it is")
}

func TestAFailedDownloadIsQuotedAndLeavesNothing(t *testing.T) {
	java := `echo 'openjdk version "21.0.1"' >&2`
	for name, programs := range map[string]map[string]string{
		"dynamodb-local": {"java": java, "mvn": "echo 'the network is gone'; exit 1"},
		"dynoxide":       {"cargo": "echo 'the network is gone'; exit 1"},
		"":               {"java": java, "mvn": "echo 'the network is gone'; exit 1", "cargo": "echo 'the network is gone'; exit 1"},
	} {
		alone(t, programs)
		dir := t.TempDir()
		_, err := engine.Start(t.Context(), &engine.Options{Name: name, CacheDir: dir, Log: io.Discard})
		require.ErrorContains(t, err, "the network is gone")
		require.Empty(t, named(t, dir))
	}
}

// archive writes npm's package of a dynoxide that has this text.
func archive(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "package.tgz")
	var files bytes.Buffer
	z := gzip.NewWriter(&files)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}))
	_, err := io.WriteString(w, text)
	require.NoError(t, errors.Join(err, w.Close(), z.Close()))
	require.NoError(t, os.WriteFile(path, files.Bytes(), 0o600))
	return path
}

func TestAPackageOfNpmIsNotTrusted(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("npm has none for this platform")
	}
	whole := archive(t, "package/dynoxide", strings.Repeat("another ", 1<<17))
	files, err := os.ReadFile(whole)
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.tgz")
	require.NoError(t, os.WriteFile(cut, files[:len(files)/2], 0o600))
	for name, c := range map[string]struct{ npm, reason string }{
		"another file":     {"cp " + whole + " a.tgz", "SHA-512"},
		"cut off":          {"cp " + cut + " a.tgz", "unexpected EOF"},
		"without it":       {"cp " + archive(t, "package/other", "") + " a.tgz", "has no package/dynoxide"},
		"no archive":       {"exit 0", "left 0 archives"},
		"npm is offline":   {"echo no network; exit 1", "no network"},
		"the disk is full": {"ulimit -f 1; cp " + whole + " a.tgz", "npm pack"},
	} {
		t.Run(name, func(t *testing.T) {
			alone(t, map[string]string{"npm": c.npm})
			cache := t.TempDir()
			err := engine.FetchPacked(t.Context(), engine.Options{CacheDir: cache, Log: io.Discard})
			require.ErrorContains(t, err, c.reason)
			require.Empty(t, named(t, cache))
		})
	}
}

func TestNpmHasTheFileOfTheTable(t *testing.T) {
	if !faults.Full() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it downloads 8 MB")
	}
	require.NoError(t, engine.FetchPacked(t.Context(), engine.Options{CacheDir: t.TempDir(), Log: io.Discard}))
}

func TestACacheThatCannotBeWritten(t *testing.T) {
	alone(t, map[string]string{"cargo": fetchesDynoxide})
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := engine.Start(t.Context(), &engine.Options{Name: "dynoxide", CacheDir: file, Log: io.Discard})
	require.ErrorContains(t, err, "not a directory")
}

func TestProcessesFetchOnce(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	alone(t, map[string]string{"cargo": "echo called >>" + calls + "; sleep 1\n" + fetchesDynoxide})
	cache := t.TempDir()
	t.Setenv(engine.Variable, "dynoxide")
	children := []*child{startChild(t, cache), startChild(t, cache), startChild(t, cache)}
	for _, c := range children {
		require.Contains(t, c.line(), "dynoxide")
		require.Error(t, c.Wait())
	}
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	require.Equal(t, "called\n", string(text))
}

func TestLockOfADeadProcessIsTakenOver(t *testing.T) {
	alone(t, map[string]string{"cargo": "exit 1"})
	cache := t.TempDir()
	_, err := engine.Start(t.Context(), &engine.Options{Name: "dynoxide", CacheDir: cache, Log: io.Discard})
	require.Error(t, err)

	lock := filepath.Join(cache, "dynoxide-1.5.0.lock")
	old := time.Now().Add(-time.Minute)
	require.NoError(t, os.WriteFile(lock, nil, 0o644))
	require.NoError(t, os.Chtimes(lock, old, old))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = engine.Start(ctx, &engine.Options{Name: "dynoxide", CacheDir: cache, Log: io.Discard})
	require.Error(t, err)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.NoFileExists(t, lock)
}
