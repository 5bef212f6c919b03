package format

import (
	"cmp"
	"encoding/json"
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
			return time.Time{}, refuse("Sent", "is no time")
		}
		return t.UTC().Truncate(time.Millisecond), nil
	}
	t, err := parseSent(bare(date))
	if err != nil || usec == nil || t.IsZero() {
		return t, err
	}
	n, err := parseInt("Sent", bare(usec))
	if err != nil || n < 0 || n >= 1e6 {
		return time.Time{}, refuse("Sent", "is no time")
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

// addFork keeps which fork a thread was: the owner's comments, say.
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
