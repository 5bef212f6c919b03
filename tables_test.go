package plaza_test

import (
	"go/ast"
	"maps"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/stream"
)

// tables are the schemas of all tables, by directory and name.
var tables = map[string]func(string) *dynamodb.CreateTableInput{
	"danmu.Table":          danmu.Table,
	"feed.Table":           feed.Table,
	"feed/comment.Table":   comment.Table,
	"feed/reaction.Table":  reaction.Table,
	"follow.Table":         follow.Table,
	"ids/lease.Table":      lease.Table,
	"leaderboard.Table":    leaderboard.Table,
	"notify.Table":         notify.Table,
	"notify/message.Table": message.Table,
	"stream.DeadSchema":    stream.DeadSchema,
	"stream.Table":         stream.Table,
}

func TestEveryTableIsListedHere(t *testing.T) {
	t.Parallel()
	require.Equal(t, declared(t, tablesOf), slices.Sorted(maps.Keys(tables)))
}

// tablesOf are the functions of a file that return a table's schema.
func tablesOf(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil {
			continue
		}
		for _, result := range f.Type.Results.List {
			if pointer, ok := result.Type.(*ast.StarExpr); ok {
				if named, ok := pointer.X.(*ast.SelectorExpr); ok && named.Sel.Name == "CreateTableInput" {
					names = append(names, f.Name.Name)
				}
			}
		}
	}
	return names
}

// TestTablesStayWithinDynamoDBsLimits checks what DynamoDB Local does not.
func TestTablesStayWithinDynamoDBsLimits(t *testing.T) {
	t.Parallel()
	for name, schema := range tables {
		in := schema("name")
		included := 0
		count := func(p *types.Projection) { included += len(p.NonKeyAttributes) }
		for _, i := range in.LocalSecondaryIndexes {
			count(i.Projection)
		}
		for _, i := range in.GlobalSecondaryIndexes {
			count(i.Projection)
		}
		require.LessOrEqual(t, included, 20, "%s: attributes that indexes include", name)
		require.LessOrEqual(t, len(in.LocalSecondaryIndexes), 5, name)
		require.LessOrEqual(t, len(in.GlobalSecondaryIndexes), 20, name)
	}
}
