package redisstream_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/live/redisstream"
)

// No reader may outlive the tests. They wait most of their time, so eight run at once on
// any machine, each with a server of its own.
func TestMain(m *testing.M) {
	flag.Parse()
	if at := flag.Lookup("test.parallel"); at.Value.String() == at.DefValue {
		_ = at.Value.Set("8")
	}
	goleak.VerifyTestMain(m)
}

// server is a Redis server that stops when its test ends.
type server struct {
	port string
	args []string
	cmd  *exec.Cmd
}

// startServer skips the test if there is no redis-server. CI has one.
func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI needs a redis-server:", err)
		}
		t.Skip("this needs a redis-server, Debian's package of that name: ", err)
	}
	s := &server{args: append([]string{
		path, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir(), "--loglevel", "warning",
	}, args...)}
	for range 10 { // another process may take the port first
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		s.port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		require.NoError(t, l.Close())
		if s.start(t) {
			t.Cleanup(s.stop)
			return s
		}
	}
	t.Fatal("redis-server does not start")
	return nil
}

func (s *server) addr() string { return "127.0.0.1:" + s.port }

func (s *server) start(t testing.TB) bool {
	t.Helper()
	s.cmd = exec.Command(s.args[0], append(s.args[1:], "--port", s.port)...)
	require.NoError(t, s.cmd.Start())
	client := redis.NewClient(&redis.Options{Addr: s.addr(), MaxRetries: -1})
	defer func() { _ = client.Close() }()
	for range 100 {
		if about, err := client.Info(context.Background(), "server").Result(); err == nil {
			if strings.Contains(about, fmt.Sprintf("process_id:%d\r\n", s.cmd.Process.Pid)) {
				return true
			}
			break // another test's server took the port first
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop()
	return false
}

// stop stops the server. All data is lost.
func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) client(t testing.TB) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.addr(), DisableIdentity: true})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

var networks atomic.Int64

// prefix returns a prefix that no other test uses.
func prefix() string { return fmt.Sprint("test", networks.Add(1)) }

func newBackplane(t testing.TB, client redis.UniversalClient, opts redisstream.Options) *redisstream.Backplane {
	t.Helper()
	b, err := redisstream.New(client, &opts)
	require.NoError(t, err)
	return b
}
