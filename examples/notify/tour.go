package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// tour starts the site and the bells, writes step by step, and checks what the bells
// show. They may take as long as patience.
func tour(ctx context.Context, patience time.Duration, out io.Writer) (err error) {
	env, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := newStory(ctx, env, patience, out)
	if err != nil {
		return err
	}
	return beside(ctx, s.bells.run, s.tell)
}

// open starts DynamoDB Local with the tables of the site and the bells.
func open(ctx context.Context) (*plazatest.Env, error) {
	return plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{
		Follow: "notify-follow", Reaction: "notify-reaction", Comment: "notify-comment", Notify: "notify-notify",
		Pollers: "notify-pollers", Letters: "notify-letters",
	}})
}

func newStory(ctx context.Context, env *plazatest.Env, patience time.Duration, out io.Writer) (*story, error) {
	gen, err := ids.New(1, nil) // there are no other processes
	if err != nil {
		return nil, err
	}
	site, err := newSite(env, gen)
	if err != nil {
		return nil, err
	}
	bells, err := newBells(ctx, env, gen, site.follows)
	return &story{Painter: ledger.NewPainter(out), out: out, gen: gen, site: site, bells: bells, patience: patience}, err
}

// story writes to the site and looks at the bells.
type story struct {
	ledger.Painter

	out      io.Writer
	gen      ids.Source
	site     site
	bells    *bells
	patience time.Duration
}

