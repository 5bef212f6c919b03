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
func parseNiconico(r *Reader, raw []byte) (danmu.Comment, error) {
	k, err := members(raw)
	if err != nil {
		return danmu.Comment{}, err
	}
	key, err := k.takeKey("id")
	if err != nil {
		return danmu.Comment{}, err
	}
	c, err := k.niconico(r)
	c.Key = key
	return c, err
}

// niconico reads a record without its Key. Attributes in XML have the names of members
// in JSON.
func (k kept) niconico(r *Reader) (danmu.Comment, error) {
	var c danmu.Comment
	if deleted := k.attribute("deleted"); deleted != "" && deleted != "0" {
		return c, errDeleted
	}
	var vpos, vposMs, date, usec, posted, commands, user json.RawMessage
	if err := cmp.Or(
		k.take("body", &c.Text), k.take("content", &c.Text),
		k.take("vpos", &vpos), k.take("vposMs", &vposMs),
		k.take("date", &date), k.take("date_usec", &usec), k.take("postedAt", &posted),
		k.take("commands", &commands), k.take("mail", &commands),
		k.take("userId", &user), k.take("user_id", &user),
	); err != nil {
		return c, err
	}
	if c.Text == "" {
		return c, refuse("Text", "is missing or empty")
	}
	var err error
	if vposMs != nil {
		c.Progress, err = parseProgress(bare(vposMs), time.Millisecond)
	} else {
		c.Progress, err = parseProgress(bare(vpos), 10*time.Millisecond)
	}
	if err != nil {
		return c, err
	}
	if r.senders {
		if c.User, err = identity(user); err != nil {
			return c, err
		}
	}
	if date == nil {
		c.Sent = guessMember(r, posted, parseRFC3339)
	} else if c.Sent = guessMember(r, date, parseSent); !c.Sent.IsZero() {
		c.Sent = c.Sent.Add(guessMember(r, usec, parseMicroseconds))
	}
	var mail mail
	if commands != nil {
		mail = guess(r, string(commands), parseMail)
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

// parseMicroseconds reads a part of a second, to the millisecond.
func parseMicroseconds(s string) (time.Duration, bool) {
	n, ok := parseNatural(s)
	if n >= 1e6 {
		return 0, false
	}
	return time.Duration(n/1000) * time.Millisecond, ok
}

func assembleNiconico(c danmu.Comment) (any, error) {
	k, mail, err := membersOf(c)
	if err != nil {
		return nil, err
	}
	if err := k.putKey("id", c.Key); err != nil {
		return nil, err
	}
	known := map[string]any{"content": c.Text, "mail": mail}
	if c.User != "" {
		known["user_id"] = c.User
	}
	return k.with(known)
}

// membersOf returns what both JSON and XML have of a comment: the other members and
// those of times, and the commands.
func membersOf(c danmu.Comment) (kept, mail, error) {
	k := kept{}
	if err := keptOf(c, Niconico, &k); err != nil {
		return nil, nil, err
	}
	var commands mail
	if err := k.take("mail", &commands); err != nil {
		return nil, nil, err
	}
	commands, err := commands.as(c)
	if err != nil {
		return nil, nil, err
	}
	ms := c.Progress.Milliseconds()
	known := map[string]any{"vpos": ms / 10}
	if ms%10 != 0 {
		known["vposMs"] = ms
	}
	if !c.Sent.IsZero() {
		known["date"] = c.Sent.Unix()
		if usec := c.Sent.UnixMilli() % 1000 * 1000; usec != 0 {
			known["date_usec"] = usec
		}
	}
	k, err = k.with(known)
	return k, commands, err
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
