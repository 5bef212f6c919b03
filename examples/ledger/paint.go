package ledger

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// Style is a look of text, as parameters of ANSI's select graphic rendition.
type Style string

// The styles that all examples use.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Faint  Style = "2"
	Good   Style = "32"
	Bad    Style = "1;31"
	Marked Style = "1;38;5;205"
)

// Paint gives text a style if the output takes colours. Pad the text before.
func (l *Ledger) Paint(s Style, text string) string {
	if !l.colors || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Terminal reports whether out is a terminal.
func Terminal(out io.Writer) bool {
	f, ok := out.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// colors reports whether out takes colours: a terminal does, unless its user set
// NO_COLOR. On Windows only the newer terminal surely does.
func colors(out io.Writer) bool {
	switch {
	case os.Getenv("NO_COLOR") != "", os.Getenv("TERM") == "dumb":
		return false
	case runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "":
		return false
	}
	return Terminal(out)
}
