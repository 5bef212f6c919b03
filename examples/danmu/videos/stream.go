package videos

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/sse"
)

const (
	ownerTime    = time.Second
	beat         = 10 * time.Second // the longest time between two events, so that a page that is gone is noticed
	presentEvery = time.Second      // for 5,000 viewers; a tenth for 500
)

// happened is an event for the page: a danmu was sent or removed, or has other likes.
type happened struct {
	Sent    *message  `json:"sent,omitempty"`
	Removed *danmu.ID `json:"removed,omitempty"`
	Liked   *liked    `json:"liked,omitempty"`
}

type liked struct {
	ID    danmu.ID `json:"id"`
	Likes int64    `json:"likes"` // how many it has now
}

// encode encodes a batch once for all viewers, with one read of the owner.
func (s *Service) encode(room string, events []live.Event) []byte {
	all, owner := []happened{}, ""
	if slices.ContainsFunc(events, func(e live.Event) bool { return e.Kind == live.Sent }) {
		// Danmu must not be late: if the read takes too long, they name no owner.
		ctx, cancel := context.WithTimeout(context.Background(), ownerTime)
		defer cancel()
		owner, _ = s.ownerOf(ctx, room)
	}
	for _, e := range events {
		switch e.Kind {
		case live.Sent:
			m := messageOf(*e.Comment, owner)
			m.ObjectID = room
			all = append(all, happened{Sent: &m})
		case live.Recalled, live.Removed:
			all = append(all, happened{Removed: &e.ID})
		case live.Liked:
			all = append(all, happened{Liked: &liked{e.ID, e.Likes}})
		}
	}
	text, err := json.Marshal(all)
	if err != nil { // impossible: these are only texts and numbers
		panic(err)
	}
	return text
}

// watch streams the events of a video's room as Server-Sent Events:
//
//	joined    read now: no event is missed from here on; not sent to a page that reconnects
//	batch     what happened
//	reset     events were lost: read again
//	present   how many watch through this process, when that changes and every 10 s
func (s *Service) watch(w http.ResponseWriter, r *http.Request) {
	if err := s.admit(r, nil); err != nil {
		s.refuse(w, r, err)
		return
	}
	leave, err := s.streams.Enter(guard.Client(r))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-s.ending:
			cancel()
		case <-ctx.Done():
		}
	}()

	room, after := r.PathValue("id"), live.Pos(r.Header.Get("Last-Event-ID"))
	viewer, err := s.hub.Join(ctx, room, after)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer viewer.Close()

	stream, err := sse.Start(w)
	if err == nil && after == "" {
		err = stream.Send(sse.Event{Name: "joined", Data: "{}"})
	}
	for present := 0; err == nil; {
		if present, err = sendBatches(ctx, stream, viewer, present); err == nil {
			err = sendPresent(stream, present)
		}
	}
}

// sendBatches sends batches until the next beat. It sends the number of viewers if that
// differs from present, and returns the last number.
func sendBatches(ctx context.Context, s *sse.Stream, viewer *live.Viewer, present int) (int, error) {
	until, cancel := context.WithTimeout(ctx, beat)
	defer cancel()
	for {
		b, err := viewer.Next(until)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return present, nil
		case err != nil:
			return present, err
		case b.Reset || b.Dropped > 0:
			err = s.Send(sse.Event{Name: "reset", ID: string(b.Pos), Data: "{}"})
		}
		if err == nil && len(b.Events) > 0 {
			err = s.Send(sse.Event{Name: "batch", ID: string(b.Pos), Data: string(b.Encoded)})
		}
		if err == nil && b.Present != present {
			present = b.Present
			err = sendPresent(s, present)
		}
		if err != nil {
			return present, err
		}
	}
}

func sendPresent(s *sse.Stream, viewers int) error {
	return s.Send(sse.Event{Name: "present", Data: strconv.Itoa(viewers)})
}
