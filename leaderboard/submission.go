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
	"github.com/plaza-sdk/plaza/internal/keys"
)

// The largest Submission.Name and Submission.Meta, in bytes.
const (
	MaxName = 64
	MaxMeta = 4 << 10
)

// Submission brings a player's score to a board.
type Submission struct {
	Board, Player string

	// Score is of the board's kind: what is added or subtracted for Increment
	// and Decrement.
	Score Score
	// Sub decides between equal scores. Optional.
	Sub int64

	// Operator defaults to the board's; another must be among its Allow.
	Operator Operator

	// Op is the submission's identity: repeated with it, it is applied once.
	// Submit mints one where it is zero; one from the future is refused. An
	// entry remembers its last 16; where Best alone is allowed it needs none.
	Op ids.ID

	// Version is that of the source which the score is copied from, for Set
	// alone: what is not newer than the stored one changes nothing. By it, not
	// by Op, a repeat is known. Optional.
	Version uint64

	// At is when the score was achieved, which tells the period. Defaults to
	// Op's time, so that a repeat after a reset stays where it was.
	At time.Time

	// Name is for showing beside the score, up to MaxName bytes; "" leaves
	// what is stored. It is taken with the score, and where the score and the
	// sub score equal those that stand: so a player is renamed.
	Name string
	// Meta is the application's own JSON about this score, up to MaxMeta
	// bytes, and shown beside it. The index has it too, so that Rank and Count
	// read it: keep it to some tens of bytes. What it adds to the entry above
	// 1 KB costs 2 WCU a KB, above 4 KB an RCU more where the entry is read.
	// Optional.
	Meta json.RawMessage
}

// Result is what a submission did.
type Result struct {
	// Op is the submission's, also beside an error: repeat the submission with it.
	Op     ids.ID `json:"op"`
	Period string `json:"period"`

	Old     Score `json:"old"` // the score before; 0 unless Existed
	New     Score `json:"new"` // the score after
	Existed bool  `json:"existed"`

	// Improved is set if the entry is new or better placed than before.
	Improved bool `json:"improved"`
}

// Outcome is what became of one submission of many.
type Outcome struct {
	Result
	Created bool  `json:"created"` // as Submit returns it
	Err     error `json:"-"`
}

func (s Submission) check() error {
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
	if s.Operator != "" && !s.Operator.known() {
		return &plaza.InvalidError{Field: "Operator", Reason: fmt.Sprintf("is %q, which is none", s.Operator)}
	}
	if err := checkName(s.Name); err != nil {
		return err
	}
	return checkMeta(s.Meta)
}

func checkName(name string) error {
	if len(name) > MaxName || !utf8.ValidString(name) {
		return &plaza.InvalidError{Field: "Name", Reason: fmt.Sprintf("is not up to %d bytes of UTF-8", MaxName)}
	}
	return nil
}

func checkMeta(meta []byte) error {
	if len(meta) > MaxMeta {
		return &plaza.InvalidError{Field: "Meta", Reason: fmt.Sprintf("is %d bytes long, at most %d are allowed", len(meta), MaxMeta)}
	}
	if len(meta) > 0 && !(json.Valid(meta) && utf8.Valid(meta)) {
		return &plaza.InvalidError{Field: "Meta", Reason: "is not JSON in UTF-8"}
	}
	return nil
}

var errVersion error = &plaza.InvalidError{Field: "Version", Reason: "is for Set alone"}

// time is At or its default.
func (s Submission) time() time.Time {
	if s.At.IsZero() {
		return s.Op.Time()
	}
	return s.At.UTC()
}

// checkFor refuses what the board does not take. The Operator is not empty.
func (s Submission) checkFor(b Board) error {
	switch {
	case s.Score.kind != b.Kind:
		return &plaza.InvalidError{Field: "Score", Reason: "is of the other kind"}
	case !b.allows(s.Operator):
		return &plaza.InvalidError{Field: "Operator", Reason: fmt.Sprintf("is %q, which the board does not allow", s.Operator)}
	case s.Version > 0 && s.Operator != Set:
		return errVersion
	}
	if s.Operator == Best || s.Operator == Set {
		_, err := b.clamped(s.Score)
		return err
	}
	return nil
}

// checkTime refuses what cannot have happened yet.
func (a attempt) checkTime() error {
	if !a.minted {
		if err := keys.CheckNewID("Op", a.Op, a.now); err != nil {
			return err
		}
	}
	switch {
	case a.At.After(a.now.Add(keys.MaxAhead)):
		return &plaza.InvalidError{Field: "At", Reason: "is in the future"}
	case a.At.Year() < 1970:
		return &plaza.InvalidError{Field: "At", Reason: "is before 1970"}
	}
	return nil
}

// print tells submissions under one Op apart, as they are given.
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
