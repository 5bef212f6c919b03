package announce_test

import (
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// TestADamagedAnnouncementIsLeftOutAndReported damages each attribute in several ways.
func TestADamagedAnnouncementIsLeftOutAndReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reported []*plaza.CorruptError
	reader := w.process(t, &announce.Options{OnCorrupt: func(err *plaza.CorruptError) { reported = append(reported, err) }})
	damaged, sound := w.announce(t, w.message("damaged")), w.announce(t, w.message("sound"))
	table := w.db.Table(w.table)
	var item dynamo.Item
	require.NoError(t, table.Get("pk", "A#everyone#0").Range("sk", dynamo.Equal, damaged.ID.String()).One(t.Context(), &item))
	w.forward(lead)
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	for _, damage := range []struct {
		attribute string
		value     types.AttributeValue
	}{
		{"title", &types.AttributeValueMemberBOOL{Value: true}},
		{"title", nil},
		{"text", &types.AttributeValueMemberN{Value: "1"}},
		{"refs", text("page:1")},
		{"refs", &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "1"}}}},
		{"refs", &types.AttributeValueMemberL{Value: []types.AttributeValue{text(":x")}}},
		{"data", text(`"\ud800"`)},
		{"from", text("now")},
		{"from", &types.AttributeValueMemberN{Value: "1e99"}},
		{"until", nil},
		{"until", &types.AttributeValueMemberN{Value: "-1"}},
		{"until", text("tomorrow")},
		{"op", text("x")},
		{"withdrawn", text("x")},
		{"moved", text("zzzzzzzzzzzzz")},
		{"edit", text("x")},
		{"editBefore", &types.AttributeValueMemberN{Value: "1"}},
	} {
		broken := maps.Clone(item)
		delete(broken, damage.attribute)
		if damage.value != nil {
			broken[damage.attribute] = damage.value
		}
		require.NoError(t, table.Put(broken).Run(t.Context()))
		reported = nil
		require.Equal(t, []string{"sound"}, reader.live(t, "everyone"), damage)
		require.Equal(t, []string{"sound"}, titles(reader.listed(t)), damage)
		require.Len(t, reported, 2, damage)
		require.Equal(t, damaged.ID.String(), reported[0].SK)
		require.ErrorIs(t, errOf3(reader.Announce(t.Context(), damaged)), plaza.ErrCorrupt, damage)
		_, err := reader.Withdraw(t.Context(), "everyone", damaged.ID)
		require.ErrorIs(t, err, plaza.ErrCorrupt, damage)
		require.ErrorIs(t, errOf3(reader.Edit(t.Context(), damaged)), plaza.ErrCorrupt, damage)
		w.forward(announce.CacheTTL)
	}

	require.NoError(t, table.Delete("pk", "A#everyone#0").Range("sk", damaged.ID.String()).Run(t.Context()))
	for _, sk := range []string{"0000000000000", "x", "0\x00", sound.ID.String() + "#"} {
		stray := maps.Clone(item)
		stray["sk"] = text(sk)
		require.NoError(t, table.Put(stray).Run(t.Context()))
	}
	require.Equal(t, []string{"sound"}, reader.live(t, "everyone"))
	require.Equal(t, []string{"sound"}, titles(reader.listed(t)))
	require.NoError(t, reader.Erase(t.Context(), "everyone"))
	n, err := table.Scan().Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestMarksThatLeadInACircleEnd has two marks that lead to each other.
func TestMarksThatLeadInACircleEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.announce(t, w.message("Hello"))
	for _, way := range [][2]string{{a.ID.String(), (a.ID + 1).String()}, {(a.ID + 1).String(), a.ID.String()}} {
		mark := map[string]any{"pk": "A#everyone#0", "sk": way[0], "moved": way[1], "ttl": 1}
		require.NoError(t, w.db.Table(w.table).Put(mark).Run(t.Context()))
	}
	require.ErrorIs(t, errOf3(w.Announce(t.Context(), a)), plaza.ErrBusy)
	_, err := w.Withdraw(t.Context(), a.Audience, a.ID)
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.ErrorIs(t, errOf3(w.Edit(t.Context(), a)), plaza.ErrBusy)
}
