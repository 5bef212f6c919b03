package like_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/stream"
)

func TestBothWaysCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "../..", "feed/like")
	quiet := newWorld(t)
	p := quiet.open(t, m.Wrap)
	without := options()
	without.Entry = nil
	plain, err := like.New(p.reactions, p.boards, p.bell, without)
	require.NoError(t, err)

	user, object := fmt.Sprintf("%-16s", "ann"), photo(1)
	quiet.does(t, liked("bob", object), "l")
	_, _, err = p.likes.React(t.Context(), liked("cat", photo(2))) // the process reads the boards
	require.NoError(t, err)
	react := func(l *like.Likes) func(context.Context) error {
		return func(ctx context.Context) error { _, _, err := l.React(ctx, liked(user, object)); return err }
	}
	unreact := func(l *like.Likes) func(context.Context) error {
		return func(ctx context.Context) error { _, err := l.Unreact(ctx, liked(user, object)); return err }
	}
	m.Costs(react(plain), "Likes.React", "with Notification and Point")
	m.Costs(react(plain), "Likes.React", "a repeat")
	m.Costs(unreact(plain), "Likes.Unreact", "with Notification and Point")
	m.Costs(unreact(plain), "Likes.Unreact", "without a reaction")
	quiet.does(t, liked("dan", object), "l") // so that the entry has seen the last change
	m.Costs(react(p.likes), "Likes.React", "with Notification and Point", "again on one day, more", "with Entry, more")
	m.Costs(react(p.likes), "Likes.React", "a repeat", "with Entry, a repeat, more")
	m.Costs(unreact(p.likes), "Likes.Unreact", "with Notification and Point", "with Entry, more")
	m.Costs(unreact(p.likes), "Likes.Unreact", "without a reaction", "with Entry, a repeat, more")

	records := func() []stream.Record {
		t.Helper()
		all, err := quiet.tail.Records(t.Context())
		require.NoError(t, err)
		return all
	}
	handle := func(l *like.Likes, all []stream.Record) func(context.Context) error {
		return func(ctx context.Context) error {
			for _, r := range all {
				if err := l.Handle(ctx, r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	records()
	quiet.changes(t, liked("eve", object), "l")
	m.Costs(handle(plain, records()), "Likes.Handle", "a reaction that began")
	quiet.changes(t, liked("eve", object), "u")
	m.Costs(handle(plain, records()), "Likes.Handle", "a reaction that ended")
	quiet.changes(t, liked("eve", object), "l")
	last := records()
	m.Costs(handle(p.likes, last), "Likes.Handle", "a reaction that began", "one that began again on one day, more", "with Entry, more")
	m.Costs(handle(p.likes, last), "Likes.Handle", "a reaction that began", "with Entry, more")
}

// The page has the sums of what the comments state.
func TestThePageHasTheCostsOfBothWays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/likes.md")
	require.NoError(t, err)
	likes, reactions := callstest.ReadCosts(t, "../..", "feed/like"), callstest.ReadCosts(t, "../..", "feed/reaction")
	cells := func(c meter.Cost) string { return fmt.Sprintf("%d | %v | %v", c.Requests, c.Read, c.Write) }
	for _, row := range []string{
		"like, inline | " + cells(likes.Of("Likes.React", "with Notification and Point")),
		"take back, inline | " + cells(likes.Of("Likes.Unreact", "with Notification and Point")),
		"like, by changes | " + cells(reactions.Of("Repository.React", "react")) + " | " + cells(likes.Of("Likes.Handle", "a reaction that began")),
		"take back, by changes | " + cells(reactions.Of("Repository.Unreact", "unreact")) + " | " + cells(likes.Of("Likes.Handle", "a reaction that ended")),
	} {
		require.Contains(t, string(page), "| "+row+" |")
	}
}
