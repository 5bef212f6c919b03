package reaction_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// stored is a table's items by key, each as text by attribute. The tests'
// names hold no '#', so keys are read by hand.
type stored map[[2]string]map[string]string

func scan(t testing.TB, w world) stored {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, dynamotest.DB(t).Table(w.table).Scan().All(t.Context(), &items))
	s := stored{}
	for _, item := range items {
		fields := map[string]string{}
		for name, value := range item {
			switch v := value.(type) {
			case *types.AttributeValueMemberS:
				fields[name] = v.Value
			case *types.AttributeValueMemberN:
				fields[name] = v.Value
			case *types.AttributeValueMemberNS:
				fields[name] = fmt.Sprint(slices.Sorted(slices.Values(v.Value)))
			}
		}
		s[[2]string{fields["pk"], fields["sk"]}] = fields
	}
	return s
}

// requireStored reads the whole table: each of the reactions, and no other,
// has its three parts, and the counters are their sums.
func requireStored(t testing.TB, w world, want reactions) {
	t.Helper()
	guards, inUsers, inObjects := map[string]string{}, map[string]string{}, map[string]string{}
	is, should, shards := map[string]int{}, map[string]int{}, map[string][]string{}
	table := scan(t, w)
	stands := reactions{}
	for key, item := range table {
		part := strings.Split(key[0], "#")
		switch part[0] {
		case "U":
			for attribute, id := range item {
				if kind, ok := strings.CutPrefix(attribute, "shard#"); ok {
					require.Contains(t, item, "id#"+kind)
				}
				if kind, ok := strings.CutPrefix(attribute, "ended#"); ok {
					require.NotContains(t, item, "id#"+kind)
				}
				if kind, ok := strings.CutPrefix(attribute, "id#"); ok {
					shard := cmp.Or(item["shard#"+kind], "0")
					require.NotContains(t, item, "ttl")
					guards[fmt.Sprint(part[1], " ", key[1], " ", kind, " ", id)] = shard
					should[fmt.Sprint(key[1], " ", shard, " ", kind)]++
					stands[place{part[1], key[1], kind}], _ = ids.Parse(id)
				}
			}
		case "M":
			inUsers[fmt.Sprint(part[1], " ", item["object"], " ", part[2], " ", key[1])] = ""
		case "L":
			inObjects[fmt.Sprint(item["user"], " ", part[1], " ", part[2], " ", key[1])] = part[3]
		case "C":
			for attribute, count := range item {
				if kind, ok := strings.CutPrefix(attribute, "count#"); ok && count != "0" {
					n, err := strconv.Atoi(count)
					require.NoError(t, err)
					is[fmt.Sprint(part[1], " ", part[2], " ", kind)] = n
				}
			}
			if part[2] != "0" {
				shards[part[1]] = append(shards[part[1]], part[2])
			}
		}
	}
	require.Equal(t, guards, inObjects)
	for guard := range guards {
		guards[guard] = ""
	}
	require.Equal(t, guards, inUsers)
	require.Equal(t, should, is)
	require.Equal(t, want, stands)
	for object, opened := range shards {
		require.Equal(t, fmt.Sprint(slices.Sorted(slices.Values(opened))), table[[2]string{"C#" + object + "#0", "C"}]["shards"])
	}
}
