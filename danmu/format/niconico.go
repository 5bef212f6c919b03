package format

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// Niconico's [{"id":1,"vpos":150,"content":"…","date":1600000000,"mail":["ue","red","184"]},…]:
// vpos in hundredths of a second, mail the commands that say mode, colour and
// size. All commands and the other members stay in Extra. A record of the
// newer threads has other names for the same: vposMs, body, postedAt,
// commands, userId; what is written has the older ones, and vposMs beside a
// vpos that is not exact.
func parseNiconico(raw []byte, senders bool) (danmu.Comment, error) {
	var c danmu.Comment
	k, err := members(raw)
	if err != nil {
		return c, err
	}
	var vpos, vposMs, date, usec, posted, user json.RawMessage
	var mail commands
	if err := cmp.Or(
		k.take("body", &c.Text), k.take("content", &c.Text),
		k.take("vpos", &vpos), k.take("vposMs", &vposMs),
		k.take("date", &date), k.take("date_usec", &usec), k.take("postedAt", &posted),
		k.take("commands", &mail), k.take("mail", &mail),
		k.take("userId", &user), k.take("user_id", &user),
	); err != nil {
		return c, err
	}
	if c.Text == "" {
		return c, refuse("Text", "is missing or empty")
	}
	if vposMs != nil {
		c.Progress, err = parseProgress(bare(vposMs), time.Millisecond)
	} else {
		c.Progress, err = parseProgress(bare(vpos), 10*time.Millisecond)
	}
	if err != nil {
		return c, err
	}
	if c.Sent, err = niconicoSent(date, usec, posted); err != nil {
		return c, err
	}
	if c.Key, err = k.takeKey("id"); err != nil {
		return c, err
	}
	if senders {
		if c.User, err = identity(user); err != nil {
			return c, err
		}
	}
	c.Mode, c.Color, c.Size = first(mail, commandMode), first(mail, commandColor), first(mail, commandSize)
	if len(mail) > 0 {
		if err := k.set("mail", mail); err != nil {
			return c, err
		}
	}
	if len(k) > 0 {
		c.Extra, err = keep(Niconico, k)
	}
	return c, err
}

func niconicoSent(date, usec, posted json.RawMessage) (time.Time, error) {
	if date == nil && posted == nil {
		return time.Time{}, nil
	}
	if date == nil {
		t, err := time.Parse(time.RFC3339, bare(posted))
		if err != nil || t.Unix() < 0 || t.Unix() > maxSent {
			return time.Time{}, refuse("Sent", "is not a time")
		}
		return t.UTC().Truncate(time.Millisecond), nil
	}
	t, err := parseSent(bare(date))
	if err != nil || usec == nil || t.IsZero() {
		return t, err
	}
	n, err := parseInt("Sent", bare(usec))
	if err != nil || n < 0 || n >= 1e6 {
		return time.Time{}, refuse("Sent", "is not a time")
	}
	return t.Add(time.Duration(n/1000) * time.Millisecond), nil
}

func assembleNiconico(c danmu.Comment) (any, error) {
	k := kept{}
	if err := keptOf(c, Niconico, &k); err != nil {
		return nil, err
	}
	var mail commands
	if err := k.take("mail", &mail); err != nil {
		return nil, err
	}
	mail, err := mail.as(c)
	if err != nil {
		return nil, err
	}
	ms := c.Progress.Milliseconds()
	known := map[string]any{"content": c.Text, "vpos": ms / 10, "mail": mail}
	if ms%10 != 0 {
		known["vposMs"] = ms
	}
	if !c.Sent.IsZero() {
		known["date"] = c.Sent.Unix()
		if usec := c.Sent.UnixMilli() % 1000 * 1000; usec != 0 {
			known["date_usec"] = usec
		}
	}
	if err := k.putKey("id", c.Key); err != nil {
		return nil, err
	}
	if c.User != "" {
		known["user_id"] = c.User
	}
	return k.with(known)
}

// addFork keeps the fork of the thread, such as that of the owner's comments.
func addFork(c *danmu.Comment, fork string) error {
	k := kept{}
	if err := keptOf(*c, Niconico, &k); err != nil {
		return err
	}
	if _, own := k["fork"]; own {
		return nil
	}
	k["fork"] = json.RawMessage(fork)
	var err error
	c.Extra, err = keep(Niconico, k)
	return err
}

// commands are Niconico's style commands, such as "ue", "red" or "184": an array
// in files, formerly a string.
type commands []string

func (cs *commands) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*cs = strings.Fields(one)
		return nil
	}
	return json.Unmarshal(b, (*[]string)(cs))
}

// as returns the commands for c: cs, except for commands that contradict c.
func (cs commands) as(c danmu.Comment) (commands, error) {
	cs = append(commands{}, cs...) // never null
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
	cs = replace(cs, commandMode, c.Mode, mode)

	color := ""
	if c.Color = colorOf(rgbOf(c.Color)); c.Color != 0 {
		color = colorCommand(c.Color)
	}
	cs = replace(cs, commandColor, c.Color, color)

	switch {
	case c.Size != 0 && c.Size <= (smallSize+usualSize)/2:
		return replace(cs, commandSize, smallSize, "small"), nil
	case c.Size > (usualSize+bigSize)/2:
		return replace(cs, commandSize, bigSize, "big"), nil
	}
	return replace(cs, commandSize, 0, ""), nil
}

// first returns the value of the first command of a kind.
func first[T any](cs commands, kind func(string) (T, bool)) T {
	for _, name := range cs {
		if v, ok := kind(name); ok {
			return v
		}
	}
	var none T
	return none
}

// replace makes name the command of a kind, unless the commands already mean want.
func replace[T comparable](cs commands, kind func(string) (T, bool), want T, name string) commands {
	if first(cs, kind) == want {
		return cs
	}
	cs = slices.DeleteFunc(cs, func(other string) bool {
		_, ok := kind(other)
		return ok
	})
	if name == "" {
		return cs
	}
	return append(cs, name)
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
