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

// Painter gives text a style if its output takes colours.
type Painter struct{ colors bool }

// NewPainter returns the Painter of an output. Where its user set NO_COLOR, there are
// no colours.
func NewPainter(out io.Writer) Painter { return Painter{os.Getenv("NO_COLOR") == "" && ANSI(out)} }

// Paint gives text a style. Pad the text before.
func (p Painter) Paint(s Style, text string) string {
	if !p.colors || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Terminal reports whether out is a terminal.
func Terminal(out io.Writer) bool {
	f, ok := out.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// ANSI reports whether out surely takes ANSI's sequences: a terminal, on Windows only
// the newer one.
func ANSI(out io.Writer) bool {
	if os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "" {
		return false
	}
	return Terminal(out)
}
