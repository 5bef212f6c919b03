//go:build unix

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestEngineDiesWhenItsShellAndThenItsStarterAreKilled(t *testing.T) {
	t.Parallel()
	cache := sharing
	if faults.Full() {
		cache = usual
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

// alone sets PATH to programs of these names and texts, and the shell's own.
func alone(t *testing.T, programs map[string]string) {
	t.Helper()
	dirs := []string{script(t, "none", "")}
	for name, text := range programs {
		dirs = append(dirs, script(t, name, text))
	}
	t.Setenv("PATH", strings.Join(dirs, ":")+":"+coreutils(t))
	t.Setenv("JAVA_HOME", "")
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv(engine.Variable, "")
}

// coreutils is a folder with what the scripts use.
func coreutils(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "cat", "cp", "mkdir", "sleep", "rm"} {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	return dir
}

func TestGoAloneLearnsWhatToInstall(t *testing.T) {
	for name, programs := range map[string]map[string]string{
		"nothing":                     {},
		"an old Java":                 {"java": `echo 'java version "1.8.0_392"' >&2`},
		"Java without Maven":          {"java": `echo 'openjdk version "21.0.1"' >&2`},
		"a system's own":              {"apt-get": ""},
		"Docker that stopped":         {"docker": "exit 1"},
		"npm, whose is not for tests": {"npm": "exit 1"},
	} {
		t.Run(name, func(t *testing.T) {
			alone(t, programs)
			var log strings.Builder
			_, err := engine.Start(t.Context(), &engine.Options{CacheDir: t.TempDir(), Log: &log})
			require.ErrorIs(t, err, engine.ErrMissing)
			require.Empty(t, log.String(), "nothing failed that was there")
			_, apt := programs["apt-get"]
			require.Equal(t, apt, strings.Contains(err.Error(), "apt-get install default-jre-headless maven"))
		})
	}
}

func TestANamedEngineIsTheOnlyOneThatIsTried(t *testing.T) {
	old := filepath.Join(script(t, "dynoxide", "echo dynoxide 1.2.1"), "dynoxide")
	other := filepath.Join(script(t, "dynoxide", "echo something else"), "dynoxide")
	for name, program := range map[string]string{
		"dynamodb-local": "docker", "docker": "cargo", "dynoxide": "docker", "another": "docker",
		old: "docker", other: "docker", "/nowhere/dynoxide": "docker",
	} {
		called := filepath.Join(t.TempDir(), "called")
		alone(t, map[string]string{program: "echo called >" + called})
		_, err := engine.Start(t.Context(), &engine.Options{Name: name, CacheDir: t.TempDir()})
		require.Error(t, err, name)
		require.NotErrorIs(t, err, engine.ErrMissing, name)
		require.Equal(t, name == old, errors.Is(err, engine.ErrTooOld), name)
		t.Setenv(engine.Variable, name)
		_, inEnvironment := engine.Start(t.Context(), &engine.Options{CacheDir: t.TempDir()})
		require.Error(t, inEnvironment, name)
		require.NoFileExists(t, called, name)
	}
}

func TestJavaThatCrashesIsQuoted(t *testing.T) {
	alone(t, map[string]string{
		"java": `case $1 in -version) echo 'openjdk version "21.0.1"';; *) echo 'Could not reserve heap' >&2; exit 1;; esac`,
		"mvn":  fetchesJars,
	})
	_, err := engine.Start(t.Context(), &engine.Options{CacheDir: t.TempDir(), Log: io.Discard})
	require.ErrorContains(t, err, "Could not reserve heap")
}

// taken says once that its port is taken, and is then the real program.
const taken = `case $1 in -version) exec "$REAL" "$@";; esac
if [ ! -e "$FLAG" ]; then : >"$FLAG"; echo 'java.net.BindException: Address already in use' >&2; exit 1; fi
exec "$REAL" "$@"`

func TestATakenPortIsReplaced(t *testing.T) {
	real, err := exec.LookPath("java")
	if err != nil {
		t.Skip("no Java")
	}
	flag := filepath.Join(t.TempDir(), "first")
	t.Setenv("FLAG", flag)
	t.Setenv("REAL", real)
	t.Setenv("JAVA_HOME", "")
	t.Setenv(engine.Variable, "dynamodb-local")
	t.Setenv(engine.EndpointVariable, "")
	t.Setenv("PATH", script(t, "java", taken)+":"+os.Getenv("PATH"))
	startsAndEnds(t)
	require.FileExists(t, flag)
}

func TestAnotherProgramBehindTheEndpoint(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a page":          func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"another service": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) },
		"nothing":         func(w http.ResponseWriter, _ *http.Request) {},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			t.Setenv(engine.EndpointVariable, server.URL)
			_, err := engine.Start(t.Context(), nil)
			require.Error(t, err)
			require.NotErrorIs(t, err, context.DeadlineExceeded)
		})
	}
}

func TestAnOldEngineBehindTheEndpoint(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Dynoxide-Version", "1.4.9")
		_, _ = io.WriteString(w, `{"TableNames": []}`)
	}))
	defer server.Close()
	t.Setenv(engine.EndpointVariable, server.URL)
	_, err := engine.Start(t.Context(), nil)
	require.ErrorIs(t, err, engine.ErrTooOld)
}
