package calls

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/meter"
)

func TestADirectiveStatesACost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Row{
		"//plaza:cost of a pair: 1 request, 2 transactions, 1.5 RCU, 1,000 WCU": {"of a pair", "1 request, 2 transactions, 1.5 RCU, 1,000 WCU", meter.Cost{Requests: 3, Read: 1.5, Write: 1000}},
		"//plaza:cost within CacheTTL: none":                                    {"within CacheTTL", "none", meter.Cost{}},
		"//plaza:cost a repeat: as Get":                                         {"a repeat", "as Get", meter.Cost{}},
	} {
		rows, err := rowsOf(&ast.CommentGroup{List: []*ast.Comment{{Text: "// Cost: 1 request."}, {Text: text}}})
		require.NoError(t, err, text)
		require.Equal(t, []Row{want}, rows)
	}
	for _, text := range []string{"//plaza:cost 1 request", "//plaza:cost x: 1 request for each", "//plaza:cost x: a request", "//plaza:cost x: 1.2.3 RCU"} {
		_, err := rowsOf(&ast.CommentGroup{List: []*ast.Comment{{Text: text}}})
		require.Error(t, err, text)
	}
}
