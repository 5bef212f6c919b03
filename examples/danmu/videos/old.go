package videos

import (
	"cmp"
	"context"
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

// send stores a danmu and shows it to all viewers of its video.
func (s *Service) send(r *http.Request) (any, error) {
	var given submission
	if err := s.read(r, &given); err != nil {
		return nil, err
	}
	return s.submit(r, given)
}

// read reads the body of a request that sends something.
func (s *Service) read(r *http.Request, into any) error {
	if err := s.sends.Take(guard.Client(r)); err != nil {
		return err
	}
	return guard.ReadJSON(r, into)
}

func (s *Service) submit(r *http.Request, given submission) (message, error) {
	c, err := given.comment()
	if err != nil {
		return message{}, err
	}
	if !s.has(c.Object) {
		return message{}, plaza.ErrNotFound
	}
	if err := s.knows(c.User); err != nil {
		return message{}, err
	}
	if err := s.videoSends.Take(c.Object); err != nil {
		return message{}, err
	}
	owner, err := s.ownerOf(r.Context(), c.Object)
	switch {
	case err != nil:
		return message{}, err
	case given.OwnerID != "" && given.OwnerID != owner:
		return message{}, &plaza.InvalidError{Field: "ownerId", Reason: "is not the owner of the video"}
	}
	sent, _, err := s.hub.Send(r.Context(), c)
	if err != nil {
		return message{}, err
	}
	return messageOf(sent, owner), nil
}

// ownerOf returns the owner of a video, or "" for none.
func (s *Service) ownerOf(ctx context.Context, object string) (string, error) {
	settings, err := s.danmu.Settings(ctx, object)
	return settings.Owner, err
}

// queryByTime lists the danmu from a moment on.
func (s *Service) queryByTime(r *http.Request) (any, error) {
	seconds, err := strconv.ParseFloat(cmp.Or(r.URL.Query().Get("playingTime"), "0"), 64)
	if err != nil {
		return nil, &plaza.InvalidError{Field: "playingTime", Reason: "is not a number of seconds"}
	}
	at, err := danmu.Seconds(seconds)
	if err != nil {
		return nil, inQuery("playingTime", err)
	}
	return s.from(r, at)
}

// pull lists the danmu after a cursor, or from the beginning.
func (s *Service) pull(r *http.Request) (any, error) {
	return s.from(r, 0)
}

func (s *Service) from(r *http.Request, at time.Duration) (any, error) {
	asked, err := readPage(r)
	if err != nil {
		return nil, err
	}
	if asked.Cursor == end {
		return list{Data: []message{}, Cursor: end}, nil
	}
	object := r.PathValue("id")
	page, err := s.danmu.ByObject(r.Context(), object, at, asked)
	if err != nil {
		return nil, err
	}
	settings, err := s.danmu.Settings(r.Context(), object)
	if err != nil {
		return nil, err
	}
	return listOf(page, settings.Owner), nil
}
