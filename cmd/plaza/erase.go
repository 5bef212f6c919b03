package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/kit"
)

type eraseCommand struct {
	connecting
	minting
	User    string `required:"" placeholder:"ID" help:"Whom to erase. The user must have stopped writing."`
	Objects string `placeholder:"FILE" type:"path" help:"A file of objects that go with the user, one id a line: erases all comments, reactions and danmu on them, whoever wrote them, and their own entries on leaderboards. Nobody may write there any more."`
	Yes     bool   `help:"Do not ask."`
}

// Help says what an erasure cannot know.
func (*eraseCommand) Help() string {
	return `Every step can be repeated: after a failure, or Ctrl-C, run the same command again. Run it once more when it says: indexes lag, and deliveries that were under way may have arrived since.

Before you erase, run "plaza export": afterwards nobody knows what the user wrote and liked. If comments have an Options.Score, call comment.UpdateScore for those that the user liked. If likes count on leaderboards, call leaderboard.Retract for the user's. Erase the user from your own tables, too.`
}

// Run asks first, unless told not to.
func (c *eraseCommand) Run(ctx context.Context, p *program) error {
	if err := keys.CheckName("--user", c.User); err != nil {
		return err
	}
	s, err := c.connect(ctx, p)
	if err != nil {
		return err
	}
	var objects []string
	if c.Objects != "" {
		if objects, err = readLines(c.Objects); err != nil {
			return err
		}
	}
	gen := ids.Source(noIDs{}) // without machines, features that need no ids can be erased
	switch {
	case c.Machine != nil:
		gen, err = ids.New(*c.Machine, nil)
	case s.names.Machines != "":
		gen = nil // the kit leases a number
	case s.names.Leaderboard+s.names.Danmu+s.names.Message != "":
		err = errNoMachines
	}
	if err != nil {
		return err
	}
	k, err := s.kit(gen)
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := c.confirm(p, len(objects)); err != nil {
			return err
		}
	}
	defer release(k.Close)
	if err := k.Verify(ctx); err != nil {
		return stop(ctx, fmt.Errorf("nothing was erased: %w", err), continues)
	}
	left, err := erase(ctx, newProgress(p), s, k, c.User, objects)
	switch {
	case errors.Is(err, errNoIDs):
		return usagef("the user is a pulled source: use the feature machines too, or give a number with --machine")
	case errors.Is(err, plaza.ErrCorrupt):
		err = fmt.Errorf("%w\nsee plaza repair --help, and restore other damaged items from a backup", err)
	}
	if err != nil {
		return stop(ctx, err, continues)
	}
	printLeft(p.stdout, left)
	return nil
}

// erase shows each step.
func erase(ctx context.Context, shown *progress, s *site, k *kit.Kit, user string, objects []string) (kit.Erasure, error) {
	show := func() {}
	defer func() { show() }()
	return k.Erase(ctx, user, &kit.EraseOptions{Objects: objects, OnStep: func(step kit.Step) {
		show()
		before := s.requests.Load()
		show = shown.watch(func() string {
			return fmt.Sprintf("%d/%d %s: %s", step.Number, step.Of, step.Name, count(s.requests.Load()-before, "request"))
		})
	}})
}

// printLeft says what an erasure leaves.
func printLeft(out io.Writer, left kit.Erasure) {
	fmt.Fprintln(out, "Erased. What stays:")
	for _, group := range []struct {
		of   kit.Owner
		head string
	}{
		{kit.OfUser, "with the user's id"}, {"", "without it"}, {kit.OfObject, "with the ids of the objects"},
	} {
		head := group.head + "\n"
		for _, l := range left.Left {
			if l.Of == group.of {
				fmt.Fprintf(out, "%s  %v\n", head, l)
				head = ""
			}
		}
	}
	if !left.Again.IsZero() {
		fmt.Fprintf(out, "Run the same command again after %s: indexes lag, and deliveries may have arrived since.\n", left.Again.Format(time.TimeOnly))
	}
}

func (c *eraseCommand) confirm(p *program, objects int) error {
	also := ""
	if objects > 0 {
		also = fmt.Sprintf(", and all that anybody left on %s", count(int64(objects), "object"))
	}
	fmt.Fprintf(p.stderr, "This erases the user %q from all features%s. It cannot be undone.\nType the user's id to begin: ", c.User, also)
	answer, err := bufio.NewReader(p.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if strings.TrimRight(answer, "\r\n") != c.User {
		return errors.New("not confirmed: nothing was erased")
	}
	return nil
}

// readLines leaves out empty lines.
func readLines(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if err := keys.CheckName("a line of "+file, line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