// beside calls f while work goes on.
func beside(ctx context.Context, work, f func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	running := make(chan error, 1)
	go func() {
		err := work(ctx)
		stop(err)
		running <- err
	}()
	err := f(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	stop(nil)
	if failed := <-running; failed != nil {
		return failed
	}
	return err
}

// people have a bell.
var people = []string{"chris", "jack", "zoe"}

func (s *story) tell(ctx context.Context) error {
	const picture, question = "picture:10", "question:7"
	steps := []struct {
		title string
		write func(context.Context) error
		bells map[string][]string // what they show then
	}{
		{"Five people like chris's picture", func(ctx context.Context) error {
			return each([]string{"ann", "bob", "dora", "eve", "finn"}, func(user string) error { return s.site.like(ctx, user, picture) })
		}, map[string][]string{"chris": {"* finn and 4 others liked your picture 10"}}},
		{"finn takes his back", func(ctx context.Context) error {
			return s.site.unlike(ctx, "finn", picture)
		}, map[string][]string{"chris": {"* eve and 3 others liked your picture 10"}}},
		{"bob unlikes it and likes it again, and chris likes it too", func(ctx context.Context) error {
			return errors.Join(s.site.unlike(ctx, "bob", picture), s.site.like(ctx, "bob", picture), s.site.like(ctx, "chris", picture))
		}, map[string][]string{"chris": {"* bob and 3 others liked your picture 10"}}},
		{"ann follows chris; jack and zoe follow his question", func(ctx context.Context) error {
			return errors.Join(s.site.follow(ctx, "ann", "chris"), s.site.follow(ctx, "jack", question), s.site.follow(ctx, "zoe", question))
		}, map[string][]string{"chris": {"* ann followed you", "* bob and 3 others liked your picture 10"}}},
		{"zoe answers the question", func(ctx context.Context) error {
			return s.site.comment(ctx, "zoe", question, "Look at its wings.")
		}, map[string][]string{
			"chris": {"* zoe answered your question 7", "* ann followed you", "* bob and 3 others liked your picture 10"},
			"jack":  {"* zoe answered question 7"},
		}},
		{"chris opens his bell", func(ctx context.Context) error {
			return s.open(ctx, "chris")
		}, map[string][]string{
			"chris": {"  zoe answered your question 7", "  ann followed you", "  bob and 3 others liked your picture 10"},
			"jack":  {"* zoe answered question 7"},
		}},
		{"ann unfollows him, and eve follows him", func(ctx context.Context) error {
			return errors.Join(s.site.unfollow(ctx, "ann", "chris"), s.site.follow(ctx, "eve", "chris"))
		}, map[string][]string{
			"chris": {"* eve followed you", "  zoe answered your question 7", "  bob and 3 others liked your picture 10"},
			"jack":  {"* zoe answered question 7"},
		}},
	}
	for _, step := range steps {
		fmt.Fprintf(s.out, "\n%s\n", s.Paint(ledger.Bold, step.title))
		if err := step.write(ctx); err != nil {
			return err
		}
		if err := s.await(ctx, step.bells); err != nil {
			return err
		}
	}
	return s.replay(ctx)
}

func each(users []string, f func(user string) error) error {
	for _, user := range users {
		if err := f(user); err != nil {
			return err
		}
	}
	return nil
}

// open marks as seen what the bell shows.
func (s *story) open(ctx context.Context, user string) error {
	entries, err := s.entries(ctx, user)
	if err != nil {
		return err
	}
	return s.bells.MarkSeen(ctx, user, notify.See(entries))
}

func (s *story) entries(ctx context.Context, user string) ([]notify.Entry, error) {
	page, err := s.bells.List(ctx, notify.Reader{User: user}, cursor.PageRequest{Limit: 10})
	return page.Items, err
}

// all are the entries of all bells, but not when they were listed.
func (s *story) all(ctx context.Context) (map[string][]notify.Entry, error) {
	all := map[string][]notify.Entry{}
	for _, user := range people {
		entries, err := s.entries(ctx, user)
		if err != nil {
			return nil, err
		}
		for i := range entries {
			entries[i].Listed = 0
		}
		all[user] = entries
	}
	return all, nil
}

// await looks at the bells until they show what they must.
func (s *story) await(ctx context.Context, want map[string][]string) error {
	return s.wait(ctx, func(ctx context.Context) (missing, err error) {
		all, err := s.all(ctx)
		if err != nil {
			return nil, err
		}
		got := map[string][]string{}
		for user, entries := range all {
			for _, e := range entries {
				got[user] = append(got[user], line(user, e))
			}
		}
		if !equal(got, want) {
			return fmt.Errorf("the bells show %q, not %q", got, want), nil
		}
		s.show(got)
		return nil, nil
	})
}

// wait looks until nothing is missing.
func (s *story) wait(ctx context.Context, look func(context.Context) (missing, err error)) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(s.patience)
	for {
		missing, err := look(ctx)
		switch {
		case err != nil || missing == nil:
			return err
		case time.Now().After(end):
			return errors.Join(missing, s.bells.seen.met())
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func equal(got, want map[string][]string) bool {
	return !slices.ContainsFunc(people, func(user string) bool { return !slices.Equal(got[user], want[user]) })
}

func (s *story) show(bells map[string][]string) {
	for _, user := range people {
		for i, line := range bells[user] {
			if i > 0 {
				user = ""
			}
			style := ledger.Faint
			if strings.HasPrefix(line, "*") {
				style = ledger.Plain
			}
			fmt.Fprintf(s.out, "  %-6s %s\n", user, s.Paint(style, line))
		}
	}
}

// replay reads the streams of the site once more, by readers that know nothing of the
// first ones.
func (s *story) replay(ctx context.Context) error {
	fmt.Fprintf(s.out, "\n%s\n", s.Paint(ledger.Bold, "The streams are read again from their beginning"))
	rings := map[string]int{"chris": 9, "jack": 1}
	if err := s.wait(ctx, func(context.Context) (missing, err error) {
		if got := s.bells.seen.rings(); !maps.Equal(got, rings) {
			return fmt.Errorf("the bells rang %v times, not %v", got, rings), nil
		}
		return nil, nil
	}); err != nil {
		return err
	}
	before, err := s.all(ctx)
	if err != nil {
		return err
	}
	again := func(ctx context.Context) error { return s.bells.read(ctx, "second") }
	if err := beside(ctx, again, s.replayed); err != nil {
		return err
	}
	after, err := s.all(ctx)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(before, after) {
		fmt.Fprintf(s.out, "  %s  it changed the bells\n", s.Paint(ledger.Bad, "FAIL"))
		return errors.New("a repeat changed the bells")
	}
	fmt.Fprintf(s.out, "  %s  %d records changed no bell\n", s.Paint(ledger.Good, "ok"), s.bells.seen.count("second"))
	fmt.Fprintf(s.out, "\nThe bells rang, chris's %d times and jack's once. The site itself wrote follows, likes and comments only.\n", rings["chris"])
	return nil
}

// replayed waits until the second readers have read what the first ones read, and
// until the watchers whom they asked for are notified again.
func (s *story) replayed(ctx context.Context) error {
	return s.wait(ctx, func(context.Context) (error, error) {
		if left := s.bells.seen.unread("first", "second"); left > 0 {
			return fmt.Errorf("%d records are not read again", left), nil
		}
		if asked, done := s.bells.seen.watches(); done < asked {
			return fmt.Errorf("watchers are notified of %d of %d comments", done, asked), nil
		}
		return nil, nil
	})
}
