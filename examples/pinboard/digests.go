package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// rhythm is when a person gets digests.
type rhythm struct {
	Every string       `json:"every"` // off, minute, hour, day or week
	At    digest.Clock `json:"at"`    // of day and week
	Day   time.Weekday `json:"day"`   // of week
	Zone  string       `json:"zone"`
	Quiet digest.Quiet `json:"quiet"`
}

func (r rhythm) schedule() (digest.Schedule, error) {
	s := digest.Schedule{Zone: r.Zone, Quiet: r.Quiet}
	switch r.Every {
	case "off":
		return digest.Schedule{}, nil
	case "minute":
		s.Every = time.Minute
	case "hour":
		s.Every = time.Hour
	case "day":
		s.Daily = r.At
	case "week":
		s.Weekly, s.Day = r.At, r.Day
	default:
		return s, &plaza.InvalidError{Field: "every", Reason: "is none of off, minute, hour, day and week"}
	}
	return s, s.Validate()
}

// usual is the rhythm of people who have chosen none.
var usual = rhythm{Every: "day", At: "08:00", Day: time.Monday, Zone: "UTC"}

// A service keeps its users' settings in tables of its own. Pinboard has none, so the
// rhythm is an activity in an outbox that nobody follows.
func (a *app) rhythms(person string) feed.Outbox { return a.Feeds.Outbox("settings:" + person) }

func (a *app) rhythmOf(ctx context.Context, person string) (r rhythm, err error) {
	page, err := a.rhythms(person).List(ctx, cursor.PageRequest{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return usual, err
	}
	return r, json.Unmarshal(page.Items[0].Data, &r)
}

func (a *app) setRhythm(ctx context.Context, person string, r rhythm) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	set := feed.Activity{Actor: feed.Ref{ID: person}, Verb: "set", ForeignID: "digest", Data: data}
	stands, created, err := a.rhythms(person).Publish(ctx, set)
	if err != nil || created {
		return err
	}
	set.ID = stands.ID
	_, _, err = a.rhythms(person).Update(ctx, set)
	return err
}

// scheduleOf is for package digest.
func (a *app) scheduleOf(ctx context.Context, person, _ string) (digest.Schedule, error) {
	r, err := a.rhythmOf(ctx, person)
	if err != nil {
		return digest.Schedule{}, err
	}
	return r.schedule()
}

func (s *api) chooseDigest(r *http.Request, me people.Person) (any, error) {
	var chosen rhythm
	if err := guard.ReadJSON(r, &chosen); err != nil {
		return nil, err
	}
	if _, err := chosen.schedule(); err != nil {
		return nil, err
	}
	return chosen, s.setRhythm(r.Context(), me.ID, chosen)
}

