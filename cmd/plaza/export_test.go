package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// cutAfter lets the next command send n requests.
func (w *world) cutAfter(n int64) {
	w.before(func(sent int64) error {
		if sent > n {
			return faults.ErrKilled
		}
		return nil
	})
}

// What an export has is tested in package kit.
func TestAnExportIsContinuedByTheSameCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()

	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole"), filepath.Join(dir, "cut")
	got := w.ends(exitFine, "export", "--user", ann, "--output", whole)
	require.Empty(t, got.stdout)
	require.NoFileExists(t, whole+".checkpoint")
	text, err := os.ReadFile(whole)
	require.NoError(t, err)

	cuts := 0
	for n := int64(0); ; n++ {
		w.cutAfter(n % 5)
		if got = w.run("export", "--user", ann, "-o", cut); got.code == exitFine {
			break
		}
		cuts++
		require.Less(t, cuts, 200)
		f, err := os.OpenFile(cut, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString(strings.Repeat(`{"feature":"half a li`, 5000)) // what a killed process may leave
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	require.Greater(t, cuts, 10)
	again, err := os.ReadFile(cut)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(text), "\n"), strings.Split(string(again), "\n"))

	w.wrap = nil
	got = w.run("export", "--user", ann)
	require.Equal(t, string(text), got.stdout)
	require.Equal(t, exitUsage, w.run("export", "--user", ann, "-o", whole).code, "it would be overwritten")
	w.cutAfter(5)
	require.Equal(t, exitFailure, w.run("export", "--user", ann, "-o", filepath.Join(dir, "third")).code)
	require.Equal(t, exitUsage, w.run("export", "--user", "bob", "-o", filepath.Join(dir, "third")).code, "it belongs to ann")
}
