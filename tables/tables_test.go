package tables_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/grants"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
	"github.com/plaza-sdk/plaza/tables"
)

func TestAllHasATableForEachFeature(t *testing.T) {
	t.Parallel()
	var features []string
	for _, table := range tables.All("app-") {
		features = append(features, table.Feature)
		require.Equal(t, "app-"+table.Feature, table.Name())
		if table.TTL != nil {
			require.Equal(t, table.Name(), *table.TTL.TableName)
		}
	}
	require.ElementsMatch(t, grants.Features(), features)
}

func TestEachTableIsWhatItsFeatureDescribes(t *testing.T) {
	t.Parallel()
	type (
		schema = func(string) *dynamodb.CreateTableInput
		expiry = func(string) *dynamodb.UpdateTimeToLiveInput
	)
	own := map[string]struct {
		schema schema
		expiry expiry
	}{
		"machines": {lease.Table, nil}, "follow": {follow.Table, follow.TTL}, "feed": {feed.Table, feed.TTL},
		"comment": {comment.Table, comment.TTL}, "reaction": {reaction.Table, reaction.TTL},
		"leaderboard": {leaderboard.Table, leaderboard.TTL}, "danmu": {danmu.Table, danmu.TTL},
		"notify": {notify.Table, notify.TTL}, "message": {message.Table, message.TTL},
		"pollers": {poller.Table, nil}, "letters": {letters.Table, letters.TTL},
	}
	for _, table := range tables.All("app-") {
		of := own[table.Feature]
		require.Equal(t, of.schema(table.Name()), table.Create)
		if of.expiry == nil {
			require.Nil(t, table.TTL)
		} else {
			require.Equal(t, of.expiry(table.Name()), table.TTL)
		}
	}
}

func TestOfHasTheTablesThatHaveAName(t *testing.T) {
	t.Parallel()
	ts := tables.Of(tables.Names{Feed: "posts"})
	require.Len(t, ts, 1)
	require.Equal(t, "posts", ts[0].Name())
	require.Empty(t, tables.Of(tables.Names{}))
}

func TestWithStreamLeavesTheOtherTableAlone(t *testing.T) {
	t.Parallel()
	plain := tables.Of(tables.Names{Feed: "posts"})[0]
	streamed := plain.WithStream()
	require.Nil(t, plain.Create.StreamSpecification)
	require.Equal(t, types.StreamViewTypeNewAndOldImages, streamed.Create.StreamSpecification.StreamViewType)
}

func TestGrantsOnTablesThatAreNotListedAreLeftOut(t *testing.T) {
	t.Parallel()
	on := func(ts []tables.Table, role tables.Role) map[string]bool {
		found := map[string]bool{}
		for _, g := range tables.Grants(ts, role) {
			require.Equal(t, role, g.Role)
			found[g.Table] = true
		}
		return found
	}
	feed, both := tables.Of(tables.Names{Feed: "feed"}), tables.Of(tables.Names{Feed: "feed", Follow: "follow"})
	require.Equal(t, map[string]bool{"feed": true}, on(feed, tables.Worker))
	require.Equal(t, map[string]bool{"feed": true, "follow": true}, on(both, tables.Worker))
	require.Empty(t, tables.Grants(feed, "nobody"))
	require.Len(t, tables.Grants(feed), len(tables.Roles()), "every role by default")

	// A poller reads the streams that there are.
	polled := tables.Of(tables.Names{Feed: "feed", Pollers: "pollers"})
	require.Equal(t, map[string]bool{"feed": true, "pollers": true}, on(polled, tables.Worker))
	streams := func() (n int) {
		for _, g := range tables.Grants(polled, tables.Worker) {
			if g.Stream {
				n++
			}
		}
		return n
	}
	require.Zero(t, streams())
	polled[0] = polled[0].WithStream()
	require.Equal(t, 1, streams())
}

