package kit_test

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
	"github.com/plaza-sdk/plaza/tables"
)

// connections are goroutines of idle connections.
func connections(leaks goleak.Option) []goleak.Option {
	return []goleak.Option{
		leaks, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
	}
}

func TestNewSetsEveryFieldWithoutIO(t *testing.T) {
	w := newWorld(t, tables.Names{Machines: "machines"})
	leaks := goleak.IgnoreCurrent()
	for name, opts := range map[string]*kit.Options{"nil": nil, "zero": {}, "one feature": {Features: []kit.Feature{kit.Follow}}, "sends": {Send: &sent{}}} {
		k, err := kit.New(w.DB, nil, opts)
		require.NoError(t, err, name)
		fields := reflect.ValueOf(*k)
		for i := range fields.NumField() {
			if field := fields.Type().Field(i); field.IsExported() {
				require.False(t, fields.Field(i).IsZero(), "%s: %s", name, field.Name)
			}
		}
		require.Equal(t, tables.NamesOf("plaza-"), k.Names)
	}
	require.Zero(t, w.Meter.Total().Requests)
	goleak.VerifyNone(t, connections(leaks)...)
}

func TestNewNamesTheWrongOption(t *testing.T) {
	t.Parallel()
	db := dynamo.NewFromIface(nil)
	for field, opts := range map[string]kit.Options{
		"Options.Features[0]":           {Features: []kit.Feature{"machines"}},
		"Options.Features[1]":           {Features: []kit.Feature{kit.Feed, kit.Feed}},
		"Options.Prefix":                {Prefix: "a/b"},
		"Options.Names.Feed":            {Names: tables.Names{Feed: "ab"}},
		"Options.Names.Message":         {Names: tables.Names{Feed: "one", Message: "one"}},
		"Options.Names.Letters":         {Names: tables.Names{Machines: "one", Letters: "one"}},
		"Options.Names.Reaction":        {Names: tables.Names{Machines: "one", Reaction: "one"}},
		"Options.Lease.Duration":        {Lease: lease.Options{Duration: 1}},
		"Options.Feed.Retention":        {Feed: feed.Options{Retention: -1}},
		"Options.Comment.MaxRunes":      {Comment: comment.Options{MaxRunes: -1}},
		"Options.Reaction.Kinds[0]":     {Reaction: reaction.Options{Kinds: []string{""}}},
		"Options.Leaderboard.Poll":      {Leaderboard: leaderboard.Options{Poll: -1}},
		"Options.Danmu.MaxRunes":        {Danmu: danmu.Options{MaxRunes: 1001}},
		"Options.Danmu.Limiter":         {Danmu: danmu.Options{Limiter: ratelimit.Unlimited{}, SharedRate: true}},
		"Options.Notify.Coalesce":       {Notify: notify.Options{Coalesce: -1}},
		"Options.Announce.CacheSize":    {Announce: announce.Options{CacheSize: -1}},
		"Options.Prefs.Channels[1]":     {Prefs: prefs.Options{Channels: []string{"mail", "mail"}}},
		"Options.Prefs.Tokens.Current":  {Prefs: prefs.Options{Tokens: prefs.Keyring{Current: 1, Keys: map[byte][]byte{0: bytes.Repeat([]byte{1}, 32)}}}},
		"Options.Digest.JobShards":      {Digest: digest.Options{JobShards: 65}},
		"Options.DigestWorker.Parallel": {Send: &sent{}, DigestWorker: digest.WorkerOptions{Parallel: -1}},
		"Options.Message.MaxData":       {Message: message.Options{MaxData: -1}},
	} {
		_, err := kit.New(db, nil, &opts)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
		require.NotEmpty(t, invalid.Reason)
	}
	for _, gen := range []ids.Source{nil, &world{}} {
		_, err := kit.New(nil, gen, nil)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "db", invalid.Field)
	}
	_, err := kit.New(db, nil, &kit.Options{Names: tables.Names{Feed: "plaza-follow"}, Features: []kit.Feature{kit.Feed}})
	require.NoError(t, err, "follow is not used")
}

// What is for all features is for each, unless its own options say otherwise.
func TestOptionsOfAFeatureWin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tables.Names{Follow: "follow", Feed: "feed"})
	damaged := map[string]int{}
	count := func(what string) func(*plaza.CorruptError) {
		return func(*plaza.CorruptError) { damaged[what]++ }
	}
	read := func(opts kit.Options) {
		opts.OnCorrupt = count("all")
		_, err := w.open(opts).Feeds.Outbox("ann").List(t.Context(), first)
		require.NoError(t, err)
	}
	k := w.open(kit.Options{})
	_, _, err := k.Feeds.Outbox("ann").Publish(t.Context(), feed.Activity{Actor: feed.Ref{ID: "ann"}, Verb: "post"})
	require.NoError(t, err)
	var rows []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	table := w.DB.Table(w.Tables.Feed)
	require.NoError(t, table.Scan().Filter("attribute_exists('actor')").All(t.Context(), &rows))
	require.Len(t, rows, 1)
	require.NoError(t, table.Update("pk", rows[0].PK).Range("sk", rows[0].SK).Set("actor", 7).Run(t.Context()))

	read(kit.Options{})
	require.Equal(t, map[string]int{"all": 1}, damaged)
	read(kit.Options{Feed: feed.Options{OnCorrupt: count("feed")}})
	require.Equal(t, map[string]int{"all": 1, "feed": 1}, damaged)

	_, _, err = k.Reactions.React(t.Context(), reaction.Reaction{User: "ann", Object: "1", Kind: "love"})
	require.ErrorIs(t, err, plaza.ErrInvalid, "likes alone")
}

func TestMachineNumbersAreLeasedAndGivenBack(t *testing.T) {
	w := newWorld(t, tables.Names{Machines: "machines"})
	past := func() time.Time { return time.Now().Add(-time.Hour) } // for features alone
	k, err := kit.New(w.DB, nil, &kit.Options{Names: w.Tables, Now: past, Lease: lease.Options{Renew: -1}})
	require.NoError(t, err)
	require.NoError(t, k.Close(t.Context()), "nothing was leased")

	leaks := goleak.IgnoreCurrent()
	k, err = kit.New(w.DB, nil, &kit.Options{Names: w.Tables, Now: past, Lease: lease.Options{Renew: -1}})
	require.NoError(t, err)
	for range 2 {
		_, err = k.IDs.Next(t.Context())
		require.NoError(t, err)
	}
	goleak.VerifyNone(t, connections(leaks)...) // it does not renew in the background
	require.Equal(t, 1, w.held())
	for range 2 {
		require.NoError(t, k.Close(t.Context()))
		require.Zero(t, w.held())
	}
	_, err = k.IDs.Next(t.Context())
	require.ErrorIs(t, err, lease.ErrLost)

	var machines bool
	for _, t := range k.Tables() {
		machines = machines || t.Feature == "machines"
	}
	require.True(t, machines)
	for _, t := range w.open(kit.Options{}).Tables() {
		require.False(w.t, strings.Contains(t.Feature, "machines"))
	}
	require.NoError(t, w.open(kit.Options{}).Close(t.Context()), "another's source of ids")
}

// held is how many machine numbers have an owner.
func (w *world) held() int {
	w.t.Helper()
	n, err := w.DB.Table(w.Tables.Machines).Scan().Filter("attribute_exists('owner')").Count(context.Background())
	require.NoError(w.t, err)
	return n
}
