package leaderboard

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// MaxShards is the largest Board.Shards.
const MaxShards = 64

// Ties says how to order entries with equal scores and sub scores.
type Ties string

// The ways to break a tie. Equal times are ordered by the players' ids.
const (
	EarlierFirst Ties = "" // the earlier score wins, the default
	LaterFirst   Ties = "later"
)

// Operator says what a submission does to the current score.
type Operator string

// The operators. Increment and Decrement take an absent score for 0. All but Best
// give the entry the submission's sub score.
const (
	Best      Operator = "best"      // keeps the better one
	Set       Operator = "set"       // replaces it
	Increment Operator = "increment" // adds to it
	Decrement Operator = "decrement" // subtracts from it
)

// Ranking is how ranks are found.
type Ranking string

// The ways to find a rank.
const (
	// RankByCount, the default, counts the entries above. It is exact, and suits
	// boards of up to about 20,000 players.
	RankByCount Ranking = ""
	// RankByFold looks a rank up in the numbers that a Folder published. It suits boards
	// of millions of players. Without a Folder ranks are counted, or as of the last
	// publication.
	RankByFold Ranking = "fold"
)

// Board is the definition of a board. Kind, Order, SubOrder and Ties are permanent.
type Board struct {
	Name     string
	Kind     Kind
	Order    Order // of scores
	SubOrder Order // of sub scores, which decide between equal scores
	Ties     Ties

	// Operator is for submissions that name none. Defaults to Best.
	Operator Operator
	// Allow are further operators that a submission may name. A board with Best
	// alone can never allow others, because its entries remember no operations,
	// and no other board can become one with Best alone.
	Allow []Operator

	// Min and Max are the bounds of what is accepted. A score below Floor becomes
	// Floor, which is permanent on a board with Best alone. All are optional.
	Min, Max, Floor *Score

	// Above leaves out who has no score above it: with Int(0), whose likes were all taken
	// back. Nobody who is left out is listed, ranked or counted, but the score is kept, and
	// so is Hide. It may change at any time: then it decides with an entry's next score, and
	// Repair applies it to all entries. Optional.
	Above *Score

	// Cron is @hourly, @daily, @weekly, @monthly, @yearly or five fields, such as
	// "0 0 1 1,4,7,10 *" for a quarter. It is when a new period begins, on
	// the wall clock of Zone, an IANA name that defaults to UTC. Without it a board
	// has a single period without an end. A new schedule begins when the open
	// period ends.
	Cron, Zone string

	// Grace is how long after the end of a period submissions for it are accepted,
	// up to 100 years. A period uses the Grace and Keep that the board had when
	// the period began.
	Grace time.Duration
	// Keep is how long a period and its entries are kept after Grace, up to 100
	// years. 0 keeps them forever.
	Keep time.Duration

	// Shards is how many partitions of the index a period uses, 1 to MaxShards. A
	// partition takes about 300 improvements a second. Defaults to 1. It only
	// grows: a smaller number changes nothing. An open period uses a larger number
	// about two minutes after the first submission that knows it.
	Shards int

	// Ranking is how ranks are found. It may change at any time.
	Ranking Ranking
}

// normal is the board with the defaults filled in.
func (b Board) normal() Board {
	if b.Operator == "" {
		b.Operator = Best
	}
	b.Allow = slices.DeleteFunc(slices.Clone(b.Allow), func(o Operator) bool { return o == b.Operator })
	slices.Sort(b.Allow)
	if b.Allow = slices.Compact(b.Allow); len(b.Allow) == 0 {
		b.Allow = nil
	}
	b.Shards = max(b.Shards, 1)
	return b
}

func (b Board) check(zones wallclock.Loader) error {
	if err := b.checkItself(); err != nil || b.Cron == "" {
		return err
	}
	_, err := wallclock.Parse(b.Cron, b.Zone, zones)
	return err
}

// checkItself checks everything except the zone.
func (b Board) checkItself() error {
	if err := keys.CheckName("Name", b.Name); err != nil {
		return err
	}
	for _, choice := range []struct {
		field, given string
		allowed      []string
	}{
		{"Kind", string(b.Kind), []string{string(KindInt), string(KindFloat)}},
		{"Order", string(b.Order), []string{string(Descending), string(Ascending)}},
		{"SubOrder", string(b.SubOrder), []string{string(Descending), string(Ascending)}},
		{"Ties", string(b.Ties), []string{string(EarlierFirst), string(LaterFirst)}},
		{"Ranking", string(b.Ranking), []string{string(RankByCount), string(RankByFold)}},
	} {
		if !slices.Contains(choice.allowed, choice.given) {
			return &plaza.InvalidError{Field: choice.field, Reason: fmt.Sprintf("is %q, none of %q", choice.given, choice.allowed)}
		}
	}
	if b.Operator != "" && !b.Operator.known() {
		return &plaza.InvalidError{Field: "Operator", Reason: fmt.Sprintf("is %q, which is not an operator", b.Operator)}
	}
	for i, operator := range b.Allow {
		if !operator.known() {
			return &plaza.InvalidError{Field: fmt.Sprintf("Allow[%d]", i), Reason: fmt.Sprintf("is %q, which is not an operator", operator)}
		}
	}
	return cmp.Or(args.Between("Shards", b.Shards, 0, MaxShards), b.checkBounds(), b.checkPeriods())
}

