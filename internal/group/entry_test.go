package group

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestEntriesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.SampledFrom([]rune(`a#\-é`)), 1, 6, -1)
	id := rapid.Uint64Range(1, 1<<63-1)
	rapid.Check(t, func(t *rapid.T) {
		e := Event{
			ID: ids.ID(id.Draw(t, "id")), Actor: text.Draw(t, "actor"), ByActor: rapid.Bool().Draw(t, "by actor"),
			Detail: rapid.OneOf(rapid.Just(""), text).Draw(t, "detail"),
		}
		writes := rapid.SliceOfNDistinct(id, 1, maxMoves+1, rapid.ID).Draw(t, "writes")
		slices.Sort(writes)
		last := len(writes) - 1
		name, want := e.attribute(), e.entry(ids.ID(writes[last]))
		for _, write := range writes[:last] {
			want.Earlier += past(ids.ID(write).String())
		}
		require.EqualValues(t, writes[0], want.first())
		got, err := parseEntry(name, want.text(name))
		require.NoError(t, err)
		require.Equal(t, want, got)

		want.Off, want.Detail, want.Earlier = true, "", ""
		got, err = parseEntry(name, want.text(name))
		require.NoError(t, err)
		if !e.ByActor {
			want.Actor = ""
		}
		require.Equal(t, want, got)
	})
}

// The texts are stored: lines are only added.
func TestEntriesStayReadable(t *testing.T) {
	t.Parallel()
	const id, write = "306SKMT000001", "306SKMT000002"
	for name, e := range map[[2]string]Entry{
		{"e" + id, write + "#ann"}:             {Actor: "ann"},
		{"e" + id, write + `#a\#b#ophoto:1`}:   {Actor: "a#b", Detail: "ophoto:1"},
		{"e" + id, "-" + write}:                {Off: true},
		{"e#ann", write + "#" + id}:            {Actor: "ann"},
		{"e#ann", write + "#" + id + "#ocat:"}: {Actor: "ann", Detail: "ocat:"},
		{"e#a#b", "-" + write + "#" + id}:      {Actor: "a#b", Off: true},
		{"e" + id, id + write + "#ann"}:        {Actor: "ann", Earlier: id},
		{"e#ann", id + id + write + "#" + id}:  {Actor: "ann", Earlier: id + id},
	} {
		e.ID, e.Write = 0x301b33a680000001, 0x301b33a680000002
		got, err := parseEntry(name[0], name[1])
		require.NoError(t, err)
		require.Equal(t, e, got)
		require.Equal(t, name[1], e.text(name[0]))
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add("e306SKMT000001", "306SKMT000002#ann")
	f.Add("e#ann", `-306SKMT000002#306SKMT000001\`)
	f.Fuzz(func(t *testing.T, name, text string) {
		e, err := parseEntry("e"+name, text)
		if err != nil {
			require.Zero(t, e)
			return
		}
		again, err := parseEntry("e"+name, e.text("e"+name))
		require.NoError(t, err)
		require.Equal(t, e, again)
	})
}

func TestDamagedGroupsAreReported(t *testing.T) {
	t.Parallel()
	table, key := offline(t), store.Key{PK: "N#bob", SK: "G#photo"}
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	s := func(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
	n := func(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }
	whole := func() dynamo.Item {
		g := &stored{Head: Head{PK: key.PK, SK: key.SK, TTL: now.Add(time.Hour).Unix()}, entries: map[string]Entry{}}
		g.add(Event{ID: 1, Actor: "ann", Data: "{}"}, 2)
		return g.next()
	}
	_, err := parse(table, key, whole(), now)
	require.NoError(t, err)
	for name, value := range map[string]types.AttributeValue{
		"last": s("here"), "lv": s(""), "n": n("101"), "rev": n("0"), "data": s(`"\ud800"`), "past": s("306SKMT00000"),
		"read": s("x"), "ttl": s("soon"), "cut": n("1"), "floor": s("low"), "more": n("1"),
		"e": s("x"), "e306SKMT000001": s("306SKMT000002"), "e#ann": s("306SKMT000002#ann"), "e#": n("1"),
		"e0000000000000": s("306SKMT000002#ann"), "e#eve": s("306SKMT000002#306SKMT000001#a#b"), "e306SKMT000003": s("-306SKMT000002#a"),
		"e306SKMT000004": s("306SKMT000002306SKMT000001#ann"), "e306SKMT000005": s("x06SKMT000002306SKMT000002#ann"),
		"e306SKMT000006": s(strings.Repeat("306SKMT000002", maxMoves+2) + "#ann"),
	} {
		item := whole()
		item[name] = value
		_, err := parse(table, key, item, now)
		var corrupt *plaza.CorruptError
		require.ErrorAs(t, err, &corrupt, name)
		require.Equal(t, key.PK, corrupt.PK)
		require.Equal(t, key.SK, corrupt.SK)
	}
}

func TestAPlaceIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, shelf := range []Shelf{Listed, Archived, Snoozed} {
		place := Place(shelf, 7, "G#photo")
		got, id, err := ParsePlace(place)
		require.NoError(t, err)
		require.Equal(t, shelf, got)
		require.EqualValues(t, 7, id)
		from, to := shelf.Span()
		require.True(t, from <= place && place < to)
		require.NotEqual(t, place, Place(shelf, 7, "G#another"))
	}
	for _, place := range []string{"", "~", "306SKMT000001", "306SKMT000001#", "*306SKMT000001#ff4ca280de3e", strings.Repeat("0", 40)} {
		_, _, err := ParsePlace(place)
		require.Error(t, err, place)
	}
}
