package message

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/itemgen"
)

func TestTheCodeOfItemsIsGenerated(t *testing.T) {
	t.Parallel()
	t.Run("item", func(t *testing.T) { itemgen.Check[item](t, "item_gen.go") })
	t.Run("entry", func(t *testing.T) { itemgen.Check[entry](t, "entry_gen.go") })
}
