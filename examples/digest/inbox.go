package main

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"

	"github.com/plaza-sdk/plaza/examples/digest/mailbox"
)

// all returns the digests that arrived, without repeats, and the number of repeats.
func (o *outside) all() (shown []arrival, repeats int, err error) {
	o.mu.Lock()
	all := append([]arrival(nil), o.arrived...)
	o.mu.Unlock()
	for _, m := range o.mails.Mails() {
		a, err := read(m)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, a)
	}
	known := map[string]bool{}
	for _, a := range all {
		if known[a.id] {
			repeats++
			continue
		}
		known[a.id] = true
		shown = append(shown, a)
	}
	return shown, repeats, nil
}

// read is what a mail program does: it shows mails of one Message-ID once.
func read(m mailbox.Mail) (arrival, error) {
	parsed, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return arrival{}, err
	}
	a := arrival{id: parsed.Header.Get("Message-Id"), leave: strings.Trim(parsed.Header.Get("List-Unsubscribe"), "<>")}
	for user, p := range people {
		if p.address.Address == m.To {
			a.user = user
		}
	}
	_, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil {
		return arrival{}, err
	}
	part, err := multipart.NewReader(parsed.Body, params["boundary"]).NextRawPart()
	if err != nil {
		return arrival{}, err
	}
	body, err := io.ReadAll(quotedprintable.NewReader(part))
	if err != nil {
		return arrival{}, err
	}
	var items []string
	for text := range strings.Lines(string(body)) {
		if item, ok := strings.CutPrefix(strings.TrimSpace(text), "- "); ok {
			items = append(items, item)
		}
	}
	a.text = parsed.Header.Get("Subject") + ": " + strings.Join(items, "; ")
	return a, nil
}
