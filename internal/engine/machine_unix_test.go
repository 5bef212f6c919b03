//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestEngineDiesWhenItsShellAndThenItsStarterAreKilled(t *testing.T) {
	t.Parallel()
	cache := sharing
	if faults.Full() {
		cache = sharedCache(t)
	}
	c := startChild(t, cache)
	endpoint := c.line()
	require.True(t, answers(endpoint), endpoint)
	out, err := exec.Command("pgrep", "-P", fmt.Sprint(c.Process.Pid), "sh").Output()
	require.NoError(t, err)
	require.NoError(t, exec.Command("kill", "-9", strings.TrimSpace(string(out))).Run())
	require.NoError(t, c.Process.Kill())
	c.requireGone(t, endpoint)
}

// script puts an executable of that name into a new folder.
func script(t *testing.T, name, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return dir
}

func TestStartNeedsJavaOrDocker(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("JAVA_HOME", "")
	for name, java := range map[string]string{
		"none":    "exit 127",
		"too old": `echo 'java version "1.8.0_392"' >&2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", script(t, "java", java))
			_, err := engine.Start(t.Context(), nil)
			require.ErrorIs(t, err, engine.ErrMissing)
		})
	}
}

func TestJavaWithoutMavenAndWithoutJars(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", script(t, "java", `echo 'openjdk version "21.0.1"' >&2`))
	_, err := engine.Start(t.Context(), &engine.Options{CacheDir: filepath.Join(t.TempDir(), "jars")})
	require.ErrorIs(t, err, engine.ErrMissing)
}

func TestJavaThatCrashesIsQuoted(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("JAVA_HOME", "")
	java := `case $1 in -version) echo 'openjdk version "21.0.1"';; *) echo 'Could not reserve heap' >&2; exit 1;; esac`
	t.Setenv("PATH", script(t, "java", java)+":"+os.Getenv("PATH"))
	began := time.Now()
	_, err := engine.Start(t.Context(), &engine.Options{CacheDir: t.TempDir()})
	require.ErrorContains(t, err, "Could not reserve heap")
	require.Less(t, time.Since(began), 10*time.Second)
}

func TestATakenPortIsReplaced(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("JAVA_HOME", "")
	real, err := exec.LookPath("java")
	require.NoError(t, err)
	flag := filepath.Join(t.TempDir(), "first")
	t.Setenv("FLAG", flag)
	t.Setenv("REAL", real)
	java := `case $1 in -version) exec "$REAL" "$@";; esac
if [ ! -e "$FLAG" ]; then : >"$FLAG"; echo 'java.net.BindException: Address already in use' >&2; exit 1; fi
exec "$REAL" "$@"`
	t.Setenv("PATH", script(t, "java", java)+":"+os.Getenv("PATH"))
	startsAndEnds(t)
	require.FileExists(t, flag)
}

func TestAFailedDownloadIsQuotedAndLeavesNothing(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("PATH", script(t, "mvn", "echo 'Could not transfer artifact'; exit 1")+":"+os.Getenv("PATH"))
	dir := t.TempDir()
	_, err := engine.Start(t.Context(), &engine.Options{CacheDir: filepath.Join(dir, "jars"), Log: io.Discard})
	require.ErrorContains(t, err, "Could not transfer artifact")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestLockOfADeadProcessIsTakenOver(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("PATH", script(t, "mvn", "exit 1")+":"+os.Getenv("PATH"))
	jars := filepath.Join(t.TempDir(), "jars")
	old := time.Now().Add(-time.Minute)
	require.NoError(t, os.WriteFile(jars+".lock", nil, 0o644))
	require.NoError(t, os.Chtimes(jars+".lock", old, old))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := engine.Start(ctx, &engine.Options{CacheDir: jars, Log: io.Discard})
	require.Error(t, err)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.NoFileExists(t, jars+".lock")
}
