package notify_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
)

// The largest group that anybody can make, of names that grow where they are joined
// or written as JSON, is well below the 400 KB of an item.
func TestTheLargestGroupFitsAnItem(t *testing.T) {
	t.Parallel()
	const largest = 270 << 10
	long := strings.Repeat("#", 256)
	actor := func(i int) feed.Ref { return feed.Ref{Kind: long, ID: fmt.Sprintf("%s%06d", long[:250], i)} }
	for _, by := range []notify.CountBy{notify.ByActivity, notify.ByActor} {
		meter := dynamotest.NewMeter()
		w := newWorld(t, nil, meter.Wrap, shortNames(t))
		n := w.like("")
		n.User, n.CountBy = long, by
		n.Activity.Actor, n.Activity.Verb = actor(0), strings.Repeat("\x01", 256)
		n.Activity.Object = feed.Ref{Kind: strings.Repeat("\x01", 256), ID: long}
		n.Activity.Target = feed.Ref{Kind: long[:120], ID: strings.Repeat("\x01", 256)}
		n.Activity.ForeignID = strings.Repeat("\x01", 256)
		n.Activity.Data = []byte(`"` + strings.Repeat("<", notify.MaxData-2) + `"`)
		w.store(t, n)

		w.fill(t, n, group.Cap-1, func(i int) feed.Ref { return actor(i + 1) })
		offs := map[string]string{}
		for i := range group.Cap - 1 {
			id := n.Activity.ID - ids.ID(i) - 1000
			if by == notify.ByActor {
				offs["e#"+actor(i+100).String()] = "-" + keys.Join(id.String(), id.String())
			} else {
				offs["e"+id.String()] = "-" + id.String()
			}
		}
		w.add(t, w.groups(t, n.User)[0], group.Cap-1, offs)

		gone := n
		gone.Activity.ID, gone.Activity.Actor = w.id(), actor(300)
		require.True(t, w.retract(t, gone))
		n.Activity.ID, n.Activity.Actor = w.id(), actor(301)
		meter.Take()
		w.store(t, n)
		g := w.groups(t, n.User)[0]
		require.EqualValues(t, group.Cap, g.N)
		require.Equal(t, [2]int{group.Cap, group.Cap}, [2]int{g.live, g.off})
		require.Equal(t, n.Activity.Data, g.activity(t).Data)
		cost := meter.Take()
		t.Logf("%v, index row of %d KB", cost, len(g.Data)>>10)
		require.LessOrEqual(t, cost.Write, float64(largest>>10))
		require.LessOrEqual(t, len(g.Data), 16<<10)
	}
}

// shortNames fails the test for names in expressions that DynamoDB refuses, and
// DynamoDB Local does not.
func shortNames(t *testing.T) wrapper {
	return func(next aws.HTTPClient) aws.HTTPClient {
		return doer(func(r *http.Request) (*http.Response, error) {
			req, err := wire.Read(r)
			require.NoError(t, err)
			var in struct{ ExpressionAttributeNames, ExpressionAttributeValues map[string]any }
			require.NoError(t, json.Unmarshal(req.Body, &in))
			for _, names := range []map[string]any{in.ExpressionAttributeNames, in.ExpressionAttributeValues} {
				for name := range names {
					require.LessOrEqual(t, len(name), 255)
				}
			}
			return next.Do(req.Again())
		})
	}
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }
