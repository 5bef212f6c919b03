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
	self, err := syscall.GetCurrentProcess()
	require.NoError(b, err)
	var created, exited, kernel, user syscall.Filetime
	require.NoError(b, syscall.GetProcessTimes(self, &created, &exited, &kernel, &user))
	ticks := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return 100 * time.Duration(ticks(kernel)+ticks(user))
}
