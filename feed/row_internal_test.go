package feed

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/itemgen"
)

func TestTheCodeOfRowsIsGenerated(t *testing.T) {
	t.Parallel()
	itemgen.Check[activityItem](t, "activity_gen.go")
	itemgen.Check[entryItem](t, "entry_gen.go")
	itemgen.Check[pulledItem](t, "pulled_gen.go")
}
