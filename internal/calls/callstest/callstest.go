// Package callstest runs Plaza's calls and checks under which name they send their
// requests.
package callstest

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls"
)

// Step runs one call of a package, after the steps before it.
type Step interface {
	~struct {
		Call string // "Repository.Follow"
		Run  func(context.Context) error
	}
}

// Run runs steps in turn. Each must send a request, and all its requests must carry the
// call's name. Each call of the package that names its requests must have a step. Root is
// the folder of Plaza.
func Run[S Step](t *testing.T, root, pkg string, steps []S) {
	t.Helper()
	found, err := calls.Find(root, pkg)
	require.NoError(t, err)
	var want, have []string
	for _, c := range found {
		if c.Named() {
			want = append(want, c.Name)
		}
	}
	for _, step := range steps {
		s := struct {
			Call string
			Run  func(context.Context) error
		}(step)
		have = append(have, s.Call)
		var sent recording
		require.NoError(t, s.Run(context.WithValue(t.Context(), recordingKey{}, &sent)), s.Call)
		require.Equal(t, []string{pkg + "." + s.Call}, sent.names(), "the names of the requests of %s", s.Call)
	}
	slices.Sort(have)
	require.Equal(t, want, slices.Compact(have), "the calls of %s that have a step", pkg)
}

// Failed returns the last result of a call, which is its error.
func Failed(results ...any) error {
	err, _ := results[len(results)-1].(error)
	return err
}

type recordingKey struct{}

// recording has the names of a step's requests.
type recording struct {
	mu   sync.Mutex
	sent []string
}

func (r *recording) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.sent)
	return slices.Compact(r.sent)
}

// Sent notes a request with this context. One that belongs to no step, such as a renewal in
// the background, must have a name too.
func Sent(t *testing.T, ctx context.Context) { //nolint:revive // as in testing's helpers, t comes first
	t.Helper()
	name := plaza.Operation(ctx)
	if r, ok := ctx.Value(recordingKey{}).(*recording); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent = append(r.sent, name)
	} else if name == "" {
		t.Error("a request belongs to no call")
	}
}

// Doer is an HTTP client, as aws.HTTPClient is.
type Doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// Client wraps next and notes its requests.
func Client(t *testing.T, next Doer) Doer {
	t.Helper()
	return client{t, next}
}

type client struct {
	t    *testing.T
	next Doer
}

func (c client) Do(r *http.Request) (*http.Response, error) {
	Sent(c.t, r.Context())
	return c.next.Do(r)
}
