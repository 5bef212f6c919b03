package digest_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestADamagedJobStaysAndIsReported(t *testing.T) {
	t.Parallel()
	other := ids.At(noon.AddDate(1, 0, 0))
	for name, damage := range faults.Sample(3, map[string]map[string]any{
		"no user":           {"user": ""},
		"another user":      {"user": "bob"},
		"another channel":   {"channel": "push"},
		"another slot":      {"slot": other},
		"no id":             {"slot": "soon"},
		"begins too late":   {"begin": other},
		"tries, since when": {"tries": 1},
		"negative tries":    {"tries": -1, "since": 1},
		"half a span":       {"spans": make([]byte, 12)},
		"a span backwards":  {"spans": append([]byte{0}, make([]byte, 24)...)},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hourly)
			reported := 0
			p := w.process(t, parts{opts: digest.Options{OnCorrupt: func(*plaza.CorruptError) { reported++ }}})
			p.notify(t, "1")
			j := w.jobs(t)[0]
			update := w.raw(t).Update("pk", j.PK).Range("sk", j.SK)
			for attribute, value := range damage {
				update.Set("'"+attribute+"'", value)
			}
			require.NoError(t, update.Run(t.Context()))
			require.NoError(t, p.due(t.Context(), "bob", []string{email}, w.id()))
			w.pass(time.Hour + time.Minute)
			require.Equal(t, 1, p.deliver(t), "bob's")
			require.Equal(t, 1, reported)
			require.Empty(t, w.all())
			var item dynamo.Item
			require.NoError(t, w.raw(t).Get("pk", j.PK).Range("sk", dynamo.Equal, j.SK).One(t.Context(), &item), "it stays")
		})
	}
}

func TestADamagedMarkCountsAsNone(t *testing.T) {
	t.Parallel()
	for name, value := range faults.Sample(2, map[string]types.AttributeValue{
		"text":         &types.AttributeValueMemberS{Value: "x"},
		"half a span":  &types.AttributeValueMemberB{Value: make([]byte, 12)},
		"without ends": &types.AttributeValueMemberB{Value: make([]byte, 49)},
	}) {
		for _, attribute := range []string{"spans", "leases", "rev"} {
			if attribute == "leases" && name == "without ends" {
				continue // two leases that are over
			}
			w := newWorld(t, hourly)
			reported := 0
			p := w.process(t, parts{opts: digest.Options{OnCorrupt: func(*plaza.CorruptError) { reported++ }}})
			for n := range 3 {
				p.notify(t, string(rune('1'+n)))
				w.pass(time.Hour)
				w.pass(time.Minute)
				require.Equal(t, 1, p.deliver(t))
				if n == 0 {
					require.NoError(t, w.raw(t).Update("pk", "N#ann").Range("sk", "D#email").Set(attribute, value).Run(t.Context()))
				}
			}
			require.Equal(t, 1, reported, "it is whole again")
			require.Equal(t, "1, 2, 3", w.objects(t))
		}
	}
}

func TestEraseDeletesWhatAUserHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hourly)
	p := w.process(t, parts{opts: digest.Options{JobShards: 2}, policy: channels{email, "push"}})
	both := []string{"ann", "ann#b"}
	for _, user := range both {
		require.NoError(t, errOf3(p.Notify(t.Context(), w.post(user, "1"))))
	}
	w.pass(time.Hour)
	for _, user := range both {
		require.NoError(t, errOf3(p.Notify(t.Context(), w.post(user, "2"))))
	}
	w.pass(time.Minute)
	require.Equal(t, 4, p.deliver(t))
	require.Len(t, w.jobs(t), 4)
	require.NoError(t, p.digests.Erase(t.Context(), "ann"))
	for _, j := range w.jobs(t) {
		require.Equal(t, "ann#b", j.User)
	}
	require.Len(t, w.jobs(t), 2)
	var items []dynamo.Item
	require.NoError(t, w.raw(t).Scan().Filter("begins_with(sk, ?)", "D#").Consistent(true).All(t.Context(), &items))
	require.Len(t, items, 2, "the other's marks")

	require.NoError(t, errOf3(p.Notify(t.Context(), w.post("ann", "3"))))
	require.Len(t, w.jobs(t), 4, "a new start")
	require.NoError(t, p.Erase(t.Context(), "ann"))
	w.pass(time.Hour)
	require.Equal(t, 4, p.deliver(t), "notify's Erase leaves digests that send nothing")
	for _, d := range w.all()[4:] {
		require.Equal(t, "ann#b", d.User)
	}
}
