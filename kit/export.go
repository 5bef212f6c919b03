package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Keeper is a writer that keeps the Checkpoint of each page that it wrote, so that an export
// goes on from there after a kill.
type Keeper interface {
	io.Writer
	Keep(Checkpoint) error
}

// line is a line of an export.
type line struct {
	Feature string `json:"feature"`
	Kind    string `json:"kind"`
	Data    any    `json:"data"`
}

// Export writes all that Options.Features store of a user, one JSON object a line:
// {"feature","kind","data"}. It does not stop the user's writes, so it is no snapshot of
// one moment.
//
// Data is what the Go type of that kind marshals to; kinds that end in "stored" are items
// as the table has them. Lines of kind "left out" say what is not exported, and why. The
// last line has the kind "end". Reads are consistent, and nothing is hidden, whatever the
// features' options say. A damaged item is reported to OnCorrupt, counted and left out.
//
// Each page is one Write of whole lines. After an error, the Checkpoint is where to go on:
// if that was an error of w, first cut off what w took beyond Checkpoint.Bytes. A zero from
// begins; one of another user, or of other features or tables, is plaza.ErrInvalid. If w is a
// Keeper, it gets the Checkpoint after each page. To begin again where it left off costs
// one page.
//
// Cost: 27 requests, 27 RCU; 1 request for each 100 entries of a list, 1 RCU for each;
// digests of all users are read.
//
//plaza:cost nothing: 27 requests, 27 RCU
//plaza:cost each 100 entries of a list, messages of a conversation, or digests: 1 request
//plaza:cost each conversation: 8 requests, 8 RCU
//plaza:cost each entry, and each 4 KB: 1 RCU
func (k *Kit) Export(ctx context.Context, user string, w io.Writer, from Checkpoint) (Checkpoint, error) {
	ctx = plaza.WithOperation(ctx, "kit.Kit.Export")
	return k.export(ctx, user, w, from, cursor.MaxLimit)
}

func (k *Kit) export(ctx context.Context, user string, w io.Writer, from Checkpoint, limit int) (Checkpoint, error) {
	if err := keys.CheckName("User", user); err != nil {
		return from, err
	}
	x := &export{k: k, user: user, w: w, at: from.at, limit: limit}
	sections, err := x.sections()
	if err != nil {
		return from, err
	}
	if from == (Checkpoint{}) {
		x.at = reached{User: user, Tables: x.tables(), Section: sections[0].name()}
	}
	first := slices.IndexFunc(sections, func(of section) bool { return of.name() == x.at.Section })
	switch {
	case x.at.User != user || x.at.Tables != x.tables():
		return from, invalid("is of another user, or of other features or tables")
	case from.Done():
		return from, nil
	case first < 0:
		return from, invalid(fmt.Sprintf("is in %q, which this version does not export", x.at.Section))
	}
	for i, of := range sections[first:] {
		next := ""
		if rest := sections[first+i+1:]; len(rest) > 0 {
			next = rest[0].name()
		}
		if err := x.section(ctx, of, next); err != nil {
			return Checkpoint{x.at}, fmt.Errorf("kit: export %q: %w", user, err)
		}
	}
	return Checkpoint{x.at}, nil
}

// export is one in the making.
type export struct {
	k       *Kit
	user    string
	w       io.Writer
	at      reached
	limit   int          // of a page
	damaged atomic.Int64 // items of the page that is being read
}

// tables are what must be the same for an export to go on.
func (x *export) tables() string {
	var own []Feature
	for _, f := range Features() {
		if x.k.has(f) {
			own = append(own, f)
		}
	}
	return fmt.Sprint(own, x.k.Names)
}

// corrupt counts a damaged item and passes it to the feature's OnCorrupt.
func (x *export) corrupt(then func(*plaza.CorruptError)) func(*plaza.CorruptError) {
	return func(e *plaza.CorruptError) {
		x.damaged.Add(1)
		if then != nil {
			then(e)
		}
	}
}

// section writes a section from the place that the export has reached.
func (x *export) section(ctx context.Context, of section, after string) error {
	for x.at.Section == of.name() {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.damaged.Store(0)
		data, next, err := of.page(ctx, x.at.Cursor)
		if err != nil {
			return err
		}
		var lines []line
		for _, d := range data {
			lines = append(lines, line{of.feature, of.kind, d})
		}
		to := x.at
		to.Cursor, to.Damaged = next, to.Damaged+x.damaged.Load()
		if next == "" {
			to.Section = after
		}
		if to.Section == "" {
			lines = append(lines, x.last(to, len(lines))...)
		}
		if err := x.write(to, lines); err != nil {
			return err
		}
	}
	return nil
}

// last are the lines after those of the last page.
func (x *export) last(at reached, n int) (lines []line) {
	for _, l := range x.k.leftOut() {
		lines = append(lines, line{"plaza", "left out", l})
	}
	return append(lines, line{"plaza", "end", map[string]any{
		"user": x.user, "lines": at.Lines + int64(n+len(lines)) + 1, "damaged": at.Damaged,
	}})
}

// write writes a page, after which the export has come as far as to.
func (x *export) write(to reached, lines []line) error {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	for _, l := range lines {
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	if text.Len() > 0 {
		n, err := x.w.Write(text.Bytes())
		if err == nil && n != text.Len() {
			err = io.ErrShortWrite
		}
		if err != nil {
			return err
		}
	}
	to.Lines, to.Bytes = to.Lines+int64(len(lines)), to.Bytes+int64(text.Len())
	x.at = to
	if keeper, ok := x.w.(Keeper); ok {
		return keeper.Keep(Checkpoint{x.at})
	}
	return nil
}
