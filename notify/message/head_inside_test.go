package message

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func TestEveryAttributeOfAHeadIsDecodedIntoItsField(t *testing.T) {
	t.Parallel()
	var h head
	dynamotest.SameFields(t, &h, h.field)
}
