package prefs_test

import (
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// complaints collects the damaged items that were reported.
type complaints struct {
	mu   sync.Mutex
	keys []string
}

func (c *complaints) options() *prefs.Options {
	opts := options()
	opts.OnCorrupt = func(e *plaza.CorruptError) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keys = append(c.keys, e.PK+" / "+e.SK)
	}
	return opts
}

func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := c.keys
	c.keys = nil
	return keys
}

func damaged(t *testing.T) (world, *complaints) {
	t.Helper()
	heard := new(complaints)
	return newWorld(t, heard.options()), heard
}

func (w world) damage(t *testing.T, sk, name string, value types.AttributeValue) {
	t.Helper()
	require.NoError(t, w.raw(t).Update("pk", "N#ann").Range("sk", sk).Set(name, value).Run(t.Context()))
}

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func set(v ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: v} }

func number(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

func TestDamagedSettingsListAndSendNothing(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(3, map[string]struct {
		attribute string
		value     types.AttributeValue
	}{
		"no change":                  {"change", text("x")},
		"a change of another type":   {"change", number("1")},
		"another type":               {"off", text("comment#email")},
		"a setting without channel":  {"off", set("comment")},
		"one with an empty channel":  {"off", set("comment#")},
		"one of three parts":         {"off", set("comment#email#x")},
		"one that is on and off":     {"on", set("comment#push")},
		"what a block has":           {"since", number("7")},
		"an expiry of another type":  {"ttl", text("soon")},
		"a number too great for any": {"since", number("1e30")},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, heard := damaged(t)
			w.set(t, about("comment", push), false)
			w.damage(t, "P", c.attribute, c.value)
			w = w.process(t, heard.options())
			for range 3 {
				require.Equal(t, notify.Decision{}, w.decide(t, of("comment")), "by mail by default, but ann may have turned it off")
			}
			require.Equal(t, notify.Decision{Channels: []string{email}}, w.decide(t, of("login")), "critical")
			require.Equal(t, notify.Decision{Drop: true}, w.decide(t, of("tip")), "not by default")
			require.Equal(t, []string{"N#ann / P"}, heard.take(), "once in CacheTTL")

			for _, err := range []error{
				failed(w.Settings(t.Context(), "ann")), failed(w.Set(t.Context(), about("like", email), true)),
				failed(w.Unset(t.Context(), about("like", email))),
			} {
				var corrupt *plaza.CorruptError
				require.ErrorAs(t, err, &corrupt)
				require.Equal(t, "P", corrupt.SK)
			}
			require.NoError(t, w.Erase(t.Context(), "ann"))
			w.set(t, about("comment", push), true)
			require.Equal(t, []string{email, push}, w.decide(t, of("comment")).Channels)
		})
	}
}

func TestADamagedBlockStandsAndADamagedMuteDoesNot(t *testing.T) {
	t.Parallel()
	w, heard := damaged(t)
	w.block(t, bob)
	w.block(t, prefs.Pair{User: "ann", Actor: "eve"})
	w.mute(t, mute)
	w.mute(t, prefs.Topic{User: "ann", Object: other})
	w.damage(t, "B#bob", "since", text("long ago"))
	w.damage(t, "O#picture:10", "change", text("x"))

	require.True(t, w.decide(t, of("like")).Drop)
	require.Equal(t, []string{"N#ann / B#bob"}, heard.take())
	n := of("like")
	n.Activity.Actor.ID = "zoe"
	require.False(t, w.decide(t, n).Drop)
	require.Equal(t, []string{"N#ann / O#picture:10"}, heard.take())

	require.Equal(t, []prefs.Block{{"eve", noon}}, all(t, w.Blocks))
	require.Equal(t, []string{"N#ann / B#bob"}, heard.take())
	require.Equal(t, []prefs.Mute{{other, noon}}, all(t, w.Mutes))
	require.Equal(t, []string{"N#ann / O#picture:10"}, heard.take())
	for _, err := range []error{
		failed(w.Blocked(t.Context(), bob)), failed(w.Block(t.Context(), bob)), failed(w.Unblock(t.Context(), bob)),
		failed(w.Mute(t.Context(), mute)), failed(w.Unmute(t.Context(), mute)),
	} {
		require.ErrorIs(t, err, plaza.ErrCorrupt)
	}
	require.NoError(t, w.Erase(t.Context(), "ann"))
	require.Empty(t, w.stored(t))
}

// Rows whose keys name nothing.
func TestRowsThatNoWriteLeavesAreDamage(t *testing.T) {
	t.Parallel()
	w, heard := damaged(t)
	w.block(t, bob)
	w.mute(t, mute)
	change := ids.At(noon).String()
	type row struct {
		PK     string `dynamo:"pk"`
		SK     string `dynamo:"sk"`
		Change string `dynamo:"change,omitempty"`
		Since  int64  `dynamo:"since"`
		On     string `dynamo:"on,omitempty"`
	}
	for _, r := range []row{
		{SK: "B#", Change: change, Since: 1}, {SK: "B#a#b", Change: change, Since: 1}, {SK: "B#x", Since: 1}, {SK: "B#y", Change: change, Since: -1}, {SK: "B#z", Change: change, Since: 1, On: "x"},
		{SK: "O#", Change: change, Since: 1}, {SK: "O#:x", Change: change, Since: 1}, {SK: "O#picture:", Change: change, Since: 1},
	} {
		r.PK = "N#ann"
		require.NoError(t, w.raw(t).Put(r).Run(t.Context()))
	}
	require.Equal(t, []prefs.Block{{"bob", noon}}, all(t, w.Blocks))
	require.Len(t, heard.take(), 5)
	require.Equal(t, []prefs.Mute{{picture, noon}}, all(t, w.Mutes))
	require.Len(t, heard.take(), 3)
}
