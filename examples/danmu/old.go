package main

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/guard"
)

// end is the cursor after the last danmu of a list.
const end = "-1"

type list struct {
	Data   []message `json:"data"`
	Cursor string    `json:"cursor"`
}

// send stores a danmu and shows it to all viewers of its video. The first one that
// names an owner sets the owner of the video.
func (a *api) send(r *http.Request) (any, error) {
	var given submission
	if err := a.read(r, &given); err != nil {
		return nil, err
	}
	return a.submit(r, given)
}

// read reads the body of a request that sends something.
func (a *api) read(r *http.Request, into any) error {
	if err := a.sends.Take(guard.Client(r)); err != nil {
		return err
	}
	return guard.ReadJSON(r, into)
}

func (a *api) submit(r *http.Request, given submission) (message, error) {
	c, err := given.comment()
	if err != nil {
		return message{}, err
	}
	if !a.has(c.Object) {
		return message{}, plaza.ErrNotFound
	}
	if err := a.videos.Take(c.Object); err != nil {
		return message{}, err
	}
	owner, err := a.owner(r.Context(), given, c.Progress)
	if err != nil {
		return message{}, err
	}
	sent, _, err := a.hub.Send(r.Context(), c)
	if err != nil {
		return message{}, err
	}
	return messageOf(sent, owner), nil
}

// queryByTime lists the danmu from a moment on.
func (a *api) queryByTime(r *http.Request) (any, error) {
	seconds, err := strconv.ParseFloat(cmp.Or(r.URL.Query().Get("playingTime"), "0"), 64)
	if err != nil {
		return nil, &plaza.InvalidError{Field: "playingTime", Reason: "is not a number of seconds"}
	}
	at, err := danmu.Seconds(seconds)
	if err != nil {
		return nil, inQuery("playingTime", err)
	}
	return a.from(r, at)
}

// pull lists the danmu after a cursor, or from the beginning.
func (a *api) pull(r *http.Request) (any, error) {
	return a.from(r, 0)
}

func (a *api) from(r *http.Request, at time.Duration) (any, error) {
	asked, err := readPage(r)
	if err != nil {
		return nil, err
	}
	if asked.Cursor == end {
		return list{Data: []message{}, Cursor: end}, nil
	}
	object := r.PathValue("id")
	page, err := a.danmu.ByObject(r.Context(), object, at, asked)
	if err != nil {
		return nil, err
	}
	settings, err := a.danmu.Settings(r.Context(), object)
	if err != nil {
		return nil, err
	}
	return listOf(page, settings.Owner), nil
}
