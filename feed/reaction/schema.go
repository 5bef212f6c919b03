package reaction

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table returns the schema of a table with that name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL returns the request that turns on expiry, of the records of ended
// reactions.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "reaction", Format: 1, Schema: Table, Expires: true}
}

// shape of reactions: U#user / object {id#kind, shard#kind or ended#kind, ver,
// ttl} guards all reactions of a user to an object; M#user#kind / id {object}
// and L#object#kind#shard / id {user} are the lists; C#object#shard / C
// {count#kind, ver, shards} are the counters.
func shape(kinds []string) edge.Shape {
	return edge.Shape{
		Guard:   "U",
		Tails:   "M",
		Heads:   "L",
		Counter: "C",
		Tail:    "user",
		Head:    "object",
		Count:   "count",
		Kinds:   kinds,
		Apart:   true,
	}
}
