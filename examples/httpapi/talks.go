package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
)

// happened is an event as pages get it.
type happened struct {
	msglive.Event
	Message *letter `json:"message,omitempty"`
}

func newTalks(messages *message.Repository) (*msglive.Hub, error) {
	// Several processes would need a live/redisstream backplane.
	return msglive.New(messages, &msglive.Options{Encode: encodeEvents, PresentEvery: time.Second})
}

// encodeEvents encodes a batch once for all viewers.
func encodeEvents(events []msglive.Event) []byte {
	all := make([]happened, len(events))
	for i, e := range events {
		all[i] = happened{Event: e}
		if e.Message != nil {
			said := letterOf(*e.Message)
			all[i].Message = &said
		}
	}
	text, err := json.Marshal(all)
	if err != nil { // impossible: it was read from JSON
		panic(err)
	}
	return text
}

// tell publishes what was stored to the pages that it concerns, even if the client that
// stored it is gone by now. If that fails, pages show it when they read again.
func (s *service) tell(ctx context.Context, e msglive.Event) {
	if err := s.talks.Publish(context.WithoutCancel(ctx), e); err != nil {
		s.log.Warn("pages were not told", "kind", e.Kind, "err", err)
	}
}

// tellOf is tell for an event without a message.
func (s *service) tellOf(ctx context.Context, kind msglive.Kind, in message.In, seq int64) {
	s.tell(ctx, msglive.Event{Kind: kind, Conversation: in.Conversation, User: in.User, Seq: seq})
}
