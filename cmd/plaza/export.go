package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

type exportCommand struct {
	connecting
	User   string `required:"" placeholder:"ID" help:"Whose data to write."`
	Output string `short:"o" placeholder:"FILE" type:"path" help:"Write to FILE. If an export was cut short, run the same command again to continue it. Defaults to stdout."`
}

// Help says what the lines are.
func (*exportCommand) Help() string {
	return `Each line is {"feature","kind","data"}. The data is what the Go type of that kind marshals to; kinds that end in "stored" are items as the table has them. Lines of kind "left out" say what is not exported, and why. The last line has the kind "end"; without it the export was cut short.

The export reads the tables while others write, so it is not a snapshot of one moment.`
}

// line is a line of an export.
type line struct {
	Feature string `json:"feature"`
	Kind    string `json:"kind"`
	Data    any    `json:"data"`
}

// exported is how far an export has come.
type exported struct {
	User   string `json:"user"`
	Tables string `json:"tables"` // a file belongs to one site

	Section string `json:"section"` // which is not complete
	Cursor  string `json:"cursor"`  // in it
	Lines   int64  `json:"lines"`
	Bytes   int64  `json:"bytes"` // of the file; what follows was not recorded
	Damaged int64  `json:"damaged"`
}

// Run writes all sections.
func (c *exportCommand) Run(ctx context.Context, p *program) error {
	if err := keys.CheckName("--user", c.User); err != nil {
		return err
	}
	s, err := c.connect(ctx, p)
	if err != nil {
		return err
	}
	x := &export{at: exported{User: c.User, Tables: fmt.Sprint(s.names)}, out: p.stdout}
	var mu sync.Mutex
	s.corrupt = func(e *plaza.CorruptError) {
		mu.Lock()
		x.at.Damaged++
		mu.Unlock()
		fmt.Fprintln(p.stderr, "plaza:", e)
	}
	if c.Output != "" {
		if err := x.open(c.Output); err != nil {
			return err
		}
		defer x.file.Close()
	}
	sections, err := s.sections(c.User)
	if err != nil {
		return err
	}
	if err := x.write(ctx, newProgress(p), s, sections); err != nil {
		if x.file == nil {
			return stop(ctx, err, "The output is not complete. With --output, an export can be continued.")
		}
		return stop(ctx, err, continues)
	}
	if x.at.Damaged > 0 {
		return errFound
	}
	return nil
}

// export is a file in the making.
type export struct {
	at         exported
	out        io.Writer
	file       *os.File // nil for stdout
	checkpoint string
}

// open creates the file, or cuts off what an earlier run wrote after its last
// checkpoint.
func (x *export) open(name string) error {
	x.checkpoint = name + ".checkpoint"
	began := x.at
	if err := readJSON(x.checkpoint, &began); err != nil {
		return err
	}
	if began.User != x.at.User || began.Tables != x.at.Tables {
		return usagef("%s belongs to an export of another user, or from other tables", x.checkpoint)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return usageError{err.Error()}
	}
	if err := x.begin(f, began); err != nil {
		return errors.Join(err, f.Close())
	}
	x.file, x.out = f, f
	return nil
}

func (x *export) begin(f *os.File, began exported) error {
	stat, err := f.Stat()
	switch {
	case err != nil:
		return err
	case began.Section == "" && stat.Size() > 0:
		return usagef("%s is not empty, and is not an unfinished export, which has a checkpoint beside it", f.Name())
	case stat.Size() < began.Bytes:
		return usagef("%s is shorter than %s says; remove both", f.Name(), x.checkpoint)
	}
	x.at = began
	if err := f.Truncate(began.Bytes); err != nil {
		return err
	}
	_, err = f.Seek(began.Bytes, io.SeekStart)
	return err
}

// keep records that everything written so far is complete, and where to continue.
func (x *export) keep(section, cursor string) error {
	x.at.Section, x.at.Cursor = section, cursor
	if x.file == nil {
		return nil
	}
	if err := x.file.Sync(); err != nil {
		return err
	}
	return writeJSON(x.checkpoint, x.at)
}

func (x *export) write(ctx context.Context, shown *progress, s *site, sections []section) error {
	first := 0
	if x.at.Section != "" {
		first = slices.IndexFunc(sections, func(of section) bool { return of.name() == x.at.Section })
		if first < 0 {
			return usagef("%s is in %s, which this version does not export", x.checkpoint, x.at.Section)
		}
	}
	for i, of := range sections[first:] {
		head := fmt.Sprintf("%d/%d %s: ", first+i+1, len(sections), of.name())
		before := s.requests.Load()
		show := shown.watch(func() string { return head + count(s.requests.Load()-before, "request") })
		err := x.section(ctx, of)
		show()
		if err != nil {
			return err
		}
	}
	return x.end(s)
}

// end writes the last lines.
func (x *export) end(s *site) error {
	if err := x.lines("plaza", "left out", s.leftOut()); err != nil {
		return err
	}
	last := map[string]any{"user": x.at.User, "lines": x.at.Lines + 1, "damaged": x.at.Damaged}
	if err := x.lines("plaza", "end", []any{last}); err != nil || x.file == nil {
		return err
	}
	if err := x.file.Sync(); err != nil {
		return err
	}
	return remove(x.checkpoint)
}

// section writes a section from the place that the export has reached.
func (x *export) section(ctx context.Context, of section) error {
	if x.at.Section != of.name() {
		if err := x.keep(of.name(), ""); err != nil {
			return err
		}
	}
	for {
		data, next, err := of.page(ctx, x.at.Cursor)
		if err != nil {
			return err
		}
		if err := x.lines(of.feature, of.kind, data); err != nil || next == "" {
			return err
		}
		if err := x.keep(of.name(), next); err != nil {
			return err
		}
	}
}

func (x *export) lines(feature, kind string, data []any) error {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, d := range data {
		if err := out.Encode(line{feature, kind, d}); err != nil {
			return err
		}
	}
	text := escaped(b.Bytes())
	if _, err := x.out.Write(text); err != nil {
		return err
	}
	x.at.Lines += int64(len(data))
	x.at.Bytes += int64(len(text))
	return nil
}
