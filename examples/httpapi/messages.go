package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/notify/message"
)

// letter is a message with the time when it was sent.
type letter struct {
	message.Message
	Time time.Time `json:"time"`
}

func letterOf(m message.Message) letter { return letter{m, m.ID.Time()} }

// written is what a user may change in a message.
type written struct {
	Text string          `json:"text"`
	Data json.RawMessage `json:"data"`
}

// sending is a message of the user in the path. A client that repeats it with the same
// key sends it once.
type sending struct {
	written
	Key     string `json:"key"`
	ReplyTo int64  `json:"replyTo"`
}

func (a *api) sendMessage(r *http.Request) (any, error) {
	var body sending
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	in := inPath(r)
	m, _, err := a.messages.Send(r.Context(), message.Message{
		Conversation: in.Conversation, Sender: in.User,
		Key: body.Key, Text: body.Text, Data: body.Data, ReplyTo: body.ReplyTo,
	})
	if err != nil {
		return nil, err
	}
	return letterOf(m), nil
}

func (a *api) history(r *http.Request) (any, error) {
	return listAs(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[message.Message], error) {
		return a.messages.History(ctx, inPath(r), req)
	}, letterOf)
}

// pathSeq reads the number of a message from the path.
func pathSeq(r *http.Request) (int64, error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return 0, &plaza.InvalidError{Field: "seq", Reason: "is not the number of a message"}
	}
	return seq, nil
}

func (a *api) editMessage(r *http.Request) (any, error) {
	var body written
	seq, err := pathSeq(r)
	if err == nil {
		err = guard.ReadJSON(r, &body)
	}
	if err != nil {
		return nil, err
	}
	in := inPath(r)
	m, _, err := a.messages.Edit(r.Context(), message.Message{
		Conversation: in.Conversation, Sender: in.User, Seq: seq, Text: body.Text, Data: body.Data,
	})
	if err != nil {
		return nil, err
	}
	return letterOf(m), nil
}

func (a *api) recallMessage(r *http.Request) (any, error) {
	seq, err := pathSeq(r)
	if err != nil {
		return nil, err
	}
	changed, err := a.messages.Recall(r.Context(), inPath(r), seq)
	return change{changed}, err
}