// digestNow sends the next digest early. The page's key is the mail's
// identity, so a repeat sends none.
func (s *api) digestNow(r *http.Request, me people.Person) (any, error) {
	var body struct {
		Key string `json:"key"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	if body.Key == "" || len(body.Key) > 64 {
		return nil, &plaza.InvalidError{Field: "key", Reason: "has no bytes, or more than 64"}
	}
	now := time.Now()
	d := digest.Digest{Key: me.ID + " " + body.Key, User: me.ID, Channel: email, From: now.Add(-7 * 24 * time.Hour), Slot: now}
	unread, more, err := s.Bell.UnreadBetween(r.Context(), me.ID, notify.Span{From: ids.At(d.From), To: ids.At(now.Add(time.Minute))})
	if err != nil {
		return nil, err
	}
	d.More = more
	for _, e := range unread {
		decision, err := s.Prefs.Decide(r.Context(), notify.Notification{User: me.ID, Activity: e.Activity})
		if err != nil {
			return nil, err
		}
		if !decision.Drop && slices.Contains(decision.Channels, email) {
			d.Entries = append(d.Entries, e)
		}
	}
	if d.Unsubscribe, err = s.unsubscribeToken(me.ID, email); err != nil || len(d.Entries) == 0 {
		return sentMails{}, err
	}
	return sentMails{len(d.Entries)}, post{s.app}.Send(r.Context(), d)
}

// sentMails counts the notifications in a digest, 0 if there was none to send.
type sentMails struct {
	Entries int `json:"entries"`
}

func (a *app) unsubscribeToken(person, channel string) (string, error) {
	return a.Prefs.Token(prefs.Subscription{User: person, Verb: prefs.AnyVerb, Channel: channel})
}

const mailsEach = 50 // the newest of a person

// mails are those that a person got, in an outbox that nobody follows. They leave Pinboard in
// no way: people read them on the page.
func (a *app) mails(person string) feed.Outbox { return a.Feeds.Outbox("mails:" + person) }

// mail is a digest as it arrives.
type mail struct {
	Key         string     `json:"key"` // the Message-ID
	Time        time.Time  `json:"time"`
	To          string     `json:"to"`
	Subject     string     `json:"subject"`
	Lines       []mailLine `json:"lines"`
	Unsubscribe string     `json:"unsubscribe"` // the token of its link
}

// mailLine is a line of a mail and where it leads.
type mailLine struct {
	Text string `json:"text"`
	Path string `json:"path"`
}

func (s *api) mailbox(r *http.Request, me people.Person) (any, error) {
	page, err := s.mails(me.ID).List(r.Context(), cursor.PageRequest{Limit: mailsEach})
	box := cursor.Page[mail]{Items: make([]mail, len(page.Items))}
	for i, got := range page.Items {
		err = errors.Join(err, json.Unmarshal(got.Data, &box.Items[i]))
	}
	return box, err
}

// post is the digest.Sender: it writes the mails.
type post struct{ *app }

func (p post) Send(ctx context.Context, d digest.Digest) error {
	to, ok := people.Get(d.User)
	if !ok {
		return digest.Permanent(plaza.ErrNotFound)
	}
	titles, err := p.titlesOf(ctx, d.Entries)
	if err != nil {
		return err
	}
	one := mail{
		Key: d.Key, Time: time.Now(), To: fmt.Sprintf("%s <%s@pinboard.example>", to.Name, to.ID),
		Subject: subject(d), Unsubscribe: d.Unsubscribe,
	}
	for _, e := range d.Entries {
		one.Lines = append(one.Lines, lineOf(e, titles))
	}
	data, err := json.Marshal(one)
	if err != nil {
		return err
	}
	// A digest may be sent twice.
	if _, _, err := p.mails(d.User).Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "pinboard"}, Verb: "mail", ForeignID: d.Key, Data: data}); err != nil {
		return err
	}
	return p.rings.Publish(ctx, d.User, ring{}) // so that a page shows it
}

func subject(d digest.Digest) string {
	switch {
	case d.More:
		return fmt.Sprintf("More than %d things happened on Pinboard", len(d.Entries))
	case len(d.Entries) == 1:
		return "1 thing happened on Pinboard"
	default:
		return fmt.Sprintf("%d things happened on Pinboard", len(d.Entries))
	}
}

// lineOf is a notification in words.
func lineOf(e notify.Entry, titles map[string]string) mailLine {
	thing := about(e.Activity)
	picture := pictureOf(thing)
	line := mailLine{Path: "/bell"}
	if picture != "" {
		line.Path = "/pins/" + url.PathEscape(picture)
	}
	mine, title := "your picture", "a picture"
	if known := titles[picture]; known != "" {
		title = "“" + known + "”"
		mine += " " + title
	}
	who := whoOf(e)
	switch {
	case e.Activity.Verb == followVerb && thing.Kind == "board":
		line.Text, line.Path = who+" followed your board", "/boards/"+url.PathEscape(thing.ID)
	case e.Activity.Verb == followVerb:
		line.Text, line.Path = who+" followed you", "/people/"+url.PathEscape(e.Activity.Actor.ID)
	case e.Activity.Verb == like && thing.Kind == "comment":
		line.Text = who + " liked your comment on " + title
	case e.Activity.Verb == like:
		line.Text = who + " liked " + mine
	case e.Activity.Verb == pinVerb:
		line.Text = who + " saved " + mine
	case e.Activity.Verb == replyVerb:
		line.Text = who + " replied to your comment on " + title
	case e.Activity.Verb == mentionVerb:
		line.Text = who + " mentioned you in a comment on " + title
	default:
		line.Text = who + " commented on " + mine
	}
	return line
}

// whoOf names the newest actor and counts the others. For comments it counts the people it
// knows, since one person may have written several.
func whoOf(e notify.Entry) string {
	actors := e.Actors
	if len(actors) == 0 {
		actors = []feed.Ref{e.Activity.Actor}
	}
	others := e.N - 1
	if !slices.Contains([]string{like, pinVerb, followVerb}, e.Activity.Verb) {
		others = len(actors) - 1
	}
	first := nameOf(actors[0].ID)
	switch {
	case others < 1:
		return first
	case others == 1 && len(actors) > 1:
		return first + " and " + nameOf(actors[1].ID)
	case e.More:
		return fmt.Sprintf("%s and more than %d others", first, others)
	default:
		return fmt.Sprintf("%s and %d others", first, others)
	}
}

func nameOf(id string) string {
	p, _ := people.Get(id)
	return cmp.Or(p.Name, id)
}
