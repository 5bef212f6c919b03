package announce_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// lead is how long after Announce an announcement shows.
const lead = announce.CacheTTL + notify.Window

// today is where the tests' clocks begin.
var today = time.Date(2026, time.March, 4, 9, 0, 0, 0, time.UTC)

// clock shows today until it is moved.
type clock struct{ moved atomic.Int64 }

func (c *clock) Now() time.Time { return today.Add(time.Duration(c.moved.Load())) }

func (c *clock) forward(d time.Duration) { c.moved.Add(int64(d)) }

var machines atomic.Uint32

func generator(t testing.TB) *ids.Generator {
	t.Helper()
	gen, err := ids.New(uint16(machines.Add(1)), nil)
	require.NoError(t, err)
	return gen
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// world is a repository over a new table.
type world struct {
	*announce.Repository
	*clock
	db    *dynamo.DB
	table string
}

func newWorld(t testing.TB, wrap ...wrapper) world {
	t.Helper()
	return world{table: dynamotest.Table(t, notify.Table), clock: &clock{}}.process(t, nil, wrap...)
}

// process is another process on the table of w, with the same clock unless opts have
// one.
func (w world) process(t testing.TB, opts *announce.Options, wrap ...wrapper) world {
	t.Helper()
	given := announce.Options{}
	if opts != nil {
		given = *opts
	}
	if given.Now == nil {
		given.Now = w.Now
	}
	w.db = dynamotest.DB(t, wrap...)
	var err error
	w.Repository, err = announce.New(w.db, w.table, generator(t), &given)
	require.NoError(t, err)
	return w
}

// message is an announcement to everyone with all its fields, but no From.
func (w world) message(title string) notify.Announcement {
	return notify.Announcement{
		Audience: "everyone", Title: title, Text: "The new editor is here.",
		Refs: []feed.Ref{{Kind: "page", ID: "editor"}}, Data: json.RawMessage(`{"icon":"pen"}`),
		Until: w.Now().Add(24 * time.Hour),
	}
}

// announce announces and fails if it was announced before.
func (w world) announce(t testing.TB, a notify.Announcement) notify.Announcement {
	t.Helper()
	a, created, err := w.Announce(t.Context(), a)
	require.NoError(t, err)
	require.True(t, created)
	return a
}

func (w world) withdraw(t testing.TB, a notify.Announcement) {
	t.Helper()
	changed, err := w.Withdraw(t.Context(), a.Audience, a.ID)
	require.NoError(t, err)
	require.True(t, changed)
}

// live are the titles that a reader of the audiences sees.
func (w world) live(t testing.TB, audiences ...string) []string {
	t.Helper()
	return w.seen(t, notify.Reader{User: "ann", Audiences: audiences})
}

func (w world) seen(t testing.TB, reader notify.Reader) []string {
	t.Helper()
	live, err := w.Live(t.Context(), reader)
	require.NoError(t, err)
	return titles(live)
}

// listed is the editor's list of everyone.
func (w world) listed(t testing.TB) []notify.Announcement {
	t.Helper()
	var all []notify.Announcement
	for a, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Announcement], error) {
		req.Limit = 100
		return w.List(ctx, "everyone", req)
	}) {
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

func titles(announcements []notify.Announcement) []string {
	titles := make([]string, len(announcements))
	for i, a := range announcements {
		titles[i] = a.Title
	}
	return titles
}

// during calls before while requests of an operation are on their way to the engine, and f
// while they are on their way back.
type during struct {
	op        string
	before, f func()
	next      aws.HTTPClient
}

func (d *during) wrap(next aws.HTTPClient) aws.HTTPClient {
	d.next = next
	return d
}

func (d *during) Do(r *http.Request) (*http.Response, error) {
	is := strings.HasSuffix(r.Header.Get("X-Amz-Target"), d.op)
	if is && d.before != nil {
		d.before()
	}
	res, err := d.next.Do(r)
	if is && d.f != nil {
		d.f()
	}
	return res, err
}

// repeat announces what was announced before, and returns it as it is stored.
func (w world) repeat(t testing.TB, a notify.Announcement) notify.Announcement {
	t.Helper()
	a, created, err := w.Announce(t.Context(), a)
	require.NoError(t, err)
	require.False(t, created)
	return a
}

// errOf and errOf3 are a call's error, for calls whose other answers do not matter.
func errOf[A any](_ A, err error) error { return err }

func errOf3[A, B any](_ A, _ B, err error) error { return err }
