package ledger

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// Style is how text looks: the parameters of ANSI's select graphic rendition.
type Style string

// The styles of what every example prints.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Faint  Style = "2"
	Good   Style = "32"
	Bad    Style = "1;31"
	Marked Style = "1;38;5;205"
)

// Paint gives text a style where the ledger has colours. Pad it before.
func (l *Ledger) Paint(s Style, text string) string {
	if !l.colors || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Terminal reports whether somebody looks at what is written.
func Terminal(out io.Writer) bool {
	f, ok := out.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// colors says whether out takes colours: a terminal does, unless its user said
// no by NO_COLOR. Of Windows only the newer one surely does.
func colors(out io.Writer) bool {
	switch {
	case os.Getenv("NO_COLOR") != "", os.Getenv("TERM") == "dumb":
		return false
	case runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "":
		return false
	}
	return Terminal(out)
}
