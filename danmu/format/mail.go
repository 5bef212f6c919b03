package format

import (
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// mail is Niconico's style commands, such as "ue", "red" or "184": an array in files,
// formerly a string.
type mail []string

func (m *mail) UnmarshalJSON(b []byte) error {
	var one string
	if jsontext.Unmarshal(b, &one) == nil {
		*m = strings.Fields(one)
		return nil
	}
	return jsontext.Unmarshal(b, (*[]string)(m))
}

func parseMail(raw string) (mail, bool) {
	var m mail
	if jsontext.Unmarshal([]byte(raw), &m) != nil {
		return nil, false
	}
	return m, true
}

// as returns the commands for c: m, except for commands that contradict c.
func (m mail) as(c danmu.Comment) (mail, error) {
	m = append(mail{}, m...) // never null
	mode := ""
	switch c.Mode {
	case danmu.Scroll, 1, 2, 3: // all scroll
		c.Mode = danmu.Scroll
	case danmu.Top:
		mode = "ue"
	case danmu.Bottom:
		mode = "shita"
	default:
		return nil, refuse("Mode", "is not in this format")
	}
	m = replace(m, commandMode, c.Mode, mode)

	color := ""
	if c.Color = colorOf(rgbOf(c.Color)); c.Color != 0 {
		color = colorCommand(c.Color)
	}
	m = replace(m, commandColor, c.Color, color)

	switch {
	case c.Size != 0 && c.Size <= (smallSize+usualSize)/2:
		return replace(m, commandSize, smallSize, "small"), nil
	case c.Size > (usualSize+bigSize)/2:
		return replace(m, commandSize, bigSize, "big"), nil
	}
	return replace(m, commandSize, 0, ""), nil
}

// first returns the value of the first command of a kind.
func first[T any](m mail, kind func(string) (T, bool)) T {
	for _, name := range m {
		if v, ok := kind(name); ok {
			return v
		}
	}
	var none T
	return none
}

// replace makes name the command of a kind, unless the commands already mean want.
func replace[T comparable](m mail, kind func(string) (T, bool), want T, name string) mail {
	if first(m, kind) == want {
		return m
	}
	m = slices.DeleteFunc(m, func(other string) bool {
		_, ok := kind(other)
		return ok
	})
	if name == "" {
		return m
	}
	return append(m, name)
}

func commandMode(name string) (danmu.Mode, bool) {
	switch name {
	case "naka":
		return danmu.Scroll, true
	case "ue":
		return danmu.Top, true
	case "shita":
		return danmu.Bottom, true
	}
	return 0, false
}

// Bilibili's small and big.
const smallSize, bigSize = 18, 36

func commandSize(name string) (int, bool) {
	switch name {
	case "small":
		return smallSize, true
	case "medium":
		return 0, true
	case "big":
		return bigSize, true
	}
	return 0, false
}

func commandColor(name string) (danmu.Color, bool) {
	if rgb, ok := parseRGB(name); ok {
		return colorOf(rgb), true
	}
	for _, p := range palette {
		if p.name == name {
			return colorOf(p.rgb), true
		}
	}
	return 0, false
}

func colorCommand(c danmu.Color) string {
	for _, p := range palette {
		if p.rgb == rgbOf(c) {
			return p.name
		}
	}
	return hexColor(c)
}

// palette is Niconico's colours, in the order of its manual; the second ten are
// for paying members.
var palette = [...]struct {
	name string
	rgb  uint32
}{
	{"white", 0xFFFFFF}, {"red", 0xFF0000}, {"pink", 0xFF8080}, {"orange", 0xFFC000}, {"yellow", 0xFFFF00},
	{"green", 0x00FF00}, {"cyan", 0x00FFFF}, {"blue", 0x0000FF}, {"purple", 0xC000FF}, {"black", 0x000000},
	{"white2", 0xCCCC99}, {"red2", 0xCC0033}, {"pink2", 0xFF33CC}, {"orange2", 0xFF6600}, {"yellow2", 0x999900},
	{"green2", 0x00CC66}, {"cyan2", 0x00CCCC}, {"blue2", 0x3399FF}, {"purple2", 0x6633CC}, {"black2", 0x666666},
	{"niconicowhite", 0xCCCC99}, {"truered", 0xCC0033}, {"passionorange", 0xFF6600}, {"madyellow", 0x999900},
	{"elementalgreen", 0x00CC66}, {"marineblue", 0x3399FF}, {"nobleviolet", 0x6633CC},
}
