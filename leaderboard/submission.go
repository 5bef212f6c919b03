package leaderboard

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// The largest Submission.Name and Submission.Meta, in bytes.
const (
	MaxName = 64
	MaxMeta = 4 << 10
)

// Submission is a score of a player for a board.
type Submission struct {
	Board, Player string

	// Score is of the board's kind. Increment adds it, Decrement subtracts it.
	Score Score
	// Sub decides between equal scores. Optional.
	Sub int64

	// Operator defaults to the board's; another must be among its Allow.
	Operator Operator

	// Op is the submission's identity: a repeat with the same Op is applied once.
	// Submit mints one if it is zero. An Op from the future is refused. An entry
	// remembers its last 16, and needs none on a board with Best alone.
	Op ids.ID

	// Retractable lets any number of actors add to one entry, each with an Op of its own,
	// in any order and however late, and lets Retract take a submission back. It is for
	// Increment and Decrement, on boards without Floor. Each Op has an item of its
	// own. It expires 30 days after the period's Grace or, if the period does not
	// end, 30 days after the time of Op: an older Op is ErrOpTooOld.
	Retractable bool

	// Version is the version of the source that the score is copied from, for Set
	// alone. A version that is not newer than the stored one changes nothing, and an
	// equal one is a repeat, whatever its Op. Optional.
	Version uint64

	// At is when the score was achieved, which decides the period. Defaults to Op's
	// time, so that a repeat after a reset stays in its period.
	At time.Time

	// Name is shown beside the score, up to MaxName bytes. "" keeps the stored name.
	// The name is stored if the score is stored, or if score and sub score equal the
	// current ones: that renames a player.
	Name string
	// Meta is the application's own JSON about this score, up to MaxMeta bytes. The
	// index has it too, and Rank and Count read it: keep it to some tens of bytes.
	// Above 1 KB of entry it costs 2 WCU a KB, above 4 KB 1 RCU more where the entry
	// is read. Optional.
	Meta json.RawMessage
}

// Result is what a submission did.
type Result struct {
	// Op is the submission's, even if there is an error: repeat the submission
	// with it.
	Op     ids.ID `json:"op"`
	Period string `json:"period"`

	Old     Score `json:"old"` // the score before; 0 unless Existed
	New     Score `json:"new"` // the score after
	Existed bool  `json:"existed"`

	// Improved reports whether the entry is new or better placed than before.
	Improved bool `json:"improved"`
}

// Validate returns a plaza.InvalidError if no board would take the submission. It does not
// check Op and At, nor what its board decides.
func (s Submission) Validate() error {
	if err := keys.CheckName("Board", s.Board); err != nil {
		return err
	}
	if err := keys.CheckName("Player", s.Player); err != nil {
		return err
	}
	if s.Score.isNaN() {
		return errNaN
	}
	if s.Version > 0 && s.Operator != "" && s.Operator != Set {
		return errVersion
	}
	if s.Retractable && s.Operator != "" && !s.Operator.adds() {
		return errGuard
	}
	if s.Operator != "" && !s.Operator.known() {
		return &plaza.InvalidError{Field: "Operator", Reason: fmt.Sprintf("is %q, which is not an operator", s.Operator)}
	}
	if err := checkName(s.Name); err != nil {
		return err
	}
	return checkMeta(s.Meta)
}

func checkName(name string) error {
	if !utf8.ValidString(name) {
		return &plaza.InvalidError{Field: "Name", Reason: "is not UTF-8"}
	}
	return args.Count("Name", len(name), "bytes", MaxName)
}

func checkMeta(meta []byte) error {
	if err := args.Count("Meta", len(meta), "bytes", MaxMeta); err != nil {
		return err
	}
	if len(meta) > 0 && !jsontext.Valid(meta) {
		return &plaza.InvalidError{Field: "Meta", Reason: "is not JSON in UTF-8"}
	}
	return nil
}

var (
	errVersion error = &plaza.InvalidError{Field: "Version", Reason: "is only for Set"}
	errGuard   error = &plaza.InvalidError{Field: "Retractable", Reason: "is only for Increment and Decrement"}
	errFloor   error = &plaza.InvalidError{Field: "Retractable", Reason: "is for boards without Floor"}
)

// time returns At or its default.
func (s Submission) time() time.Time {
	if s.At.IsZero() {
		return s.Op.Time()
	}
	return s.At.UTC()
}

// checkFor refuses a submission that the board does not accept. Its Operator must be
// set.
func (s Submission) checkFor(b Board) error {
	switch {
	case s.Score.kind != b.Kind:
		return &plaza.InvalidError{Field: "Score", Reason: "is not of the board's kind"}
	case !b.allows(s.Operator):
		return b.checkAllows(s.Operator)
	case s.Version > 0 && s.Operator != Set:
		return errVersion
	case s.Retractable && !s.Operator.adds():
		return errGuard
	case s.Retractable && b.Floor != nil:
		return errFloor
	}
	if s.Operator == Best || s.Operator == Set {
		_, err := b.clamped(s.Score)
		return err
	}
	return nil
}

// print is a hash of the submission as the caller gave it. It shows that another
// submission has the same Op.
func (s Submission) print() uint32 {
	h := fnv.New32a()
	var b []byte
	for _, n := range []uint64{s.Score.bits, uint64(s.Sub), s.Version, uint64(s.At.UnixNano())} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	for _, text := range []string{string(s.Score.kind), string(s.Operator), s.Name, string(s.Meta)} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	h.Write(b)
	return h.Sum32()
}
