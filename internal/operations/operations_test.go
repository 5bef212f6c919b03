// Package operations_test calls each of Plaza's calls and sees its name on the wire.
package operations_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

const root = "../.."

// step runs one call, after the steps before it.
type step struct {
	Call string
	Run  func(context.Context) error
}

var failed = callstest.Failed

// page is the first of every list.
var page = cursor.PageRequest{}

// stories call each call of a package, after what it needs.
var stories = map[string]func(*testing.T) []step{
	"danmu":               danmuSteps,
	"danmu/live":          danmuLiveSteps,
	"feed":                feedSteps,
	"feed/comment":        commentSteps,
	"feed/reaction":       reactionSteps,
	"follow":              followSteps,
	"ids/lease":           leaseSteps,
	"leaderboard":         leaderboardSteps,
	"notify":              notifySteps,
	"notify/announce":     announceSteps,
	"notify/digest":       digestSteps,
	"notify/message":      messageSteps,
	"notify/message/live": messageLiveSteps,
	"notify/prefs":        prefsSteps,
	"ratelimit":           ratelimitSteps,
	"stream":              streamSteps,
}

// others are packages of other modules, which have such a test themselves.
var others = []string{"live/redisstream", "stream/eventbridge", "stream/firehose", "stream/sqs"}

func TestEachCallNamesItsRequests(t *testing.T) {
	t.Parallel()
	for pkg, steps := range stories {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			callstest.Run(t, root, pkg, steps(t))
		})
	}
}

func TestEachPackageHasAStory(t *testing.T) {
	t.Parallel()
	found, err := calls.Find(root)
	require.NoError(t, err)
	for _, c := range found {
		if c.Named() && !slices.Contains(others, c.Package) {
			require.Contains(t, stories, c.Package)
		}
	}
	for _, pkg := range others {
		require.True(t, slices.ContainsFunc(found, func(c calls.Call) bool { return c.Package == pkg && c.Named() }), pkg)
	}
}

// open returns a client whose requests are noted, and a generator.
func open(t *testing.T) (*dynamo.DB, *ids.Generator) {
	t.Helper()
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	note := func(next aws.HTTPClient) aws.HTTPClient { return callstest.Client(t, next) }
	return dynamotest.DB(t, note), gen
}

// next returns an id.
func next(t *testing.T, gen ids.Source) ids.ID {
	t.Helper()
	id, err := gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

// table creates an empty table whose items expire.
func table(t *testing.T, schema func(string) *dynamodb.CreateTableInput, expiry func(string) *dynamodb.UpdateTimeToLiveInput) string {
	t.Helper()
	name := dynamotest.Table(t, schema)
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), expiry(name))
	require.NoError(t, err)
	return name
}
