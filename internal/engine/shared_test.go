package engine_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// With this variable a copy of the test binary, named go, runs two processes that
// share an engine, as go test runs two packages. It prints what each of them
// printed, and stays until its standard input ends.
const goVariable = "PLAZA_ENGINE_TEST_GO"

func goCommand() {
	ends := make([]func(), 2)
	lines := make([]*bufio.Scanner, 2)
	for i := range ends {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), goVariable+"=", starterVariable+"="+sharing)
		stdin, err := c.StdinPipe()
		exitOn(err)
		stdout, err := c.StdoutPipe()
		exitOn(err)
		exitOn(c.Start())
		lines[i] = bufio.NewScanner(stdout)
		ends[i] = func() {
			_ = stdin.Close()
			exitOn(c.Wait())
		}
	}
	for _, l := range lines {
		l.Scan()
	}
	for _, end := range ends {
		end()
	}
	fmt.Println(lines[0].Text())
	fmt.Println(lines[1].Text())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func exitOn(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func TestProcessesOfOneGoCommandShareAnEngineUntilItEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("each process has its own there")
	}
	t.Parallel()
	binary, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "go")
	require.NoError(t, os.WriteFile(path, binary, 0o755))
	run := startProgram(t, path, goVariable+"=1")
	first, second := run.line(), run.line()
	require.Contains(t, first, "http://")
	require.Equal(t, first, second)
	require.True(t, answers(first), "it outlives the process that started it")

	if faults.Full() {
		other := startProgram(t, path, goVariable+"=1")
		require.NotEqual(t, first, other.line(), "another command has another engine")
		defer func() {
			require.NoError(t, other.stdin.Close())
			require.NoError(t, other.Wait())
		}()
	}
	require.NoError(t, run.Process.Kill())
	_ = run.Wait()
	run.requireGone(t, first)

	named := startProgram(t, path, goVariable+"=1", engine.Variable+"=nonsense")
	require.Equal(t, "exit status 1", named.line(), "it starts no engine but the named one")
	require.Error(t, named.Wait())
}

func TestSharedIsStartOutsideAGoCommand(t *testing.T) {
	t.Parallel()
	if !faults.Full() && runtime.GOOS != "windows" {
		t.Skip("by default such an engine loses its starter, in another test")
	}
	c := startChild(t, sharing)
	endpoint := c.line()
	require.True(t, answers(endpoint), endpoint)
	require.NoError(t, c.stdin.Close())
	require.NoError(t, c.Wait())
	require.False(t, answers(endpoint))
}
