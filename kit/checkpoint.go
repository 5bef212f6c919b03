package kit

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Checkpoint is how far an Export has come. It marshals to text. The zero Checkpoint is
// the beginning.
type Checkpoint struct{ at reached }

// reached is the text of a Checkpoint.
type reached struct {
	User    string `json:"user"`
	Tables  string `json:"tables"`
	Section string `json:"section"` // which is not complete, "" after the last one
	Cursor  string `json:"cursor"`  // in it
	Lines   int64  `json:"lines"`
	Bytes   int64  `json:"bytes"`
	Damaged int64  `json:"damaged"`
}

// Done reports whether the last line was written.
func (c Checkpoint) Done() bool { return c.at.Tables != "" && c.at.Section == "" }

// Bytes is how many bytes were written, since the beginning. What lies behind them in a
// file is of a page that failed: cut it off.
func (c Checkpoint) Bytes() int64 { return c.at.Bytes }

// Damaged is how many items were left out because they cannot be read.
func (c Checkpoint) Damaged() int64 { return c.at.Damaged }

// String says how far it is, for progress.
func (c Checkpoint) String() string {
	switch {
	case c.at.Tables == "":
		return "beginning"
	case c.Done():
		return fmt.Sprintf("%d lines", c.at.Lines)
	}
	return fmt.Sprintf("%s, %d lines", c.at.Section, c.at.Lines)
}

// MarshalText is opaque, and has the user's id.
func (c Checkpoint) MarshalText() ([]byte, error) {
	if c == (Checkpoint{}) {
		return nil, nil
	}
	text, err := json.Marshal(c.at)
	return base64.RawURLEncoding.AppendEncode(nil, text), err
}

// UnmarshalText refuses what MarshalText does not write, with plaza.ErrInvalid.
func (c *Checkpoint) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = Checkpoint{}
		return nil
	}
	var at reached
	decoded, err := base64.RawURLEncoding.Strict().AppendDecode(nil, text)
	if err == nil {
		err = jsontext.Unmarshal(decoded, &at)
	}
	switch {
	case err != nil:
		return invalid("is not an export's: " + err.Error())
	case at.Tables == "" || at.Lines < 0 || at.Bytes < 0 || at.Damaged < 0:
		return invalid("is not an export's")
	}
	c.at = at
	return nil
}

func invalid(reason string) error {
	return &plaza.InvalidError{Field: "Checkpoint", Reason: reason}
}
