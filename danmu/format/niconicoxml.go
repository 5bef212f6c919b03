package format

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza/danmu"
)

// Niconico's <packet><thread/><chat thread="1" no="2" vpos="150" date="1600000000"
// mail="ue red 184" user_id="…">text</chat>…</packet>. The attributes mean what the
// members in JSON mean. A no is unique only within a thread and its fork, so the Key is
// made of all three, unless there is an id, which only our own files have.
func parseNiconicoXML(r *Reader, attributes, content []byte) (danmu.Comment, error) {
	k := kept{}
	if err := eachAttribute(attributes, func(name, value []byte) error {
		text := r.xmlText(value)
		if n, ok := number(text); ok && string(name) != "mail" {
			return k.set(string(name), n)
		}
		return k.set(string(name), text)
	}); err != nil {
		return danmu.Comment{}, err
	}
	if err := k.set("content", r.xmlText(content)); err != nil {
		return danmu.Comment{}, err
	}
	key := k.attributeKey()
	if !r.senders {
		delete(k, "name")
	}
	c, err := k.niconico(r)
	c.Key = key
	if k.privileged() && strings.HasPrefix(c.Text, "/") {
		c.Mode = danmu.Code
	}
	return c, err
}

// attributeKey takes the Key. It leaves attributes that are only a part of it.
func (k kept) attributeKey() string {
	id := named(k.attribute("id"))
	delete(k, "id")
	key := k.numbered()
	if key == k.attribute("no") || key == "" {
		delete(k, "no")
	}
	return cmp.Or(id, key)
}

// numbered returns the Key of a record that has a no.
func (k kept) numbered() string {
	thread, fork, no := k.attribute("thread"), named(k.attribute("fork")), named(k.attribute("no"))
	switch {
	case no == "":
		return ""
	case fork != "":
		return thread + "/" + fork + "/" + no
	case thread != "":
		return thread + "/" + no
	}
	return no
}

// putNumber is the inverse of attributeKey. Players skip a record without a no.
func (k kept) putNumber(key string) {
	delete(k, "id")
	_, no := k["no"]
	switch {
	case key == k.numbered():
	case key == "":
		no = false
	case !no && k["thread"] == nil && k["fork"] == nil && isNumber(key):
		k["no"] = json.RawMessage(key)
		return
	default:
		k["id"], _ = marshal(key) // a string is always JSON
	}
	if !no {
		k["no"] = json.RawMessage("0")
	}
}

// privileged reports whether a record is by the owner or an operator. Their texts that
// begin with "/", such as "/vote", are commands to the player.
func (k kept) privileged() bool {
	premium, _ := strconv.Atoi(k.attribute("premium"))
	return premium > 1 || k.owned()
}

// owned reports whether a record is by the owner of the video.
func (k kept) owned() bool {
	switch k.attribute("fork") {
	case "", "0", "main", "easy":
		return false
	}
	return true
}

// attribute returns a member as the text of an attribute.
func (k kept) attribute(name string) string {
	switch raw := k[name]; string(raw) {
	case "true":
		return "1"
	case "false":
		return "0"
	case "null", `""`:
		return ""
	default:
		return bare(raw)
	}
}

func assembleNiconicoXML(dst []byte, c danmu.Comment) ([]byte, error) {
	command := c.Mode == danmu.Code && strings.HasPrefix(c.Text, "/")
	if command {
		var own struct{ Mail mail }
		if err := keptOf(c, Niconico, &own); err != nil {
			return nil, err
		}
		c.Mode = first(own.Mail, commandMode)
	}
	k, mail, err := membersOf(c)
	if err != nil {
		return nil, err
	}
	k.putNumber(c.Key)
	known := map[string]any{"user_id": cmp.Or(c.User, "0")} // without a sender, players take it for the owner's
	if c.User == "" && k.owned() {
		delete(k, "user_id")
		delete(known, "user_id")
	}
	if c.Sent.IsZero() {
		known["date"] = 0 // players skip a record without one
	}
	if len(mail) > 0 {
		known["mail"] = strings.Join(mail, " ")
	}
	if command && !k.privileged() {
		known["premium"] = 3
	}
	if k, err = k.with(known); err != nil {
		return nil, err
	}
	return k.appendChat(dst, c.Text)
}

// usualAttributes are in the order in which files have them.
var usualAttributes = [...]string{"thread", "fork", "no", "vpos", "vposMs", "date", "date_usec", "mail", "user_id", "premium", "anonymity"}

func (k kept) appendChat(dst []byte, text string) ([]byte, error) {
	dst = append(dst, "<chat"...)
	for _, name := range slices.Concat(usualAttributes[:], k.names()) {
		raw, ok := k[name]
		if !ok {
			continue
		}
		delete(k, name)
		if !isName(name) {
			return nil, refuse("Extra", "has an attribute whose name is not XML")
		}
		if raw[0] == '[' || raw[0] == '{' || string(raw) == "null" {
			continue
		}
		dst = appendQuoted(append(append(append(dst, ' '), name...), `="`...), kept{name: raw}.attribute(name))
		dst = append(dst, '"')
	}
	return appendContent(append(dst, '>'), text, "</chat>")
}

func isNumber(s string) bool {
	_, ok := parseDigits(s)
	return ok && s[0] != '0'
}
