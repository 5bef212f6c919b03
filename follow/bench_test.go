package follow_test

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
)

func BenchmarkFollow(b *testing.B) {
	ours, bare := edgetest.Begins(b, feature(b))
	dynamotest.Pair(b, ours, bare)
}

func BenchmarkFollowersPage(b *testing.B) {
	ours, bare := edgetest.Lists(b, feature(b))
	dynamotest.Pair(b, ours, bare)
}
