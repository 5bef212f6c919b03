package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/worldtest"
)

const ann = worldtest.Ann

// world runs commands on tables of its own.
type world struct {
	*worldtest.World
	t *testing.T

	wrap func(aws.HTTPClient) aws.HTTPClient // around the client of commands
	page int
}

// newWorld has the tables of these features, or all.
func newWorld(t *testing.T, features ...string) *world {
	t.Helper()
	return &world{World: worldtest.New(t, features...), t: t}
}

// result is what a command answered.
type result struct {
	code           int
	stdout, stderr string
}

func (w *world) run(args ...string) result { return w.runIn(w.t.Context(), "", args...) }

// ends runs a command that ends with a code.
func (w *world) ends(code int, args ...string) result {
	w.t.Helper()
	got := w.run(args...)
	require.Equal(w.t, code, got.code, "%q: %s%s", args, got.stdout, got.stderr)
	return got
}

func (w *world) runIn(ctx context.Context, stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	p := program{
		stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr, page: w.page,
		wrap: func(next aws.HTTPClient) aws.HTTPClient {
			next = w.permit(args[0], next)
			if w.wrap != nil {
				next = w.wrap(next)
			}
			return next
		},
		config: func(context.Context) (aws.Config, error) { return w.Config(nil), nil },
	}
	if len(args) > 0 && args[0] != "id" {
		args = append(args, "--prefix", w.Prefix)
	}
	if len(args) > 0 && args[0] != "id" && args[0] != "tables" {
		args = append(args, "--rate", "0", "--endpoint", dynamotest.Engine(w.t).Endpoint)
	}
	code := p.run(ctx, args)
	return result{code, stdout.String(), stderr.String()}
}

// before calls f with the number of each request of the next commands, which fails with f's
// error.
func (w *world) before(f func(sent int64) error) { w.wrap = worldtest.Before(f) }
