package danmu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// maxExtra is how large the Extra of a comment that is sent may be, in bytes.
const maxExtra = 1 << 10

// checkSend leaves out what Send does not take.
func (r *Repository) checkSend(c Comment) (Comment, error) {
	c.Progress = whole(c.Progress)
	c.Sent, c.Likes, c.Reports, c.Protected, c.Repeats = time.Time{}, 0, 0, false, 0
	if err := keys.CheckName("Object", c.Object); err != nil {
		return c, err
	}
	if err := keys.CheckName("User", c.User); err != nil {
		return c, err
	}
	if c.Key != "" {
		if err := keys.CheckName("Key", c.Key); err != nil {
			return c, err
		}
	}
	if err := checkProgress(c.Progress, MaxProgress); err != nil {
		return c, err
	}
	if err := c.checkID(); err != nil {
		return c, err
	}
	if err := r.checkText(c.Text); err != nil {
		return c, err
	}
	return c, r.checkLooks(c)
}

func (c Comment) checkID() error {
	none := ID{}
	switch {
	case c.ID == none:
	case c.ID.unique() == 0:
		return &plaza.InvalidError{Field: "ID", Reason: "is of no comment"}
	case c.ID.Progress() != c.Progress:
		return &plaza.InvalidError{Field: "ID", Reason: "has another Progress"}
	case c.Key != "" && c.ID != c.keyed():
		return &plaza.InvalidError{Field: "ID", Reason: "has another Key"}
	}
	return nil
}

func (r *Repository) checkText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case strings.TrimSpace(text) == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	case n > r.opts.MaxRunes:
		return &plaza.InvalidError{Field: "Text", Reason: fmt.Sprintf("has %d runes, at most %d are allowed", n, r.opts.MaxRunes)}
	}
	return nil
}

func (r *Repository) checkLooks(c Comment) error {
	rgb, chosen := c.Color.RGB()
	switch {
	case !slices.Contains(r.opts.Modes, c.Mode):
		return &plaza.InvalidError{Field: "Mode", Reason: fmt.Sprintf("is %d", c.Mode)}
	case c.Color != 0 && c.Color != RGB(rgb),
		chosen && r.opts.Colors != nil && !slices.Contains(r.opts.Colors, c.Color):
		return &plaza.InvalidError{Field: "Color", Reason: fmt.Sprintf("is %#x", uint32(c.Color))}
	case c.Size != 0 && (c.Size < r.opts.MinSize || c.Size > r.opts.MaxSize):
		return &plaza.InvalidError{Field: "Size", Reason: fmt.Sprintf("is %d, %d to %d are allowed", c.Size, r.opts.MinSize, r.opts.MaxSize)}
	case len(c.Extra) > maxExtra:
		return &plaza.InvalidError{Field: "Extra", Reason: fmt.Sprintf("is %d bytes large, at most %d are allowed", len(c.Extra), maxExtra)}
	case len(c.Extra) > 0 && !isObject(c.Extra):
		return &plaza.InvalidError{Field: "Extra", Reason: "is no JSON object in UTF-8"}
	}
	return nil
}

func isObject(data json.RawMessage) bool {
	return json.Valid(data) && utf8.Valid(data) && strings.TrimSpace(string(data))[0] == '{'
}
