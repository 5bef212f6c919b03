package videos

import (
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// parseColor reads a CSS colour: a name, #rgb or #rrggbb. An empty one is the
// viewer's default.
func parseColor(text string) (danmu.Color, error) {
	if text == "" {
		return 0, nil
	}
	if c, ok := colornames.Map[strings.ToLower(text)]; ok {
		return danmu.RGB(uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)), nil
	}
	digits, ok := strings.CutPrefix(text, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	rgb, err := strconv.ParseUint(digits, 16, 24)
	if !ok || err != nil || len(digits) != 6 {
		return 0, &plaza.InvalidError{Field: "content.color", Reason: "is not a CSS colour: a name, #rgb or #rrggbb"}
	}
	return danmu.RGB(uint32(rgb)), nil
}
