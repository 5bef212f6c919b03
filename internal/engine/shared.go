package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Shared returns one engine to all processes that a go command runs, such as the
// packages of go test: a start takes seconds, and an engine that has worked for a
// while is faster. It stops when the go command ends. Elsewhere, Shared is Start.
//
// Each process has a database of its own in it, since reading a stream takes longer
// the more records the database has.
func Shared(ctx context.Context) (*Engine, error) {
	e, err := shared(ctx)
	if err == nil {
		e.key = "plaza" + strconv.Itoa(os.Getpid())
	}
	return e, err
}

// Database returns the engine with another database, one for each number.
func (e *Engine) Database(n int) *Engine {
	other := *e
	other.key = cmp.Or(e.key, defaultKey) + "n" + strconv.Itoa(n)
	return &other
}

func shared(ctx context.Context) (*Engine, error) {
	parent := os.Getppid()
	if os.Getenv(EndpointVariable) != "" || processName(parent) != "go" {
		return Start(ctx, nil)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	record := filepath.Join(cache, "plaza", "engine-"+strconv.Itoa(parent))
	if err := os.MkdirAll(filepath.Dir(record), 0o755); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	unlock, err := lock(ctx, record+".lock", func() bool { return recorded(ctx, record) != nil })
	if err != nil {
		return nil, fmt.Errorf("engine: waiting for another process's start: %w", err)
	}
	defer unlock()
	if e := recorded(ctx, record); e != nil {
		return e, nil
	}

	// A default run of all tests ends before the better compiler has paid for itself.
	started, err := start(ctx, Options{lasting: os.Getenv("CI") != "", parent: parent, record: record})
	if err != nil {
		return nil, err
	}
	e := &Engine{Endpoint: started.Endpoint, Kind: started.Kind}
	if err := e.write(record); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	return e, nil
}

// write replaces the record as a whole, since others read it without a lock.
func (e *Engine) write(record string) error {
	part := record + ".part"
	if err := os.WriteFile(part, []byte(e.Endpoint), 0o600); err != nil {
		return err
	}
	return os.Rename(part, record)
}

// recorded returns the engine that the record names, or nil if none answers there:
// the record may be left over from a crash.
func recorded(ctx context.Context, record string) *Engine {
	endpoint, err := os.ReadFile(record)
	if err != nil {
		return nil
	}
	e := &Engine{Endpoint: strings.TrimSpace(string(endpoint))}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if e.ask(ctx) != nil {
		return nil
	}
	return e
}
