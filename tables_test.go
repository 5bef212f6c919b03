package plaza_test

import (
	"go/ast"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/grants"
	"github.com/plaza-sdk/plaza/tables"
)

func TestPackageTablesHasEveryTable(t *testing.T) {
	t.Parallel()
	var want, have []string
	for _, schema := range declared(t, tablesOf) {
		feature, ok := grants.FeatureOf(schema)
		require.True(t, ok, "no permissions for the table of %s", schema)
		want = append(want, feature)
	}
	for _, table := range tables.All("") {
		have = append(have, table.Feature)
	}
	require.ElementsMatch(t, want, have)
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
	for _, table := range tables.All("") {
		in, name := table.Create, table.Feature
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
