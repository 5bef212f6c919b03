package announce

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/itemgen"
)

func TestTheCodeOfRowsIsGenerated(t *testing.T) {
	t.Parallel()
	itemgen.Check[row](t, "row_gen.go")
}
