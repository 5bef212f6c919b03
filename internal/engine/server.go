package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"
)

var (
	errExited    = errors.New("engine: it stopped at once")
	errPortTaken = errors.New("engine: port taken")
)

// portTaken is what DynamoDB Local, Docker and dynoxide say.
var portTaken = regexp.MustCompile(`BindException|port is already allocated|port \d+ is already in use`)

// command runs an engine on a port.
type command struct {
	what string // e.g. "DynamoDB Local 2.6.1"
	args func(port int) []string

	parent int // as in Options
	record string
}

// launch tries other ports if another process takes the chosen one first.
func launch(ctx context.Context, c command) (*Engine, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var err error
	for range 5 {
		var e *Engine
		if e, err = launchOnce(ctx, c); !errors.Is(err, errPortTaken) {
			return e, err
		}
	}
	return nil, err
}

func launchOnce(ctx context.Context, c command) (*Engine, error) {
	port, guard, err := reservePort()
	if err != nil {
		return nil, fmt.Errorf("engine: no free port: %w", err)
	}
	defer func() { _ = guard.Close() }()

	s, err := startServer(c, port)
	if err != nil {
		return nil, err
	}
	e := &Engine{Endpoint: "http://127.0.0.1:" + strconv.Itoa(port), server: s}
	if err := e.await(ctx, s.exited); err != nil {
		_ = s.stop()
		output := s.output.Bytes()
		if portTaken.Match(output) {
			err = errPortTaken
		}
		return nil, fmt.Errorf("engine: starting %s: %w\n%s", c.args(port)[0], err, bytes.TrimSpace(output))
	}
	return e, nil
}

// reservePort finds a free port. Until guard is closed, reservePort returns it to no
// other process; otherwise two starters could believe that one engine is theirs.
func reservePort() (port int, guard net.Listener, err error) {
	for range 20 {
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return 0, nil, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		guard, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port-1)))
		_ = l.Close()
		if err == nil {
			return port, guard, nil
		}
	}
	return 0, nil, err
}

// server is a process that stops with this one.
type server struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	output tail
	exited chan struct{}
}

func startServer(c command, port int) (*server, error) {
	args := c.args(port)
	s := &server{cmd: tethered(c, args), exited: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.WaitDelay = time.Second
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	s.stdin = stdin
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	if err := tie(s.cmd); err != nil {
		_ = s.stop()
		return nil, fmt.Errorf("engine: %w", err)
	}
	return s, nil
}

func (s *server) stop() error {
	_ = s.stdin.Close()
	release(s.cmd)
	select {
	case <-s.exited:
		return nil
	case <-time.After(10 * time.Second):
	}
	kill(s.cmd)
	select {
	case <-s.exited:
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("engine: it does not stop")
	}
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.buf)
}
