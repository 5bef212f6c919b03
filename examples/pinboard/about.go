package main

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
)

// ownerOf returns the owner of a person, a picture or a board, or "" if there is none.
// Their ids say it, so nothing is read.
func (a *app) ownerOf(thing feed.Ref) string {
	owner := thing.ID
	switch thing.Kind {
	case "":
	case "picture", "board":
		owner, _, _ = strings.Cut(thing.ID, ".")
	default:
		return ""
	}
	if !known(owner) {
		return ""
	}
	return owner
}

// commentRef names a comment in likes, reports and notifications:
// comment:<picture>/<id>, or comment:<picture>/<root>/<id> for a reply, which is not found
// without its root.
func commentRef(at comment.Address) feed.Ref {
	picture, _ := strings.CutPrefix(at.Object, "picture:")
	id := at.ID.String()
	if at.Root != 0 {
		id = at.Root.String() + "/" + id
	}
	return feed.Ref{Kind: "comment", ID: picture + "/" + id}
}

// commentAt undoes commentRef.
func commentAt(ref feed.Ref) (at comment.Address, ok bool) {
	parts := strings.Split(ref.ID, "/")
	if ref.Kind != "comment" || len(parts) < 2 || len(parts) > 3 {
		return at, false
	}
	at.Object = "picture:" + parts[0]
	id, err := ids.Parse(parts[len(parts)-1])
	if err != nil {
		return at, false
	}
	at.ID = id
	if len(parts) == 3 {
		if at.Root, err = ids.Parse(parts[1]); err != nil {
			return at, false
		}
	}
	return at, true
}

// pictureOf returns the id of the picture that a notification is about, or "".
func pictureOf(about feed.Ref) string {
	switch about.Kind {
	case "picture":
		return about.ID
	case "comment":
		picture, _, _ := strings.Cut(about.ID, "/")
		return picture
	}
	return ""
}

// about returns the subject of a notification.
func about(n feed.Activity) feed.Ref {
	if n.Target.IsZero() {
		return n.Object
	}
	return n.Target
}

// titlesOf returns the titles of the pictures that notifications are about.
func (a *app) titlesOf(ctx context.Context, entries []notify.Entry) (map[string]string, error) {
	things := make([]feed.Ref, len(entries))
	for i, e := range entries {
		things[i] = about(e.Activity)
	}
	return a.titles(ctx, things)
}

// titles returns the titles that pictures have now, by their ids. Those that are gone have
// none. Most pictures are of one owner, and so one request.
func (a *app) titles(ctx context.Context, things []feed.Ref) (map[string]string, error) {
	wanted := map[string][]ids.ID{} // by owner
	for _, thing := range things {
		if p, err := parsePicture(pictureOf(thing)); err == nil {
			wanted[p.owner] = append(wanted[p.owner], p.activity)
		}
	}
	titles := map[string]string{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for owner, pins := range wanted {
		group.Go(func() error {
			found, err := a.Feeds.Outbox(owner).GetMany(ctx, pins)
			mu.Lock()
			defer mu.Unlock()
			for pin := range maps.Values(found) {
				titles[pin.Object.ID] = pictureTitle(pin)
			}
			return err
		})
	}
	return titles, group.Wait()
}

// pictureTitle returns the title of a pin.
func pictureTitle(pin feed.Activity) string {
	var data struct {
		Title string `json:"title"`
	}
	_ = json.Unmarshal(pin.Data, &data) // every pin of Pinboard's has a title
	return data.Title
}