func (o Operator) known() bool { return o == Best || o == Set || o == Increment || o == Decrement }

// adds reports whether what the operator does can be undone.
func (o Operator) adds() bool { return o == Increment || o == Decrement }

func (b Board) checkBounds() error {
	for field, bound := range map[string]*Score{"Min": b.Min, "Max": b.Max, "Floor": b.Floor, "Above": b.Above} {
		switch {
		case bound == nil:
		case bound.kind != b.Kind:
			return &plaza.InvalidError{Field: field, Reason: "is not of the board's kind"}
		case bound.isNaN():
			return &plaza.InvalidError{Field: field, Reason: "is not a number"}
		}
	}
	if b.Min != nil && b.Max != nil && b.Min.Compare(*b.Max) > 0 {
		return &plaza.InvalidError{Field: "Min", Reason: "is above Max"}
	}
	if b.Floor != nil && b.checkBoundsOf(*b.Floor) != nil {
		return &plaza.InvalidError{Field: "Floor", Reason: "is not within Min and Max"}
	}
	return nil
}

// century bounds durations, so that their sum does not overflow.
const century = 100 * 365 * 24 * time.Hour

func (b Board) checkPeriods() error {
	err := cmp.Or(args.Between("Grace", b.Grace, 0, century), args.Between("Keep", b.Keep, 0, century))
	switch {
	case err != nil:
		return err
	case b.Cron == "" && b.Zone != "":
		return &plaza.InvalidError{Field: "Zone", Reason: "is given without Cron"}
	case b.Cron == "":
		return nil
	}
	return wallclock.CheckCron(b.Cron)
}

// checkBoundsOf refuses a score outside Min and Max.
func (b Board) checkBoundsOf(s Score) error {
	if b.Min != nil && s.Compare(*b.Min) < 0 || b.Max != nil && s.Compare(*b.Max) > 0 {
		return &plaza.InvalidError{Field: "Score", Reason: "is not within the board's Min and Max"}
	}
	return nil
}

// clamped returns the score raised to Floor, if it is within Min and Max then.
func (b Board) clamped(s Score) (Score, error) {
	if b.Floor != nil && s.Compare(*b.Floor) < 0 {
		s = *b.Floor
	}
	return s, b.checkBoundsOf(s)
}

// leavesOut reports whether an entry with the score is not among the standings.
func (b Board) leavesOut(s Score) bool { return b.Above != nil && s.Compare(*b.Above) <= 0 }

// allows reports whether a submission may name the operator.
func (b Board) allows(o Operator) bool { return o == b.Operator || slices.Contains(b.Allow, o) }

func (b Board) checkAllows(o Operator) error {
	if !b.allows(o) {
		return &plaza.InvalidError{Field: "Operator", Reason: fmt.Sprintf("is %q, which the board does not allow", o)}
	}
	return nil
}

// bestOnly reports whether Best is the only operator.
func (b Board) bestOnly() bool { return b.Operator == Best && len(b.Allow) == 0 }

func orderOf(b Board) order {
	return order{kind: b.Kind, score: b.Order, sub: b.SubOrder, latestFirst: b.Ties == LaterFirst}
}

// checkRedefinition refuses a change of a permanent field.
func (b Board) checkRedefinition(next Board) error {
	for _, kept := range []struct {
		field   string
		differs bool
	}{
		{"Kind", b.Kind != next.Kind},
		{"Order", b.Order != next.Order},
		{"SubOrder", b.SubOrder != next.SubOrder},
		{"Ties", b.Ties != next.Ties},
		{"Operator", b.bestOnly() != next.bestOnly()},
		{"Cron", b.Cron == "" && next.Cron != ""},
		{"Floor", b.bestOnly() && !reflect.DeepEqual(b.Floor, next.Floor)}, // otherwise a repeat could be better than the first submission
	} {
		if kept.differs {
			return fmt.Errorf("%w: %s cannot become another", plaza.ErrConflict, kept.field)
		}
	}
	return nil
}
