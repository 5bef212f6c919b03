package leaderboard

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Kind is the kind of a board's scores.
type Kind string

// The kinds of scores.
const (
	KindInt   Kind = "" // the default
	KindFloat Kind = "float"
)

// Score is an int64 or a float64. The zero Score is Int(0).
type Score struct {
	kind Kind
	bits uint64
}

// Int returns a whole score.
func Int(v int64) Score { return Score{bits: uint64(v)} }

// Float returns a fractional score. Infinities are scores, NaN is refused, and −0
// is 0.
func Float(v float64) Score {
	if v == 0 {
		v = 0
	}
	return Score{KindFloat, math.Float64bits(v)}
}

// Kind returns KindInt or KindFloat.
func (s Score) Kind() Kind { return s.kind }

// Int64 returns the value of an Int, and 0 for a Float.
func (s Score) Int64() int64 {
	if s.kind == KindFloat {
		return 0
	}
	return int64(s.bits)
}

// Float64 returns the value of a Float, and the nearest float64 of an Int.
func (s Score) Float64() float64 {
	if s.kind == KindFloat {
		return math.Float64frombits(s.bits)
	}
	return float64(int64(s.bits))
}

// Compare orders two scores of one kind as numbers.
func (s Score) Compare(other Score) int {
	if s.kind == KindFloat {
		return cmp.Compare(s.Float64(), other.Float64())
	}
	return cmp.Compare(s.Int64(), other.Int64())
}

// errScore is returned for a text that is not a score.
var errScore error = &plaza.InvalidError{Field: "Score", Reason: "is not the text of a score"}

// ParseScore reads the text of String and refuses everything else.
func ParseScore(text string) (Score, error) {
	var s Score
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		s = Int(v)
	} else if v, err := strconv.ParseFloat(text, 64); err == nil {
		s = Float(v)
	}
	if s.String() != text || s.isNaN() {
		return Score{}, errScore
	}
	return s, nil
}

// String returns the shortest text that ParseScore reads as the same score. A
// Float's has a point, an exponent or a name: 42.0, 1e+126, +Inf.
func (s Score) String() string {
	if s.kind != KindFloat {
		return strconv.FormatInt(int64(s.bits), 10)
	}
	text := strconv.FormatFloat(s.Float64(), 'g', -1, 64)
	if !strings.ContainsAny(text, ".eIN") {
		text += ".0"
	}
	return text
}

// MarshalText returns the text of String. NaN is an error.
func (s Score) MarshalText() ([]byte, error) {
	if s.isNaN() {
		return nil, errScore
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads the text of MarshalText.
func (s *Score) UnmarshalText(text []byte) error {
	score, err := ParseScore(string(text))
	if err == nil {
		*s = score
	}
	return err
}

// UnmarshalJSON reads a string with the text of MarshalText, or a JSON number. A
// number that fits an int64 and has neither point nor exponent is an Int, every
// other a Float. Numbers beyond all floats, and null, are refused.
func (s *Score) UnmarshalJSON(data []byte) error {
	var text string
	if jsontext.Unmarshal(data, &text) == nil && text != "" {
		return s.UnmarshalText([]byte(text))
	}
	var number json.Number
	if jsontext.Unmarshal(data, &number) != nil || number == "" {
		return errScore
	}
	if v, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		*s = Int(v)
		return nil
	}
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return errScore
	}
	*s = Float(v)
	return nil
}

func (s Score) isNaN() bool { return s.kind == KindFloat && math.IsNaN(s.Float64()) }

// plus returns the sum of two scores of one kind.
func (s Score) plus(d Score) (Score, error) {
	if s.kind == KindFloat {
		return sumOf(Float(s.Float64() + d.Float64()))
	}
	a, b := s.Int64(), d.Int64()
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		return Score{}, errOverflow
	}
	return Int(sum), nil
}

// minus is not plus with a negative score, because MinInt64 has no negative.
func (s Score) minus(d Score) (Score, error) {
	if s.kind == KindFloat {
		return sumOf(Float(s.Float64() - d.Float64()))
	}
	a, b := s.Int64(), d.Int64()
	difference := a - b
	if (difference < a) != (b > 0) && b != 0 {
		return Score{}, errOverflow
	}
	return Int(difference), nil
}

var (
	errOverflow error = &plaza.InvalidError{Field: "Score", Reason: "leads beyond 64 bits"}
	errNaN      error = &plaza.InvalidError{Field: "Score", Reason: "is NaN, or leads to NaN"}
)

func sumOf(s Score) (Score, error) {
	if s.isNaN() {
		return Score{}, errNaN
	}
	return s, nil
}

func checkNumber(field string, score Score) error {
	if score.isNaN() {
		return &plaza.InvalidError{Field: field, Reason: "is not a number"}
	}
	return nil
}
