package videos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
)

const (
	maxName          = 256 // bytes
	maxRunes         = 100
	minSize, maxSize = 12, 64 // px
)

// submission is a danmu in the format of clients from before Plaza: nested, with times
// in seconds and CSS colours.
type submission struct {
	ObjectID string  `json:"objectId"`
	UserID   string  `json:"userId"`
	OwnerID  string  `json:"ownerId,omitempty"` // the owner of the video
	Content  content `json:"content"`

	// Key makes repeated sends one danmu. Answers leave it out.
	Key string `json:"key,omitempty"`
}

// message is a danmu in an answer to those clients.
type message struct {
	submission

	ID        danmu.ID `json:"id"`
	CreatedAt int64    `json:"createdAt,omitempty"` // Unix ms
	Repeats   int      `json:"repeats,omitempty"`   // danmu that were merged into this one
	Likes     int64    `json:"likes,omitempty"`
	Weight    int      `json:"weight,omitempty"`    // a higher one stays under a cap
	Protected bool     `json:"protected,omitempty"` // stays under every cap
}

type content struct {
	Text string `json:"text"`
	style
	Position danmu.Mode `json:"position"`
	Time     *float64   `json:"time"` // seconds of the playing time
}

// style is a style as the client wrote it.
type style struct {
	Color string `json:"color,omitempty"` // a CSS colour: a name, #rgb or #rrggbb
	Size  string `json:"size,omitempty"`  // such as 40px, on a player 540 high
}

// extra is stored with a danmu, so that answers spell the style as its sender did.
type extra struct {
	Style style `json:"look"`
}

// modes are the modes of the positions 0 to 3. A position of 7 or more is a mode itself.
var modes = []danmu.Mode{danmu.Scroll, danmu.Top, danmu.Bottom, danmu.Reverse}

func (s submission) comment() (danmu.Comment, error) {
	c := danmu.Comment{Object: s.ObjectID, User: s.UserID, Key: s.Key, Text: s.Content.Text}
	if err := s.check(); err != nil {
		return c, err
	}
	var err error
	if c.Progress, err = danmu.Seconds(*s.Content.Time); err != nil {
		return c, err
	}
	if p := s.Content.Position; p < 0 || int(p) >= len(modes) {
		return c, &plaza.InvalidError{Field: "content.position", Reason: "is not 0 scroll, 1 top, 2 bottom or 3 reverse"}
	}
	c.Mode = modes[s.Content.Position]
	if c.Color, err = parseColor(s.Content.Color); err != nil {
		return c, err
	}
	if c.Size, err = parseSize(s.Content.Size); err != nil {
		return c, err
	}
	if s.Content.style != (style{}) {
		c.Extra, err = json.Marshal(extra{s.Content.style})
	}
	return c, err
}

// check refuses what Send would refuse, so that a refused submission sets no owner.
func (s submission) check() error {
	for _, name := range []struct {
		field, value string
		optional     bool
	}{
		{"objectId", s.ObjectID, false},
		{"userId", s.UserID, false},
		{"ownerId", s.OwnerID, true},
		{"key", s.Key, true},
	} {
		switch {
		case name.value == "" && !name.optional:
			return &plaza.InvalidError{Field: name.field, Reason: "is empty"}
		case len(name.value) > maxName:
			return &plaza.InvalidError{Field: name.field, Reason: fmt.Sprintf("is longer than %d bytes", maxName)}
		}
	}
	switch {
	case strings.TrimSpace(s.Content.Text) == "":
		return &plaza.InvalidError{Field: "content.text", Reason: "is empty"}
	case utf8.RuneCountInString(s.Content.Text) > maxRunes:
		return &plaza.InvalidError{Field: "content.text", Reason: fmt.Sprintf("has more than %d characters", maxRunes)}
	case s.Content.Time == nil:
		return &plaza.InvalidError{Field: "content.time", Reason: "is missing"}
	}
	return nil
}

func parseSize(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(text, "px"), 10, 16)
	if err != nil || !strings.HasSuffix(text, "px") || n < minSize || n > maxSize {
		return 0, &plaza.InvalidError{Field: "content.size", Reason: fmt.Sprintf("is not %dpx to %dpx", minSize, maxSize)}
	}
	return int(n), nil
}

func messageOf(c danmu.Comment, owner string) message {
	at := seconds(c.Progress)
	m := message{ID: c.ID, Repeats: c.Repeats, Likes: c.Likes, Weight: c.Weight, Protected: c.Protected, submission: submission{
		ObjectID: c.Object, UserID: c.User, OwnerID: owner,
		Content: content{Text: c.Text, style: styleOf(c), Position: c.Mode, Time: &at},
	}}
	switch position := slices.Index(modes, c.Mode); {
	case position >= 0:
		m.Content.Position = danmu.Mode(position)
	case c.Mode < danmu.Positioned: // modes 2 and 3 in Bilibili's files scroll too
		m.Content.Position = danmu.Mode(slices.Index(modes, danmu.Scroll))
	}
	if !c.Sent.IsZero() { // imported danmu may have no time
		m.CreatedAt = c.Sent.UnixMilli()
	}
	return m
}

// seconds is exact to the millisecond. Duration.Seconds adds two numbers, and may return
// a neighbouring float.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

func styleOf(c danmu.Comment) style {
	var kept extra
	if json.Unmarshal(c.Extra, &kept) == nil && kept.Style != (style{}) {
		return kept.Style
	}
	var s style
	if rgb, ok := c.Color.RGB(); ok {
		s.Color = fmt.Sprintf("#%06x", rgb)
	}
	if c.Size > 0 {
		s.Size = fmt.Sprintf("%dpx", c.Size)
	}
	return s
}

func messagesOf(comments []danmu.Comment, owner string) []message {
	messages := make([]message, len(comments))
	for i, c := range comments {
		messages[i] = messageOf(c, owner)
	}
	return messages
}

func listOf(page cursor.Page[danmu.Comment], owner string) list {
	return list{Data: messagesOf(page.Items, owner), Cursor: cmp.Or(string(page.Next), end)}
}
