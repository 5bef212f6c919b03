package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// With this variable a copy of the test binary starts an engine in that cache
// folder, prints its endpoint, and keeps it until its standard input ends.
const (
	starterVariable = "PLAZA_ENGINE_TEST_CACHE"
	sharing         = "shared" // in the place of a cache folder
	usual           = "usual"  // the cache folder that other tests use too
)

func TestMain(m *testing.M) {
	if os.Getenv(goVariable) != "" {
		goCommand()
	}
	if cache := os.Getenv(starterVariable); cache != "" {
		starter(cache)
	}
	os.Exit(m.Run())
}

func starter(cache string) {
	start := func(ctx context.Context) (*engine.Engine, error) {
		return engine.Start(ctx, &engine.Options{CacheDir: cache})
	}
	switch cache {
	case sharing:
		start = engine.Shared
	case usual:
		cache = ""
	}
	e, err := start(context.Background())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(e.Endpoint)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := e.Close(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

type child struct {
	*exec.Cmd
	stdin  io.Closer
	stdout *bufio.Scanner
	log    strings.Builder
	tmp    string // its folder for temporary files
}

func startChild(t *testing.T, cache string) *child {
	t.Helper()
	return startProgram(t, os.Args[0], starterVariable+"="+cache)
}

func startProgram(t *testing.T, path string, variables ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(path), tmp: t.TempDir()}
	c.Env = append(append(os.Environ(), engine.EndpointVariable+"=", "TMPDIR="+c.tmp), variables...)
	c.Stderr = &c.log
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	c.stdin, c.stdout = stdin, bufio.NewScanner(stdout)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

func (c *child) line() string {
	c.stdout.Scan()
	return c.stdout.Text()
}

func answers(endpoint string) bool {
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(endpoint, "http://"), time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// requireGone waits for the end of an engine whose starter was killed.
func (c *child) requireGone(t *testing.T, endpoint string) {
	t.Helper()
	require.Eventually(t, func() bool { return !answers(endpoint) && empty(t, c.tmp) }, time.Minute, 20*time.Millisecond)
}

func empty(t *testing.T, dir string) bool {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	return len(files) == 0
}

func TestStartAnswersAndCloseEnds(t *testing.T) {
	if !faults.Full() && runtime.GOOS != "windows" {
		t.Skip("by default its first port is taken, in another test")
	}
	t.Setenv(engine.EndpointVariable, "")
	startsAndEnds(t)
}

func startsAndEnds(t *testing.T) {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	e, err := engine.Start(t.Context(), nil)
	require.NoError(t, err)
	if runtime.GOOS == "linux" && e.Kind == engine.DynamoDBLocal {
		require.False(t, empty(t, tmp), "its library")
	}
	out, err := dynamodb.NewFromConfig(e.Config()).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	require.Empty(t, out.TableNames)
	require.NoError(t, e.Close())
	require.False(t, answers(e.Endpoint))
	require.True(t, empty(t, tmp))
	require.NoError(t, e.Close())
}

func TestEngineDiesWithAKilledStarter(t *testing.T) {
	t.Parallel()
	if !faults.Full() && runtime.GOOS != "windows" {
		t.Skip("by default it also loses its shell, in another test")
	}
	c := startChild(t, usual)
	endpoint := c.line()
	require.True(t, answers(endpoint), endpoint)
	require.NoError(t, c.Process.Kill())
	c.requireGone(t, endpoint)
}

func TestEndpointVariableIsUsedAndNotStopped(t *testing.T) {
	running, err := engine.Shared(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, running.Close()) })
	endpoint := running.Endpoint
	t.Setenv(engine.EndpointVariable, endpoint)
	e, err := engine.Start(t.Context(), &engine.Options{CacheDir: "/nowhere"})
	require.NoError(t, err)
	require.Equal(t, endpoint, e.Endpoint)
	require.NoError(t, e.Close())
	require.True(t, answers(endpoint))
}

func TestEndpointVariableThatDoesNotAnswer(t *testing.T) {
	t.Setenv(engine.EndpointVariable, "http://127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := engine.Start(ctx, nil)
	require.ErrorContains(t, err, engine.EndpointVariable)
}
