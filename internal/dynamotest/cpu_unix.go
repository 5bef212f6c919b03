//go:build unix

package dynamotest

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// CPUTime is what this process has used so far, in all its goroutines.
func CPUTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
