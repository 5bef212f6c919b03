package kit

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/worldtest"
)

const ann = worldtest.Ann

// world is where kits erase and export.
type world struct {
	*worldtest.World
	t    *testing.T
	opts Options
}

func newWorld(t *testing.T, features ...Feature) *world {
	t.Helper()
	var names []string
	for _, f := range features {
		names = append(names, string(f))
	}
	w := &world{worldtest.New(t, names...), t, Options{Features: features}}
	w.opts.Prefix, w.opts.Reaction.Kinds = w.Prefix, []string{"like", "love"}
	return w
}

var processes atomic.Uint32

// process is a kit of another process.
func (w *world) process(wrap func(aws.HTTPClient) aws.HTTPClient) *Kit {
	w.t.Helper()
	gen, err := ids.New(uint16(100+processes.Add(1)%1000), nil)
	require.NoError(w.t, err)
	opts := w.opts
	k, err := New(w.Process(wrap), gen, &opts)
	require.NoError(w.t, err)
	return k
}

// killed counts requests. It kills the process by the request after n: it is sent, and its
// answer is lost, or it is not sent, as all later ones.
type killed struct {
	after atomic.Int64
	sent  bool
	all   atomic.Int64
}

func (c *killed) wrap(next aws.HTTPClient) aws.HTTPClient {
	return sender(func(r *http.Request) (*http.Response, error) {
		n, after := c.all.Add(1), c.after.Load()
		if after < 0 || n <= after {
			return next.Do(r)
		}
		if n == after+1 && c.sent {
			if res, err := next.Do(r); err == nil {
				_ = res.Body.Close()
			}
			return nil, faults.ErrKilled
		}
		c.all.Add(-1)
		return nil, faults.ErrKilled
	})
}

type sender func(*http.Request) (*http.Response, error)

func (s sender) Do(r *http.Request) (*http.Response, error) { return s(r) }

type httpClient = aws.HTTPClient

// giving gives up its caller's context with a request, once that was applied.
type giving struct {
	next   httpClient
	at     *killed
	giveUp func()
}

func (g giving) Do(r *http.Request) (*http.Response, error) {
	res, err := g.next.Do(r)
	if g.at.all.Add(1) == g.at.after.Load()+1 {
		g.giveUp()
	}
	return res, err
}