func TestWhatATextCannotCarryIsRefused(t *testing.T) {
	t.Parallel()
	one := func(change func(*tables.Table)) []tables.Table {
		ts := tables.Of(tables.Names{Message: "message", Leaderboard: "leaderboard"})
		change(&ts[1])
		return ts
	}
	named := func(name string) []tables.Table { return tables.Of(tables.Names{Feed: name}) }
	for name, ts := range map[string][]tables.Table{
		"a name that ends a string of HCL": named(`a"
}
resource "aws_iam_user" "eve" {
  name = "eve`),
		"a name with a template of HCL":            named("app-${file(var.secret)}"),
		"a name that ends a string of JSON":        named(`app","DeletionPolicy":"Delete`),
		"a name with a comment":                    named("app-*/"),
		"a name with a line break":                 named("app\nname"),
		"a name that ends with one":                named("app\n"),
		"a name beyond ASCII":                      named("fée-d"),
		"too short a name":                         named("ab"),
		"too long a name":                          named(strings.Repeat("a", 256)),
		"two tables with one name":                 tables.Of(tables.Names{Feed: "same", Follow: "same"}),
		"one feature twice":                        append(named("one"), named("two")...),
		"no feature":                               one(func(t *tables.Table) { t.Feature = "" }),
		"a feature that is no identifier":          one(func(t *tables.Table) { t.Feature = `x" {}` }),
		"a feature named like the policies of all": one(func(t *tables.Table) { t.Feature = "all" }),
		"no schema":                                one(func(t *tables.Table) { t.Create = nil }),
		"provisioned throughput": one(func(t *tables.Table) {
			t.Create.BillingMode = types.BillingModeProvisioned
			t.Create.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1)}
		}),
		"encryption, which would be dropped": one(func(t *tables.Table) {
			t.Create.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true)}
		}),
		"throughput of an index, which would be dropped": {func() tables.Table {
			t := tables.Of(tables.Names{Leaderboard: "leaderboard"})[0]
			t.Create.GlobalSecondaryIndexes[0].OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(1)}
			return t
		}()},
		"an attribute that is no name": one(func(t *tables.Table) { t.Create.AttributeDefinitions[0].AttributeName = aws.String(`pk"`) }),
		"a type that is none":          one(func(t *tables.Table) { t.Create.AttributeDefinitions[0].AttributeType = `S"` }),
		"an index that is no name":     one(func(t *tables.Table) { t.Create.LocalSecondaryIndexes[0].IndexName = aws.String("${x}") }),
		"no keys":                      one(func(t *tables.Table) { t.Create.KeySchema = nil }),
		"a projection that is none": one(func(t *tables.Table) {
			t.Create.LocalSecondaryIndexes[0].Projection = &types.Projection{ProjectionType: "SOME"}
		}),
		"the expiry of another table": one(func(t *tables.Table) { t.TTL.TableName = aws.String("other") }),
		"an expiry that is no name":   one(func(t *tables.Table) { t.TTL.TimeToLiveSpecification.AttributeName = aws.String(`ttl"`) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, write := range []func(io.Writer, []tables.Table, *tables.Options) error{tables.CloudFormation, tables.Terraform} {
				var text bytes.Buffer
				var invalid *plaza.InvalidError
				require.ErrorAs(t, write(&text, ts, nil), &invalid)
				require.Empty(t, text.String())
				require.NotContains(t, invalid.Error(), "secret", "what was given is not repeated")
			}
		})
	}
	for _, roles := range [][]tables.Role{{"nobody"}, {tables.Reader, tables.Reader}} {
		err := tables.CloudFormation(io.Discard, named("feed"), &tables.Options{Roles: roles})
		require.ErrorIs(t, err, plaza.ErrInvalid)
	}
}

func TestAFailingWriterIsReported(t *testing.T) {
	t.Parallel()
	for _, write := range []func(io.Writer, []tables.Table, *tables.Options) error{tables.CloudFormation, tables.Terraform} {
		read, closed := io.Pipe()
		require.NoError(t, read.Close())
		require.ErrorIs(t, write(closed, listed(), nil), io.ErrClosedPipe)
	}
}
