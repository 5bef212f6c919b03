package follow_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets rapid try all its sequences where CI is set, and else one in
// five of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); os.Getenv("CI") == "" && checks.Value.String() == checks.DefValue {
		_ = checks.Value.Set("20")
	}
	os.Exit(m.Run())
}
