package notify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

func TestBadEventsAreRefusedBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{Policy: asked{t}}, meter.Wrap)
	long := strings.Repeat("#", 256)
	for name, c := range map[string]struct {
		field  string
		change func(*notify.Notification)
	}{
		"no user":            {"User", func(n *notify.Notification) { n.User = "" }},
		"long user":          {"User", func(n *notify.Notification) { n.User = long + "#" }},
		"broken user":        {"User", func(n *notify.Notification) { n.User = "\xff" }},
		"no id":              {"Activity.ID", func(n *notify.Notification) { n.Activity.ID = 0 }},
		"id of 64 bits":      {"Activity.ID", func(n *notify.Notification) { n.Activity.ID = 1 << 63 }},
		"id of the future":   {"Activity.ID", func(n *notify.Notification) { n.Activity.ID = ids.At(noon.Add(61 * time.Second)) }},
		"no actor":           {"Activity.Actor.ID", func(n *notify.Notification) { n.Activity.Actor = feed.Ref{} }},
		"actor with a colon": {"Activity.Actor.ID", func(n *notify.Notification) { n.Activity.Actor = feed.Ref{ID: "a:b"} }},
		"no verb":            {"Activity.Verb", func(n *notify.Notification) { n.Activity.Verb = "" }},
		"no object":          {"Activity.Object", func(n *notify.Notification) { n.Activity.Object = feed.Ref{} }},
		"broken target":      {"Activity.Target.ID", func(n *notify.Notification) { n.Activity.Target = feed.Ref{Kind: "x"} }},
		"long name": {"Activity", func(n *notify.Notification) {
			n.Activity.Object, n.Activity.Verb = feed.Ref{Kind: long, ID: long}, "like"
		}},
		"large data": {"Activity.Data", func(n *notify.Notification) {
			n.Activity.Data = []byte(`"` + strings.Repeat("x", notify.MaxData) + `"`)
		}},
		"data that is no JSON": {"Activity.Data", func(n *notify.Notification) { n.Activity.Data = []byte("{") }},
		"year":                 {"Activity.Time", func(n *notify.Notification) { n.Activity.Time = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		"count by":             {"CountBy", func(n *notify.Notification) { n.CountBy = "verb" }},
	} {
		n := w.like("ann")
		c.change(&n)
		res, created, err := w.Notify(t.Context(), n)
		requireInvalid(t, c.field, err, name)
		require.False(t, created)
		require.Zero(t, res)
		changed, err := w.Retract(t.Context(), n)
		requireInvalid(t, c.field, err, name)
		require.False(t, changed)
	}
	for name, c := range map[string]struct {
		field, user string
		about       feed.Ref
	}{
		"no user":  {"User", "", feed.Ref{ID: "a"}},
		"nothing":  {"about", "bob", feed.Ref{}},
		"colon":    {"about", "bob", feed.Ref{ID: "a:b"}},
		"too long": {"about", "bob", feed.Ref{ID: long + "#"}},
	} {
		_, err := w.RetractTarget(t.Context(), c.user, c.about)
		requireInvalid(t, c.field, err, name)
	}
	require.Zero(t, meter.Take())

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w = w.process(t, nil, meter.Wrap)
	_, _, err := w.Notify(ended, w.like("ann"))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, errOf(w.Retract(ended, w.like("ann"))), context.Canceled)
	require.ErrorIs(t, errOf(w.RetractTarget(ended, "bob", feed.Ref{ID: "a"})), context.Canceled)
	require.Zero(t, meter.Take())
}

// asked is a Policy that must not be asked.
type asked struct{ t *testing.T }

func (a asked) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	a.t.Error("the policy was asked")
	return notify.Decision{}, nil
}

func requireInvalid(t *testing.T, field string, err error, name string) {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid, name)
	require.Equal(t, field, invalid.Field, name)
}
