package danmu

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/itemgen"
)

func TestTheCodeOfItemsIsGenerated(t *testing.T) {
	t.Parallel()
	itemgen.Check[commentItem](t, "item_gen.go")
}
