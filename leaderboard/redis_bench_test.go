package leaderboard_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkRedisRank does the same as BenchmarkFoldedSet in a sorted set of
// redis-server, if it is installed.
func BenchmarkRedisRank(b *testing.B) {
	server, err := exec.LookPath("redis-server")
	if err != nil {
		b.Skip("redis-server is not installed")
	}
	n := millions(b)
	r := newRedis(b, server)
	keys, size := orderKeys(n)
	for b.Loop() {
		r.do("FLUSHALL")
		before := r.memory()
		began := time.Now()
		r.pipe(n, func(i int) string {
			key := keys[i*size:][:size]
			return fmt.Sprintf("ZADD board %d %s", 1<<63-1-binary.BigEndian.Uint64(key), key[24:])
		})
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/1e3/float64(n), "µs/add")
		b.ReportMetric(float64(r.memory()-before)/float64(n), "B/entry")
		const ranks = 20_000
		began = time.Now()
		r.pipe(ranks, func(i int) string { return fmt.Sprintf("ZREVRANK board p%09d", i*(n/ranks)) })
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/1e3/ranks, "µs/rank")
	}
}

// redis is a server on a socket.
type redis struct {
	b    *testing.B
	conn net.Conn
	in   *bufio.Reader
}

func newRedis(b *testing.B, server string) redis {
	socket := filepath.Join(b.TempDir(), "redis")
	command := exec.CommandContext(b.Context(), server, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no")
	require.NoError(b, command.Start())
	b.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	r := redis{b: b}
	require.Eventually(b, func() (ok bool) {
		var err error
		r.conn, err = net.Dial("unix", socket)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	r.in = bufio.NewReaderSize(r.conn, 1<<20)
	return r
}

func (r redis) do(command string) string {
	var answer string
	r.send(1, func(int) string { return command }, func(line string) { answer = line })
	return answer
}

// pipe sends n commands, 1,000 at once.
func (r redis) pipe(n int, command func(i int) string) {
	for from := 0; from < n; from += 1000 {
		r.send(min(1000, n-from), func(i int) string { return command(from + i) }, func(line string) {
			require.False(r.b, strings.HasPrefix(line, "-"), line)
		})
	}
}

func (r redis) send(n int, command func(i int) string, answer func(string)) {
	var out bytes.Buffer
	for i := range n {
		out.WriteString(command(i))
		out.WriteString("\r\n")
	}
	_, err := r.conn.Write(out.Bytes())
	require.NoError(r.b, err)
	for range n {
		line, err := r.in.ReadString('\n')
		require.NoError(r.b, err)
		if strings.HasPrefix(line, "$") {
			size, err := strconv.Atoi(strings.TrimSpace(line[1:]))
			require.NoError(r.b, err)
			body := make([]byte, size+2)
			_, err = io.ReadFull(r.in, body)
			require.NoError(r.b, err)
			line = string(body)
		}
		answer(line)
	}
}

// memory returns the bytes that the server holds.
func (r redis) memory() int {
	for line := range strings.Lines(r.do("INFO memory")) {
		if value, ok := strings.CutPrefix(line, "used_memory:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			require.NoError(r.b, err)
			return n
		}
	}
	r.b.Fatal("the server names no used_memory")
	return 0
}
