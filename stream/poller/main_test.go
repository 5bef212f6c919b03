package poller_test

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestMain(m *testing.M) { faults.Main(m) }
