package format

import (
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza/danmu"
)

// Files write white if nobody chose a colour, so white is read as none.
const white = 0xFFFFFF

// parseColor reads a colour as a number. Its guess of "#f00" is red.
func parseColor[T text](s T) (danmu.Color, bool) {
	n, ok := parseWhole(s)
	if rgb, is := parseRGB(string(s)); is {
		return colorOf(rgb), false
	}
	if n < 0 || n > white {
		return 0, false
	}
	return colorOf(uint32(n)), ok
}

func colorOf(rgb uint32) danmu.Color {
	if rgb == white {
		return 0
	}
	return danmu.RGB(rgb)
}

func rgbOf(c danmu.Color) uint32 {
	if rgb, ok := c.RGB(); ok {
		return rgb
	}
	return white
}

// parseRGB reads "#fff" and "#FFFFFF".
func parseRGB(s string) (uint32, bool) {
	digits, ok := strings.CutPrefix(s, "#")
	if ok && len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	return uint32(n), ok && len(digits) == 6 && err == nil
}

func hexColor(c danmu.Color) string {
	return "#" + strings.ToUpper(strconv.FormatUint(uint64(1<<24|rgbOf(c)), 16)[1:])
}

// Files write a size of 25 if nobody chose one, so 25 is read as none.
const usualSize = 25

func parseSize[T text](s T) (int, bool) {
	n, ok := parseNatural(s)
	if n == usualSize {
		n = 0
	}
	return n, ok
}

// parseMode reads a mode as Bilibili numbers it.
func parseMode[T text](s T) (danmu.Mode, bool) {
	n, ok := parseNatural(s)
	if n == 1 {
		n = 0
	}
	return danmu.Mode(n), ok
}

func modeNumber(m danmu.Mode) int64 {
	if m <= danmu.Scroll {
		return 1
	}
	return int64(m)
}

// parseSide reads a mode as DPlayer and ArtPlayer number it.
func parseSide(s string) (danmu.Mode, bool) {
	n, ok := parseInt(s)
	switch n {
	case 1:
		return danmu.Top, ok
	case 2:
		return danmu.Bottom, ok
	}
	return danmu.Scroll, ok && n == 0
}

func side(m danmu.Mode) (int, error) {
	switch m {
	case danmu.Scroll, 1, 2, 3: // all scroll
		return 0, nil
	case danmu.Top:
		return 1, nil
	case danmu.Bottom:
		return 2, nil
	}
	return 0, refuse("Mode", "is not in this format")
}
