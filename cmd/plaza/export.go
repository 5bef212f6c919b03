package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/kit"
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

// Run writes to stdout, or goes on with a file.
func (c *exportCommand) Run(ctx context.Context, p *program) error {
	if err := keys.CheckName("--user", c.User); err != nil {
		return err
	}
	s, err := c.connect(ctx, p)
	if err != nil {
		return err
	}
	s.corrupt = func(e *plaza.CorruptError) { fmt.Fprintln(p.stderr, "plaza:", e) }
	k, err := s.kit(noIDs{})
	if err != nil {
		return err
	}
	out, hint := &output{Writer: p.stdout}, "The output is not complete. With --output, an export can be continued."
	if c.Output != "" {
		if err := out.open(c.Output); err != nil {
			return err
		}
		defer out.file.Close()
		hint = continues
	}
	show := newProgress(p).watch(func() string { return fmt.Sprintf("%v, %s", out.reached(), count(s.requests.Load(), "request")) })
	at, err := k.Export(ctx, c.User, out, out.at)
	show()
	switch {
	case errors.Is(err, plaza.ErrInvalid):
		return err
	case err != nil:
		return stop(ctx, err, hint)
	case at.Damaged() > 0:
		return errFound
	}
	return nil
}

// output is where an export goes. A file has a checkpoint beside it until it is complete.
type output struct {
	io.Writer
	file       *os.File // nil for stdout
	checkpoint string   // its name

	mu sync.Mutex
	at kit.Checkpoint
}

// open creates the file, or cuts off what an earlier run wrote after its last
// checkpoint.
func (o *output) open(name string) error {
	o.checkpoint = name + ".checkpoint"
	_, err := os.Stat(o.checkpoint)
	begins := errors.Is(err, fs.ErrNotExist)
	if err := readJSON(o.checkpoint, &o.at); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return usageError{err.Error()}
	}
	if err := o.begin(f, begins); err != nil {
		return errors.Join(err, f.Close())
	}
	o.file, o.Writer = f, f
	return nil
}

func (o *output) begin(f *os.File, begins bool) error {
	stat, err := f.Stat()
	switch {
	case err != nil:
		return err
	case begins && stat.Size() > 0:
		return usagef("%s is not empty, and is not an unfinished export, which has a checkpoint beside it", f.Name())
	case stat.Size() < o.at.Bytes():
		return usagef("%s is shorter than %s says; remove both", f.Name(), o.checkpoint)
	}
	if err := f.Truncate(o.at.Bytes()); err != nil {
		return err
	}
	if _, err := f.Seek(o.at.Bytes(), io.SeekStart); err != nil {
		return err
	}
	return writeJSON(o.checkpoint, o.at)
}

// Keep records that everything written so far is complete, and where to continue.
func (o *output) Keep(at kit.Checkpoint) error {
	o.mu.Lock()
	o.at = at
	o.mu.Unlock()
	if o.file == nil {
		return nil
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	if at.Done() {
		return remove(o.checkpoint)
	}
	return writeJSON(o.checkpoint, at)
}

func (o *output) reached() kit.Checkpoint {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at
}
