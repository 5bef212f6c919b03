package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// checking has the flags and methods that check and repair share.
type checking struct {
	connecting
	User       []string `sep:"none" placeholder:"ID" help:"A user's follows and own reactions. May be repeated."`
	Object     []string `sep:"none" placeholder:"ID" help:"The reactions to an object. May be repeated."`
	Board      []string `sep:"none" placeholder:"NAME" help:"A leaderboard, with all its periods: reads the whole table for each. May be repeated."`
	All        bool     `help:"Every user, object, board and stored item: reads the whole tables."`
	Kind       []string `placeholder:"KIND" help:"Your kinds of reactions, as in Options.Kinds. Required for objects."`
	Checkpoint string   `placeholder:"FILE" type:"path" help:"Where --all keeps its place. If the file exists, it continues there."`
	JSON       bool     `help:"Print one JSON object a line."`
}

type checkCommand struct{ checking }

type repairCommand struct {
	checking
	minting
	DryRun bool `help:"Print what is wrong and change nothing, as check does."`
}

// Run reports what is wrong.
func (c *checkCommand) Run(ctx context.Context, p *program) error {
	return c.run(ctx, p, false, minting{})
}

// Run reports what it repaired. Repairs are not a failure.
func (c *repairCommand) Run(ctx context.Context, p *program) error {
	return c.run(ctx, p, !c.DryRun, c.minting)
}

func (c *checking) run(ctx context.Context, p *program, repair bool, from minting) error {
	s, err := c.connect(ctx, p)
	if err != nil {
		return err
	}
	j, err := c.newJob(p, s, repair)
	if err != nil {
		return err
	}
	gen, release, err := c.source(s, repair, from)
	if err != nil {
		return err
	}
	defer release()
	if err := j.open(gen, c.Kind); err != nil {
		return err
	}
	show := newProgress(p).watch(j.status)
	if c.All {
		err = j.all(ctx, c.Checkpoint)
	} else {
		err = j.named(ctx, c)
	}
	show()
	switch {
	case err != nil && c.Checkpoint != "":
		return stop(ctx, err, continues)
	case err != nil:
		return stop(ctx, err, "Not everything was checked. With --checkpoint, a check of --all can be continued.")
	case j.failed > 0 || j.drifts > 0 && !repair:
		return errFound
	}
	return nil
}

// source is for leaderboards. A check of them makes an id too, but stores none, so its
// machine number may be anybody's.
func (c *checking) source(s *site, repair bool, from minting) (gen ids.Source, release func(), err error) {
	if repair && s.names.Leaderboard != "" && (c.All || len(c.Board) > 0) {
		return from.source(s)
	}
	gen, err = ids.New(0, nil)
	return gen, func() {}, err
}

func (c *checking) newJob(p *program, s *site, repair bool) (*checkJob, error) {
	named := len(c.User) + len(c.Object) + len(c.Board)
	for flag, names := range map[string][]string{"--user": c.User, "--object": c.Object, "--board": c.Board, "--kind": c.Kind} {
		if err := keys.CheckNames(flag, names); err != nil {
			return nil, err
		}
	}
	switch {
	case c.All && named > 0:
		return nil, usagef("give either --all, or users, objects and boards")
	case !c.All && named == 0:
		return nil, usagef("say what to check: --user, --object, --board or --all")
	case c.Checkpoint != "" && !c.All:
		return nil, usagef("--checkpoint is for --all")
	case s.names.Reaction != "" && len(c.Kind) == 0 && (c.All || len(c.Object) > 0):
		return nil, usagef("give your kinds of reactions with --kind, or leave out the feature reaction with --only")
	}
	command := "check"
	if repair {
		command = "repair"
	}
	return &checkJob{p: p, s: s, repair: repair, json: c.JSON, command: command, kinds: slices.Sorted(slices.Values(c.Kind))}, nil
}

// checkJob checks or repairs, and prints what it finds.
type checkJob struct {
	p            *program
	s            *site
	repair, json bool
	command      string
	kinds        []string // sorted

	follows   *follow.Repository
	reactions *reaction.Repository
	boards    *leaderboard.Repository

	mu                            sync.Mutex
	doing                         string
	read, checked, drifts, failed int64
}

func (j *checkJob) open(gen ids.Source, kinds []string) error {
	j.s.corrupt = func(e *plaza.CorruptError) { j.report(finding{Damaged: e.Error()}) }
	k, err := j.s.kit(gen, kinds...)
	if err != nil {
		return err
	}
	if j.s.names.Follow != "" {
		j.follows = k.Follows
	}
	if j.s.names.Reaction != "" {
		j.reactions = k.Reactions
	}
	if j.s.names.Leaderboard != "" {
		j.boards = k.Boards
	}
	return nil
}

// subject is a user, an object, a board or an item that is checked.
type subject struct {
	Feature string `json:"feature,omitzero"`
	User    string `json:"user,omitzero"`
	Object  string `json:"object,omitzero"`
	Board   string `json:"board,omitzero"`
	Period  string `json:"period,omitzero"`
	PK      string `json:"pk,omitzero"` // of an item that is checked alone
	SK      string `json:"sk,omitzero"`
}

func (s subject) String() string {
	switch {
	case s.User != "":
		return fmt.Sprintf("%s of user %q", s.Feature, s.User)
	case s.Object != "":
		return fmt.Sprintf("%s to object %q", s.Feature, s.Object)
	case s.PK != "":
		return fmt.Sprintf("%s item %q / %q", s.Feature, s.PK, s.SK)
	case s.Period != "":
		return fmt.Sprintf("%s %q, period %s", s.Feature, s.Board, s.Period)
	}
	return fmt.Sprintf("%s %q", s.Feature, s.Board)
}

