package dynamotest

import (
	"slices"
	"testing"

	"github.com/plaza-sdk/plaza/internal/engine"
)

// Difference is what an engine does unlike DynamoDB or the other engine.
type Difference struct {
	Engine engine.Kind
	Name   string // e.g. "keeps all in one database"
	Means  string // for a test, in a sentence
}

// Differences returns those that a test asks for, which docs/engines.md lists too.
func Differences() []Difference {
	return []Difference{
		{engine.Dynoxide, "keeps all in one database", "The access key names no database, so all tests of one `go test` see each other's tables."},
		{engine.Dynoxide, "sizes some numbers smaller", "It counts 1.5E+20 and 1700000000000 as a byte less than DynamoDB Local does, so an item at the edge of a unit may cost one less."},
		{engine.Dynoxide, "compares a transaction's items before their keys", "On a table of another key schema, two writes are refused as two of one item."},
	}
}

// Differs reports whether the engine of this test has a difference.
func Differs(t testing.TB, name string) bool {
	t.Helper()
	all := Differences()
	i := slices.IndexFunc(all, func(d Difference) bool { return d.Name == name })
	if i < 0 {
		t.Fatalf("dynamotest: there is no difference %q", name)
	}
	return all[i].Engine == Engine(t).Kind
}
