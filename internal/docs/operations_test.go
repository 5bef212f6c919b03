package docs_test

import (
	"bytes"
	"fmt"
	"go/printer"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
)

// Requests that a call sends before it names itself would count for no
// operation.
func TestEachCallThatSendsRequestsNamesThemFirst(t *testing.T) {
	t.Parallel()
	all, err := calls.Find(root)
	require.NoError(t, err)
	for _, c := range all {
		first := ""
		if len(c.Decl.Body.List) > 0 {
			var text bytes.Buffer
			require.NoError(t, printer.Fprint(&text, token.NewFileSet(), c.Decl.Body.List[0]))
			first = text.String()
		}
		name := fmt.Sprintf("ctx = plaza.WithOperation(ctx, %q)", c.Operation())
		if c.Named() {
			assert.Equal(t, name, first, "the first statement of %s, in %s", c.Operation(), c.Pos)
		} else {
			assert.NotContains(t, first, "WithOperation", "%s sends nothing itself: it leaves the name to what it calls", c.Operation())
		}
	}
}
