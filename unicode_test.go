package plaza_test

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON is read by internal/jsontext, because encoding/json replaces what is not Unicode.
func TestNoJSONIsReadUnchecked(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"danmu/format.json.NewDecoder",                   // of ndjson, which checks its lines
		"stream.json.Unmarshal", "stream.json.Unmarshal", // of failures, whose parts are checked
	}, declared(t, unchecked))
}

// unchecked are the calls of encoding/json in a file that decode or check.
func unchecked(file *ast.File) (calls []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "json" {
				switch f.Sel.Name {
				case "Unmarshal", "Valid", "NewDecoder":
					calls = append(calls, "json."+f.Sel.Name)
				}
			}
		}
		return true
	})
	return calls
}
