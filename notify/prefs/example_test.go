package prefs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// A user turns off mails about likes, and blocks somebody. A critical notification
// gets through all the same.
func Example() {
	ctx := context.Background()
	wants := open(ctx, &prefs.Options{
		Channels: []string{"email"},
		Verbs: []prefs.Verb{
			{Name: "like", Channels: []string{"email"}},
			{Name: "login", Channels: []string{"email"}, Critical: true},
		},
	})
	// wants is the Policy of notify.Options, so that notify asks it.
	show := func(actor, verb string) {
		d, err := wants.Decide(ctx, notify.Notification{User: "ann", Activity: feed.Activity{
			ID: ids.At(time.Now()), Actor: feed.Ref{ID: actor}, Verb: verb, Object: feed.Ref{Kind: "picture", ID: "10"},
		}})
		fmt.Println(actor, verb, "dropped:", d.Drop, "besides the list:", d.Channels, err)
	}
	show("bob", "like")

	_, err := wants.Set(ctx, prefs.Subscription{User: "ann", Verb: "like", Channel: "email"}, false)
	if err != nil {
		log.Fatal(err)
	}
	show("bob", "like")

	if _, err := wants.Block(ctx, prefs.Pair{User: "ann", Actor: "bob"}); err != nil {
		log.Fatal(err)
	}
	show("bob", "like")
	show("eve", "like")
	show("bob", "login")
	// Output:
	// bob like dropped: false besides the list: [email] <nil>
	// bob like dropped: false besides the list: [] <nil>
	// bob like dropped: true besides the list: [] <nil>
	// eve like dropped: false besides the list: [] <nil>
	// bob login dropped: false besides the list: [email] <nil>
}

// A mail has a link with which its reader, or the reader's mail program, unsubscribes
// with one click, as RFC 8058 says.
func ExampleRepository_Unsubscribe() {
	ctx := context.Background()
	wants := open(ctx, &prefs.Options{
		Channels: []string{"email"},
		Verbs:    []prefs.Verb{{Name: "comment", Channels: []string{"email"}}},
		Tokens: prefs.Keyring{Current: 1, Keys: map[byte][]byte{
			1: bytes.Repeat([]byte("a secret"), 4), // of your secrets' store
		}},
	})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // ask the reader: mail filters follow links
			_, _ = io.WriteString(w, `<form method="post"><button>Unsubscribe</button></form>`)
			return
		}
		s, changed, err := wants.Unsubscribe(r.Context(), r.URL.Query().Get("token"))
		switch {
		case errors.Is(err, plaza.ErrInvalid):
			w.WriteHeader(http.StatusBadRequest)
		case err != nil:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			fmt.Println(s.User, s.Verb, s.Channel, "changed:", changed)
		}
	}))
	defer service.Close()

	token, err := wants.Token(prefs.Subscription{User: "ann", Verb: "comment", Channel: "email"})
	if err != nil {
		log.Fatal(err)
	}
	header := http.Header{}
	header.Set("List-Unsubscribe", "<"+service.URL+"/?token="+token+">")
	header.Set("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")

	// What a mail program does.
	link := strings.Trim(header.Get("List-Unsubscribe"), "<>")
	for _, link := range []string{link, link, link + "x"} {
		resp, err := http.PostForm(link, url.Values{"List-Unsubscribe": {"One-Click"}})
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	// Output:
	// ann comment email changed: true
	// 200
	// ann comment email changed: false
	// 200
	// 400
}

// Settings is what a page of settings shows.
func ExampleRepository_Settings() {
	ctx := context.Background()
	wants := open(ctx, &prefs.Options{
		Channels: []string{"email"},
		Verbs:    []prefs.Verb{{Name: "like"}, {Name: "mention", Channels: []string{"email"}, Pierces: true}},
	})
	// Likes by mail too, and then no mails at all except for mentions.
	for _, step := range []struct {
		verb string
		on   bool
	}{{"like", true}, {"mention", true}, {prefs.AnyVerb, false}} {
		_, err := wants.Set(ctx, prefs.Subscription{User: "ann", Verb: step.verb, Channel: "email"}, step.on)
		if err != nil {
			log.Fatal(err)
		}
	}
	if _, err := wants.Unset(ctx, prefs.Subscription{User: "ann", Verb: "like", Channel: "email"}); err != nil {
		log.Fatal(err)
	}
	settings, err := wants.Settings(ctx, "ann")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range settings {
		fmt.Printf("%-7s  %-6s  on %-5t  own %t\n", s.Verb, s.Channel, s.On, s.Own)
	}
	// Output:
	//          in-app  on true   own false
	//          email   on false  own true
	// like     in-app  on true   own false
	// like     email   on false  own false
	// mention  in-app  on true   own false
	// mention  email   on true   own true
}

// open returns a repository over a new table.
func open(ctx context.Context, opts *prefs.Options) *prefs.Repository {
	db, table, gen := streamtest.Example(ctx, notify.Table)
	opts.Consistent = true
	wants, err := prefs.New(db, table, gen, opts)
	if err != nil {
		log.Fatal(err)
	}
	return wants
}
