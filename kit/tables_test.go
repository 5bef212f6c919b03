package kit_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/tables"
)

func featuresOf(k *kit.Kit) (names []string) {
	for _, t := range k.Tables() {
		names = append(names, t.Feature)
	}
	return names
}

func TestTablesAreThoseOfTheFeatures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tables.Names{Follow: "follow"})
	leasing, err := kit.New(w.DB, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"machines", "follow", "feed", "comment", "reaction", "leaderboard", "danmu", "notify", "message"}, featuresOf(leasing))
	require.Equal(t, "plaza-machines", leasing.Tables()[0].Name())

	some := w.open(kit.Options{Prefix: "mine-", Features: []kit.Feature{kit.Message, kit.Follow}})
	require.Equal(t, []string{"follow", "message"}, featuresOf(some))
	require.Equal(t, w.Tables.Follow, some.Tables()[0].Name())
	require.Equal(t, "mine-message", some.Tables()[1].Name())
}

// Init marks the tables of its features, and no other feature takes them then.
func TestInitMarksTheTables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tables.NamesOf("plaza-"))
	k, err := kit.New(w.DB, nil, &kit.Options{Names: w.Tables})
	require.NoError(t, err)
	require.NoError(t, k.Verify(t.Context()))
	require.Zero(t, w.marked())
	for range 2 {
		require.NoError(t, k.Init(t.Context()))
		require.Equal(t, len(k.Tables()), w.marked())
	}
	require.NoError(t, k.Verify(t.Context()))
}

func TestTablesCostWhatIsStated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tables.NamesOf("plaza-"))
	k, err := kit.New(w.DB, nil, &kit.Options{Names: w.Tables})
	require.NoError(t, err)
	stated, n := callstest.ReadCosts(t, "..", "kit"), float64(len(kit.Features()))
	require.Equal(t,
		stated.Times(n, "Kit.Init", "each feature").Plus(stated.Of("Kit.Init", "machine numbers that are leased")),
		w.Cost(func() { err = k.Init(t.Context()) }))
	require.NoError(t, err)
	require.Equal(t,
		stated.Times(n, "Kit.Verify", "each feature").Plus(stated.Of("Kit.Verify", "machine numbers that are leased")),
		w.Cost(func() { err = k.Verify(t.Context()) }))
	require.NoError(t, err)
}

// marked is how many tables are marked.
func (w *world) marked() (n int) {
	w.t.Helper()
	for _, table := range tables.Of(w.Tables) {
		found, err := w.DB.Table(table.Name()).Get("pk", "~").Count(w.t.Context())
		require.NoError(w.t, err)
		n += found
	}
	return n
}

// All tables but three are as they must be. Verify reports each of the three, and writes
// nothing.
func TestVerifyReportsEachWrongTable(t *testing.T) {
	t.Parallel()
	writes := &writes{}
	w := newWorld(t, tables.NamesOf("plaza-"), seen(writes.see))
	names := w.Tables
	client := dynamodb.NewFromConfig(w.Config)
	_, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &names.Feed})
	require.NoError(t, err)
	names.Comment, names.Letters = names.Letters, names.Comment
	foreign, err := follow.New(w.DB, names.Comment, w, nil)
	require.NoError(t, err)
	require.NoError(t, foreign.Init(t.Context()))
	names.Message, names.Pollers = names.Pollers, names.Message // another schema

	k, err := kit.New(w.DB, nil, &kit.Options{Names: names})
	require.NoError(t, err)
	for what, call := range map[string]func() error{
		"verify": func() error { return k.Verify(t.Context()) },
		"init":   func() error { return k.Init(t.Context()) },
	} {
		writes.ops = nil
		err = call()
		require.ErrorIs(t, err, plaza.ErrTable)
		joined, ok := err.(interface{ Unwrap() []error })
		require.True(t, ok)
		require.Len(t, joined.Unwrap(), 3)
		for i, table := range []string{names.Feed, names.Comment, names.Message} {
			require.ErrorIs(t, joined.Unwrap()[i], plaza.ErrTable)
			require.ErrorContains(t, joined.Unwrap()[i], "table "+table+":") // a person reads it
		}
		if what == "verify" {
			require.Empty(t, writes.ops)
		}
	}
	used, err := kit.New(w.DB, nil, &kit.Options{Names: w.Tables, Features: []kit.Feature{kit.Follow, kit.Reaction}})
	require.NoError(t, err)
	require.NoError(t, used.Verify(t.Context()), "it does not use the table that is missing")
}

func TestVerifyAsksAllTablesAtOnce(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(len(kit.Features()))
	meet := func(r wire.Request) {
		if r.Op == "DescribeTable" {
			all.Done()
			all.Wait()
		}
	}
	w := newWorld(t, tables.NamesOf("plaza-"), seen(meet))
	require.NoError(t, w.open(kit.Options{}).Verify(t.Context()))
}

// writes has the operations that change a table or its items.
type writes struct {
	mu  sync.Mutex
	ops []string
}

func (s *writes) see(r wire.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains([]string{"DescribeTable", "DescribeTimeToLive", "GetItem"}, r.Op) {
		s.ops = append(s.ops, r.Op)
	}
}
