package feed_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// place is where an activity is.
type place struct{ id, owner string }

// pullingHome reads a page of a home whose header names outboxes. It need not read outboxes
// and activities that it is given.
func (c bare) pullingHome(b *testing.B, reader string, limit int, outboxes map[string][]place, bodies map[place]item) []feed.Activity {
	home := c.query(b, c.w.feedTable, "H#"+reader, "", int32(limit+2), false).Items
	var sources []string
	if home[0]["sk"].(*types.AttributeValueMemberS).Value == "~" {
		for name := range home[0] {
			if pull := strings.Split(name, "#"); pull[0] == "pull" { // pull#edge#source
				sources = append(sources, pull[2])
			}
		}
		home = home[1:]
	}
	var rows []place
	for _, entry := range home {
		parts := strings.Split(entry["sk"].(*types.AttributeValueMemberS).Value, "#")
		rows = append(rows, place{parts[0], parts[1]})
	}
	if outboxes == nil {
		outboxes = c.outboxes(b, sources, 8)
	}
	for _, source := range sources {
		rows = append(rows, outboxes[source]...)
	}
	slices.SortFunc(rows, func(x, y place) int { return cmp.Compare(y.id, x.id) })
	if bodies == nil {
		bodies = c.bodies(b, rows[:limit+1])
	}
	page := make([]feed.Activity, limit)
	for i := range page {
		page[i] = activityOf(b, bodies[rows[i]])
	}
	return page
}

// outboxes reads the newest rows of outboxes.
func (c bare) outboxes(b *testing.B, sources []string, limit int32) map[string][]place {
	read := make([][]place, len(sources))
	var group errgroup.Group
	group.SetLimit(64)
	for i, source := range sources {
		group.Go(func() error {
			out, err := c.client.Query(b.Context(), &dynamodb.QueryInput{
				TableName: &c.w.feedTable, Limit: &limit, ScanIndexForward: aws.Bool(false),
				KeyConditionExpression:    aws.String("pk = :pk AND sk < :to"),
				ProjectionExpression:      aws.String("sk, #owner, about, removed"),
				ExpressionAttributeNames:  map[string]string{"#owner": "owner"},
				ExpressionAttributeValues: item{":pk": text("O#" + source), ":to": text("8")},
			})
			if err != nil {
				return err
			}
			for _, found := range out.Items {
				read[i] = append(read[i], place{found["sk"].(*types.AttributeValueMemberS).Value, source})
			}
			return nil
		})
	}
	require.NoError(b, group.Wait())
	rows := map[string][]place{}
	for i, source := range sources {
		rows[source] = read[i]
	}
	return rows
}

func (c bare) bodies(b *testing.B, rows []place) map[place]item {
	keys := make([]item, len(rows))
	for i, row := range rows {
		keys[i] = item{"pk": text("O#" + row.owner), "sk": text(row.id)}
	}
	out, err := c.client.BatchGetItem(b.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{c.w.feedTable: {Keys: keys}},
	})
	require.NoError(b, err)
	bodies := map[place]item{}
	for _, found := range out.Responses[c.w.feedTable] {
		pk, sk := found["pk"].(*types.AttributeValueMemberS).Value, found["sk"].(*types.AttributeValueMemberS).Value
		bodies[place{sk, strings.TrimPrefix(pk, "O#")}] = found
	}
	return bodies
}

// pullingWorld makes jack follow chris and n pulled sources. All publish in turns, so
// that each outbox has at most 8 of a page.
func pullingWorld(b *testing.B, n int) (w world, sources []string) {
	w = newWorld(b, &feed.Options{})
	w.subscribe(b, "jack", "chris")
	turn := []string{"chris", "chris"}
	for i := range n {
		source := fmt.Sprintf("star%d", i)
		_, err := w.Outbox(source).SetPulled(b.Context(), true)
		require.NoError(b, err)
		sources, turn = append(sources, source), append(turn, source)
	}
	_, err := w.Deliver(b.Context())
	require.NoError(b, err)
	for _, source := range sources {
		w.subscribe(b, "jack", source)
	}
	w.publish(b, "chris", 30) // below the page
	for published := 0; published < 60; published += len(turn) {
		for _, owner := range turn {
			w.publish(b, owner, 1)
		}
	}
	return w, sources
}

// BenchmarkPulledHomePage is of a page of 20 with some pulled sources: cold, with their ids in
// the PullCache, and with the activities in the Cache too.
func BenchmarkPulledHomePage(b *testing.B) {
	for _, n := range []int{0, 1, 10, 100} {
		w, sources := pullingWorld(b, n)
		c := newBare(w)
		now := time.Now()
		clock := func() time.Time { return now } // so that caches keep what they have
		bodies, err := feed.NewMemoryCache(&feed.MemoryCacheOptions{Now: clock})
		require.NoError(b, err)
		pulls := max(n, 1)
		for _, state := range []struct {
			name string
			opts feed.Options
		}{
			{"cold", feed.Options{Now: clock}},
			{"ids", feed.Options{Now: clock, PullCache: pulls}},
			{"all", feed.Options{Now: clock, PullCache: pulls, Cache: bodies}},
		} {
			if n == 0 && state.name == "ids" {
				continue
			}
			b.Run(fmt.Sprintf("%d/%s", n, state.name), func(b *testing.B) {
				feeds := w.process(b, &state.opts)
				ours := func() []feed.Activity {
					page, err := feeds.Home("jack").List(b.Context(), cursor.PageRequest{Limit: 20})
					require.NoError(b, err)
					return page.Items
				}
				shown := ours() // and fills the caches
				var outboxes map[string][]place
				var known map[place]item
				if state.opts.PullCache > 0 {
					outboxes = c.outboxes(b, sources, 40)
				}
				if state.opts.Cache != nil {
					rows := make([]place, len(shown))
					for i, a := range shown {
						rows[i] = place{a.ID.String(), a.Owner}
					}
					known = c.bodies(b, rows)
				}
				theirs := func() []feed.Activity { return c.pullingHome(b, "jack", 20, outboxes, known) }
				require.Equal(b, shown, theirs())
				dynamotest.Pair(b, func() { ours() }, func() { theirs() })
			})
		}
	}
}

// BenchmarkPullCache fills the cache of ids again for each page.
func BenchmarkPullCache(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		w, sources := pullingWorld(b, n)
		c := newBare(w)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			now := time.Now()
			feeds := w.process(b, &feed.Options{PullCache: n, Now: func() time.Time { return now }})
			dynamotest.Pair(b, func() {
				now = now.Add(6 * time.Second)
				page, err := feeds.Home("jack").List(b.Context(), cursor.PageRequest{Limit: 20})
				require.NoError(b, err)
				require.Len(b, page.Items, 20)
			}, func() {
				page := c.pullingHome(b, "jack", 20, c.outboxes(b, sources, 40), nil)
				require.Len(b, page, 20)
			})
		})
	}
}