// finding is a line of output.
type finding struct {
	subject
	Drift   map[string]int64 `json:"drift,omitempty"`   // what is wrong, and how much
	Fixed   bool             `json:"fixed,omitzero"`    // by repair
	Damaged string           `json:"damaged,omitempty"` // an item that no check can compare
	Error   string           `json:"error,omitempty"`   // why it could not be checked
}

func (f finding) String() string {
	var what []string
	for _, name := range slices.Sorted(maps.Keys(f.Drift)) {
		what = append(what, fmt.Sprintf("%s %d", name, f.Drift[name]))
	}
	verb := "wrong"
	if f.Fixed {
		verb = "fixed"
	}
	switch {
	case f.Damaged != "":
		return f.Damaged
	case f.Error != "":
		return fmt.Sprintf("%v: not checked: %s", f.subject, f.Error)
	}
	return fmt.Sprintf("%v: %s: %s", f.subject, verb, strings.Join(what, ", "))
}

func (j *checkJob) report(f finding) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(f.Drift) > 0 {
		j.drifts++
	} else {
		j.failed++
	}
	j.p.print(f, j.json)
}

func (j *checkJob) status() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := j.doing
	if j.read > 0 {
		text += count(j.read, "item") + " read, "
	}
	text += count(j.checked, "check")
	if j.checked > 0 {
		text += ", " + count(j.drifts, "finding")
	}
	return text
}

// one checks or repairs a subject. One that cannot be checked is a finding too, and does
// not end the run, unless it is a board: its check reads a whole table, so an error
// means that DynamoDB is busy or cannot be reached.
func (j *checkJob) one(ctx context.Context, of subject) error {
	drift, err := j.drift(ctx, of)
	switch {
	case err == nil && len(drift) > 0:
		j.report(finding{subject: of, Drift: drift, Fixed: j.repair})
	case errors.Is(err, plaza.ErrBusy) && of.Board == "", errors.Is(err, plaza.ErrCorrupt), errors.Is(err, plaza.ErrNotFound):
		j.report(finding{subject: of, Error: err.Error()})
	case err != nil:
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.checked++
	return nil
}

func (j *checkJob) drift(ctx context.Context, of subject) (map[string]int64, error) {
	switch of.Feature {
	case "follow":
		do := j.follows.Check
		if j.repair {
			do = j.follows.Repair
		}
		d, err := do(ctx, of.User)
		return nonZero(map[string]int64{
			"followers": d.Followers, "following": d.Following,
			"counters": int64(d.Counters), "torn": int64(d.Torn), "orphans": int64(d.Orphans), "damaged": int64(d.Damaged),
		}), err
	case "reaction":
		do, name := j.reactions.Check, of.Object
		switch {
		case of.User != "" && j.repair:
			do, name = j.reactions.RepairUser, of.User
		case of.User != "":
			do, name = j.reactions.CheckUser, of.User
		case j.repair:
			do = j.reactions.Repair
		}
		d, err := do(ctx, name)
		drift := map[string]int64{
			"counters": int64(d.Counters), "torn": int64(d.Torn), "orphans": int64(d.Orphans), "damaged": int64(d.Damaged),
		}
		for kind, n := range d.Counts {
			drift["count of "+kind] = n
		}
		return nonZero(drift), err
	}
	do := j.boards.Check
	if j.repair {
		do = j.boards.Repair
	}
	d, err := do(ctx, leaderboard.In{Board: of.Board, Period: of.Period})
	return nonZero(map[string]int64{
		"broken": int64(d.Broken), "lagging": int64(d.Lagging), "misfolded": int64(d.Misfolded),
	}), err
}

func nonZero(drift map[string]int64) map[string]int64 {
	maps.DeleteFunc(drift, func(_ string, n int64) bool { return n == 0 })
	return drift
}

// checksAtOnce is how many subjects are checked at once.
const checksAtOnce = 8

func (j *checkJob) each(ctx context.Context, all []subject) error {
	return parallel.ForEach(ctx, len(all), checksAtOnce, func(ctx context.Context, i int) error { return j.one(ctx, all[i]) })
}

// named checks what the command names.
func (j *checkJob) named(ctx context.Context, c *checking) error {
	var all []subject
	for _, user := range c.User {
		if j.follows != nil {
			all = append(all, subject{Feature: "follow", User: user})
		}
		if j.reactions != nil {
			all = append(all, subject{Feature: "reaction", User: user})
		}
	}
	for _, object := range c.Object {
		if j.reactions != nil {
			all = append(all, subject{Feature: "reaction", Object: object})
		}
	}
	for _, board := range c.Board {
		if j.boards == nil {
			continue
		}
		periods, err := j.periods(ctx, board)
		if err != nil {
			return err
		}
		all = append(all, periods...)
	}
	return j.each(ctx, all)
}

func (j *checkJob) periods(ctx context.Context, board string) (all []subject, err error) {
	list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Period], error) {
		return j.boards.Periods(ctx, board, req)
	}
	for period, err := range cursor.All(ctx, list) {
		if err != nil {
			return nil, err
		}
		all = append(all, subject{Feature: "leaderboard", Board: board, Period: period.Name})
	}
	slices.SortFunc(all, func(a, b subject) int { return cmp.Compare(a.Period, b.Period) })
	return all, nil
}
