package danmu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// maxExtra bounds the Extra of a comment that is sent, in bytes.
const maxExtra = 1 << 10

// checkSend checks c, and clears the fields that Send ignores.
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
	return c, r.checkStyle(c)
}

func (c Comment) checkID() error {
	none := ID{}
	switch {
	case c.ID == none:
	case c.ID.unique() == 0:
		return &plaza.InvalidError{Field: "ID", Reason: "is not the ID of a comment"}
	case c.ID.Progress() != c.Progress:
		return &plaza.InvalidError{Field: "ID", Reason: "does not match Progress"}
	case c.Key != "" && c.ID != c.keyed():
		return &plaza.InvalidError{Field: "ID", Reason: "does not match Key"}
	}
	return nil
}

func (r *Repository) checkText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case strings.TrimSpace(text) == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	}
	return args.Count("Text", utf8.RuneCountInString(text), "runes", r.opts.MaxRunes)
}

func (r *Repository) checkStyle(c Comment) error {
	rgb, chosen := c.Color.RGB()
	switch {
	case !slices.Contains(r.opts.Modes, c.Mode):
		return &plaza.InvalidError{Field: "Mode", Reason: fmt.Sprintf("is %d", c.Mode)}
	case c.Color != 0 && c.Color != RGB(rgb),
		chosen && r.opts.Colors != nil && !slices.Contains(r.opts.Colors, c.Color):
		return &plaza.InvalidError{Field: "Color", Reason: fmt.Sprintf("is %#x", uint32(c.Color))}
	case c.Size != 0:
		if err := args.Between("Size", c.Size, r.opts.MinSize, r.opts.MaxSize); err != nil {
			return err
		}
	}
	if err := args.Count("Extra", len(c.Extra), "bytes", maxExtra); err != nil {
		return err
	}
	if len(c.Extra) > 0 && !isObject(c.Extra) {
		return &plaza.InvalidError{Field: "Extra", Reason: "is not a JSON object in UTF-8"}
	}
	return nil
}

func isObject(data json.RawMessage) bool {
	return jsontext.Valid(data) && strings.TrimSpace(string(data))[0] == '{'
}
