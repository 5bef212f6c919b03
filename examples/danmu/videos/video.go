package videos

import (
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// description is what the page needs to play a video. Times are in seconds.
type description struct {
	ID       string  `json:"id"`
	OwnerID  string  `json:"ownerId,omitempty"`
	Title    string  `json:"title,omitempty"`
	Duration float64 `json:"duration"`
	Segment  float64 `json:"segment"`
	Src      string  `json:"src,omitempty"` // if empty, a clock plays
}

// list names the videos that can be played.
func (s *Service) list(*http.Request) (any, error) {
	type named struct {
		ID    string `json:"id"`
		Title string `json:"title,omitempty"`
	}
	all := []named{}
	for _, v := range s.opts.Videos {
		all = append(all, named{v.ID, v.Title})
	}
	return struct {
		Data []named `json:"data"`
	}{all}, nil
}

func (s *Service) describe(r *http.Request) (any, error) {
	v, found := s.find(r.PathValue("id"))
	if !found {
		return nil, plaza.ErrNotFound
	}
	settings, err := s.danmu.Settings(r.Context(), v.ID)
	return description{
		ID: v.ID, OwnerID: settings.Owner, Title: v.Title, Src: v.Src,
		Duration: seconds(settings.Duration), Segment: seconds(settings.Segment),
	}, err
}

// segment lists the danmu of a segment, as thinned out as the viewer wants.
func (s *Service) segment(r *http.Request) (any, error) {
	n, err := parseNumber("segment", r.PathValue("n"))
	if err != nil {
		return nil, err
	}
	opts, err := readWindowOptions(r)
	if err != nil {
		return nil, err
	}
	object := r.PathValue("id")
	window, err := s.danmu.Segment(r.Context(), object, n, opts)
	if err != nil {
		return nil, err
	}
	return struct {
		Data    []message `json:"data"`
		Dropped int       `json:"dropped"` // dropped by the cap
	}{messagesOf(window.Comments, ""), window.Dropped}, nil
}

func readWindowOptions(r *http.Request) (*danmu.WindowOptions, error) {
	var opts danmu.WindowOptions
	var merge, fresh int
	for _, option := range []struct {
		name string
		into *int
	}{{"cap", &opts.Cap}, {"sample", &opts.Sample}, {"merge", &merge}, {"fresh", &fresh}} {
		var err error
		if *option.into, err = readNumber(r, option.name); err != nil {
			return nil, err
		}
	}
	const most = 60
	if merge < 0 || merge > most {
		return nil, &plaza.InvalidError{Field: "merge", Reason: "is not 0 to 60 seconds"}
	}
	opts.Merge, opts.Consistent = time.Duration(merge)*time.Second, fresh != 0
	var err error
	opts.Filter, err = danmu.NewFilter(danmu.FilterRules{Words: r.URL.Query()["without"]})
	return &opts, inQuery("without", err)
}

// heat counts the danmu in equal parts of a video.
func (s *Service) heat(r *http.Request) (any, error) {
	buckets, err := readNumber(r, "buckets")
	if err != nil {
		return nil, err
	}
	counts, err := s.danmu.Heatmap(r.Context(), r.PathValue("id"), buckets)
	return struct {
		Data any `json:"data"`
	}{counts}, err
}

// recall takes back a danmu that the user sent within the last two minutes.
func (s *Service) recall(r *http.Request) (any, error) {
	id, err := danmu.ParseID(r.PathValue("danmu"))
	if err != nil {
		return nil, err
	}
	removed, err := s.hub.Recall(r.Context(), danmu.Action{
		Object: r.PathValue("id"), ID: id, User: r.URL.Query().Get("user"),
	})
	return struct {
		Removed bool `json:"removed"` // by this call
	}{removed}, err
}

// mine lists the danmu of a user, the last sent first.
func (s *Service) mine(r *http.Request) (any, error) {
	asked, err := readPage(r)
	if err != nil {
		return nil, err
	}
	if asked.Cursor == end {
		return list{Data: []message{}, Cursor: end}, nil
	}
	page, err := s.danmu.ByUser(r.Context(), r.PathValue("user"), asked)
	return listOf(page, ""), err
}
