package main

import (
	"context"
	"fmt"
	"net/mail"

	"github.com/plaza-sdk/plaza"
	digestmail "github.com/plaza-sdk/plaza/examples/digest/mail"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// person is what the service knows of a user.
type person struct {
	address mail.Address
	zone    string
	channel string
}

// people are the service's users.
var people = registry{
	"ann":   {address: mail.Address{Name: "Ann Müller", Address: "ann@example.test"}, zone: "Europe/Berlin", channel: byMail},
	"bob":   {address: mail.Address{Name: `Bob "B" <3`, Address: "bob@example.test"}, channel: byMail},
	"chris": {channel: byHook},
}

type registry map[string]person

// Address and Letter make it a mail.Desk.
func (r registry) Address(_ context.Context, user string) (mail.Address, error) {
	if found, ok := r[user]; ok && found.address.Address != "" {
		return found.address, nil
	}
	return mail.Address{}, plaza.ErrNotFound
}

func (r registry) Letter(_ context.Context, d digest.Digest) (digestmail.Letter, error) {
	letter := digestmail.Letter{Lang: "en", Subject: subject(d), Unsubscribe: "No more mails like this"}
	for _, e := range d.Entries {
		letter.Lines = append(letter.Lines, digestmail.Line{Text: line(e), Link: "https://plaza.test/" + e.Activity.Object.Kind + "/" + e.Activity.Object.ID})
	}
	return letter, nil
}

func subject(d digest.Digest) string {
	switch {
	case d.More:
		return fmt.Sprintf("More than %d things happened", len(d.Entries))
	case len(d.Entries) == 1:
		return "1 thing happened"
	default:
		return fmt.Sprintf("%d things happened", len(d.Entries))
	}
}

func lines(d digest.Digest) (all []string) {
	for _, e := range d.Entries {
		all = append(all, line(e))
	}
	return all
}

// line describes an entry in words.
func line(e notify.Entry) string {
	who := e.Actors[0].ID
	if e.N > 1 {
		who = fmt.Sprintf("%s and %d more", who, e.N-1)
	}
	switch e.Activity.Verb {
	case "follow":
		return who + " followed you"
	case "like":
		return who + " liked your " + thing(e.Activity.Object)
	default:
		return who + " commented on your " + thing(e.Activity.Object)
	}
}

func thing(r feed.Ref) string { return r.Kind + " " + r.ID }
