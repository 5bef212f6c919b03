package ledger_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/meter"
)

// printed returns what a ledger over out paints.
func printed(out io.Writer) string {
	return ledger.New(out, meter.New()).Paint(ledger.Bold, "x")
}

func TestThereAreColorsOnlyOnATerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("WT_SESSION", "1")
	require.Equal(t, "x", printed(new(bytes.Buffer)))
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	require.Equal(t, "x", printed(file))
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	require.Equal(t, "x", printed(null), "a device that is no terminal")

	screen, tty, err := pty.Open()
	if errors.Is(err, pty.ErrUnsupported) {
		t.Skip("no pseudo terminals")
	}
	require.NoError(t, err)
	defer screen.Close()
	defer tty.Close()
	require.Equal(t, "\x1b[1mx\x1b[0m", printed(tty))
	t.Setenv("NO_COLOR", "1")
	require.Equal(t, "x", printed(tty))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.Equal(t, "x", printed(tty))
}
