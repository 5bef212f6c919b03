package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// rowPrefix begins the sort keys of a user's conversations. An inbox leaves out those
// that the user has left.
const rowPrefix = "C#"

func (x *export) messageSections() ([]section, error) {
	o := &x.k.opts.Message
	r, err := message.New(x.k.db, x.k.Names.Message, noIDs{}, &message.Options{
		Limiter: ratelimit.Unlimited{}, Consistent: true, Now: o.Now, OnCorrupt: x.corrupt(o.OnCorrupt),
	})
	if err != nil {
		return nil, err
	}
	c := conversations{x, r}
	return []section{
		{"message", "conversation, stored", x.stored(x.k.Names.Message, keys.Join("U", x.user), rowPrefix, o.OnCorrupt, plain)},
		{"message", "message", c.each(c.messages)},
		{"message", "cleared message, stored", c.each(c.cleared)},
	}, nil
}

// conversations reads the messages that a user may read, and those that the user sent and later
// cleared from their own history.
type conversations struct {
	*export
	r *message.Repository
}

// within is a cursor of a list of lists: a conversation, and a place in its own list.
type within struct {
	Before string `json:"before"` // the conversation before
	In     string `json:"in"`     // "" if it is not known yet
	Cursor string `json:"cursor"` // in its list
}

// each reads the lists of all conversations as one list.
func (c conversations) each(list func(ctx context.Context, in message.In, cursor string) ([]any, string, error)) pager {
	return func(ctx context.Context, text string) (data []any, next string, err error) {
		var at within
		if text != "" {
			if err := jsontext.Unmarshal([]byte(text), &at); err != nil {
				return nil, "", invalid(err.Error())
			}
		}
		if at.In == "" {
			if at.In, err = c.after(ctx, at.Before); err != nil || at.In == "" {
				return nil, "", err
			}
		}
		data, at.Cursor, err = list(ctx, message.In{Conversation: at.In, User: c.user}, at.Cursor)
		if damaged := (*plaza.CorruptError)(nil); errors.As(err, &damaged) {
			c.corrupt(c.k.opts.Message.OnCorrupt)(damaged)
			at.Cursor = "" // the conversation's other messages cannot be found
		} else if err != nil {
			return nil, "", err
		}
		if at.Cursor == "" {
			at = within{Before: at.In}
		}
		rest, err := json.Marshal(at)
		return data, string(rest), err
	}
}

// after is the conversation after another one, "" if there is none.
func (c conversations) after(ctx context.Context, name string) (string, error) {
	if name != "" {
		name = rowPrefix + name + "\x00"
	}
	rows, _, err := c.read(ctx, c.k.Names.Message, keys.Join("U", c.user), rowPrefix, name, 1)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return strings.TrimPrefix(textOf(rows[0], "sk"), rowPrefix), nil
}

func (c conversations) messages(ctx context.Context, in message.In, at string) ([]any, string, error) {
	history := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[message.Message], error) {
		return c.r.History(ctx, in, req)
	}
	return listed(c.limit, history, asIs)(ctx, at)
}

// A conversation's messages lie in buckets; see package message.
const (
	bucketSize = 65_536
	seqFormat  = "%016d"
)

// cleared reads the user's own messages below the history. The cursor is the number of
// the message to read next.
func (c conversations) cleared(ctx context.Context, in message.In, at string) (data []any, next string, err error) {
	first, _ := strconv.ParseInt(at, 10, 64) // the first page has none
	access, err := c.r.Access(ctx, in)
	if err != nil || first > access.From {
		return nil, "", err
	}
	bucket := first / bucketSize
	pk := rowPrefix + in.Conversation + "#" + strconv.FormatInt(bucket, 10)
	items, rest, err := c.read(ctx, c.k.Names.Message, pk, "", fmt.Sprintf(seqFormat, first), c.limit)
	if err != nil {
		return nil, "", err
	}
	for _, item := range items {
		seq, _ := strconv.ParseInt(textOf(item, "sk"), 10, 64)
		first = seq + 1
		if textOf(item, "sender") != in.User || seq > access.From {
			continue
		}
		more, err := plain(item)
		if err != nil {
			return nil, "", err
		}
		data = append(data, more...)
	}
	if rest == "" {
		first = (bucket + 1) * bucketSize
	}
	return data, strconv.FormatInt(first, 10), nil
}
