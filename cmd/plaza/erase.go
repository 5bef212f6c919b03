package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/tables"
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
	return `Erases in the order of docs/operations.md. Every step can be repeated: after a failure, or Ctrl-C, run the same command again. Run it once more some minutes later: indexes lag, and deliveries that were under way may have arrived since.

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
	if !c.Yes {
		if err := c.confirm(p, len(objects)); err != nil {
			return err
		}
	}
	gen, release := ids.Source(noIDs{}), func() {}
	machine := s.names.Machines != "" || c.Machine != nil // feed's step may do without
	if s.names.Leaderboard+s.names.Danmu+s.names.Message != "" || s.names.Feed != "" && machine {
		if gen, release, err = c.source(s); err != nil {
			return err
		}
	}
	defer release()
	if err := s.usable(ctx, c.Machine == nil); err != nil {
		return stop(ctx, fmt.Errorf("nothing was erased: %w", err), continues)
	}
	if err := eraseAll(ctx, newProgress(p), s, s.erasure(gen, c.User, objects)); err != nil {
		return stop(ctx, err, continues)
	}
	fmt.Fprint(p.stdout, s.remains(len(objects) > 0))
	return nil
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

// usable verifies the tables that an erasure works on.
func (s *site) usable(ctx context.Context, leases bool) error {
	names := s.names
	names.Pollers, names.Letters = "", ""
	if !leases {
		names.Machines = ""
	}
	for _, t := range tables.Of(names) {
		if err := s.compare(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// step is a part of an erasure. It may be repeated.
type step struct {
	name string
	do   func(context.Context) error

	// first marks a step that must succeed before the next ones begin, even if it failed
	// only because of damaged items.
	first bool
}

type eraser interface {
	Erase(ctx context.Context, user string) error
}

type objectEraser interface {
	EraseObject(ctx context.Context, object string) error
}

// erasure has the steps of docs/operations.md, in their order.
func (s *site) erasure(gen ids.Source, user string, objects []string) []step {
	var steps, last []step
	add := func(feature, table string, open func() (eraser, error)) {
		if table == "" {
			return
		}
		steps = append(steps, step{name: feature, first: feature == "follow", do: func(ctx context.Context) error {
			r, err := open()
			if err != nil {
				return err
			}
			return r.Erase(ctx, user)
		}})
		last = append(last, eraseObjects(feature, open, objects)...)
	}
	if s.names.Feed != "" {
		steps = append(steps, step{name: "pulled source", first: true, do: func(ctx context.Context) error { return s.push(ctx, gen, user) }})
	}
	add("follow", s.names.Follow, func() (eraser, error) { return s.follow() })
	add("feed", s.names.Feed, func() (eraser, error) { return s.feed(gen) })
	add("comment", s.names.Comment, func() (eraser, error) { return s.comment() })
	add("reaction", s.names.Reaction, func() (eraser, error) { return s.reaction([]string{anyKind}) })
	add("leaderboard", s.names.Leaderboard, func() (eraser, error) { return s.leaderboard(gen) })
	add("danmu", s.names.Danmu, func() (eraser, error) { return s.danmu(gen) })
	add("message", s.names.Message, func() (eraser, error) { return s.message(gen) })
	add("digest", s.names.Notify, func() (eraser, error) { return s.digest() })
	add("notify", s.names.Notify, func() (eraser, error) { return s.notify(notify.Options{}) })
	return append(steps, last...)
}

// errPulled stops an erasure before anything is erased.
var errPulled = errors.New("nothing was erased: the user is a pulled source. The switch back to pushed has begun; a worker of feed (Run or Deliver) finishes it")

// push begins to make a pulled source pushed again. The application's worker finishes that:
// it knows Options.Retention.
func (s *site) push(ctx context.Context, gen ids.Source, user string) error {
	feeds, err := s.feed(gen)
	if err != nil {
		return err
	}
	mode, err := feeds.Outbox(user).Mode(ctx)
	if err != nil || mode == feed.Pushed {
		return err
	}
	_, err = feeds.Outbox(user).SetPulled(ctx, false)
	if errors.Is(err, errNoIDs) {
		return usagef("the user is a pulled source: use the feature machines too, or give a number with --machine")
	}
	return cmp.Or(err, errPulled)
}

func eraseObjects(feature string, open func() (eraser, error), objects []string) []step {
	if len(objects) == 0 || !slices.Contains([]string{"comment", "reaction", "leaderboard", "danmu"}, feature) {
		return nil
	}
	return []step{{name: "objects of " + feature, do: func(ctx context.Context) error {
		r, err := open()
		if err != nil {
			return err
		}
		erase := r.Erase // an object's own entries
		if on, ok := r.(objectEraser); ok {
			erase = on.EraseObject
		}
		for _, object := range objects {
			if err := erase(ctx, object); err != nil {
				return err
			}
		}
		return nil
	}}}
}

// eraseAll stops at the first error, except that damaged items stop only the steps that
// depend on them; their error comes at the end.
func eraseAll(ctx context.Context, shown *progress, s *site, steps []step) error {
	var damaged []error
	for i, step := range steps {
		before := s.requests.Load()
		head := fmt.Sprintf("%d/%d %s: ", i+1, len(steps), step.name)
		show := shown.watch(func() string { return head + count(s.requests.Load()-before, "request") })
		err := step.do(ctx)
		show()
		if err == nil {
			continue
		}
		if step.first || !errors.Is(err, plaza.ErrCorrupt) {
			return err
		}
		damaged = append(damaged, err)
	}
	if len(damaged) > 0 {
		return fmt.Errorf("everything was erased except damaged items; see plaza repair --help, and restore other damaged items from a backup:\n%w", errors.Join(damaged...))
	}
	return nil
}

// remains says what an erasure leaves, as the comments of Erase and EraseObject do.
func (s *site) remains(objects bool) string {
	type rest struct{ table, what string }
	var b strings.Builder
	list := func(head string, left ...rest) {
		b.WriteString(head)
		for _, r := range left {
			if r.table != "" {
				fmt.Fprintf(&b, "  %s\n", r.what)
			}
		}
	}
	list("Erased. These stay with the user's id:\n",
		rest{s.names.Follow, "follow: items that keep late requests from bringing follows back, for 30 days"},
		rest{s.names.Feed, "feed: entries in other people's homes, hidden, until they expire (Options.Retention)"},
		rest{s.names.Feed, "feed: sources that others unfollowed or read, in the headers of their homes, until a later unfollow forgets them"},
		rest{s.names.Feed, "feed: the To of other people's activities, and of their deliveries that wait"},
		rest{s.names.Comment, "comment: mentions by others; who removed or hid a comment"},
		rest{s.names.Reaction, "reaction: items that keep late requests from bringing reactions back, for 30 days"},
		rest{s.names.Leaderboard, "leaderboard: items that keep late submissions from bringing entries back, for 30 days"},
		rest{s.names.Leaderboard, "leaderboard: perhaps the beginning of the id in what a folder published"},
		rest{s.names.Danmu, "danmu: items that keep late requests from bringing likes and reports back, for 30 days"},
		rest{s.names.Danmu, "danmu: the items of a ratelimit.Table, until they expire"},
		rest{s.names.Message, "message: the names of conversations of two; each block on them"},
		rest{s.names.Notify, "notify: the user as an actor in other people's notifications, until these expire (Options.Retention)"},
		rest{s.names.Notify, "notify: the same in what NotifyWatchers stored, until it is delivered"},
		rest{s.names.Notify, "notify: other people's blocks of the user"},
		rest{s.names.Letters, "letters: records in dead letters, until you redrive or delete them"},
	)
	list("These stay without it:\n",
		rest{s.names.Leaderboard, "leaderboard: what the user's submissions added to the entries of others, such as likes, unless you undid it"},
	)
	if objects {
		list("These stay with the ids of the objects:\n",
			rest{s.names.Comment, "comment: items that remember removed comments and Keys, until they expire"},
			rest{s.names.Reaction, "reaction: items that keep late requests from bringing reactions back, for 30 days; where it was taken back before, until its user is erased"},
			rest{s.names.Leaderboard, "leaderboard: items that keep late submissions from bringing entries back, for 30 days"},
			rest{s.names.Danmu, "danmu: likes and reports, until their user takes them back or is erased"},
			rest{s.names.Danmu, "danmu: the items of a ratelimit.Table, until they expire"},
			rest{s.names.Feed, "feed: other people's activities about them"},
			rest{s.names.Notify, "notify: other people's notifications about them, until these expire (Options.Retention); mutes of them"},
		)
	}
	b.WriteString("Run the same command again in some minutes: indexes lag, and deliveries may have arrived since.\n")
	return b.String()
}
