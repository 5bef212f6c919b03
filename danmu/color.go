package danmu

// Color is a colour that was chosen, also black. The zero Color is the
// viewer's default.
type Color uint32

const chosen = 1 << 24

// RGB is a colour of 24 bits, red highest, as files write it: 0 is black.
func RGB(rgb uint32) Color { return Color(rgb&0xFFFFFF) | chosen }

// RGB returns the 24 bits, and whether a colour was chosen at all.
func (c Color) RGB() (rgb uint32, ok bool) { return uint32(c) & 0xFFFFFF, c&chosen != 0 }
