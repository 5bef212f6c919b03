package leaderboard

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// place decides which of two entries is above the other.
type place struct {
	score  Score
	sub    int64
	at     time.Time // when score and sub were achieved
	player string
}

// order is how a board sorts. Its keys compare as bytes, the best first. A key is the
// score, the sub score and the time, eight bytes each, then the player. A number is
// inverted if the larger one is better.
type order struct {
	kind        Kind
	score, sub  Order
	latestFirst bool
}

const (
	decided  = 16 // bytes of a key before the time
	prefixed = 24 // bytes of a key before the player
)

// appendKey appends the key of a place to dst. Each place has one key, and each key
// one place.
func (o order) appendKey(dst []byte, s place) []byte {
	dst = o.appendDecided(dst, s.score, s.sub)
	dst = binary.BigEndian.AppendUint64(dst, inverted(signed(s.at.UnixNano()), o.latestFirst))
	return append(dst, s.player...)
}

// appendDecided appends the part of a key that equal scores and sub scores share.
func (o order) appendDecided(dst []byte, score Score, sub int64) []byte {
	v := signed(int64(score.bits))
	if o.kind == KindFloat {
		v = ordered(score.bits)
	}
	dst = binary.BigEndian.AppendUint64(dst, inverted(v, o.score == Descending))
	return binary.BigEndian.AppendUint64(dst, inverted(signed(sub), o.sub == Descending))
}

// errKey is returned for a key that appendKey did not write.
var errKey = fmt.Errorf("%w: key is not an order key", errDamaged)

// parseKey reads a key of appendKey and refuses everything else.
func (o order) parseKey(key []byte) (place, error) {
	if len(key) <= prefixed {
		return place{}, errKey
	}
	score := inverted(binary.BigEndian.Uint64(key), o.score == Descending)
	sub := inverted(binary.BigEndian.Uint64(key[8:]), o.sub == Descending)
	at := int64(signed(int64(inverted(binary.BigEndian.Uint64(key[16:]), o.latestFirst))))
	s := place{
		score:  Score{o.kind, signed(int64(score))},
		sub:    int64(signed(int64(sub))),
		at:     time.Unix(0, at).UTC(),
		player: string(key[prefixed:]),
	}
	if o.kind == KindFloat {
		s.score.bits = unordered(score)
	}
	negativeZero := s.score.kind == KindFloat && s.score.bits == 1<<63
	if s.score.isNaN() || negativeZero || keys.CheckName("Player", s.player) != nil {
		return place{}, errKey
	}
	return s, nil
}

// placeOf reads the key of a player's entry.
func (o order) placeOf(key []byte, player string) (place, error) {
	at, err := o.parseKey(key)
	if err == nil && at.player != player {
		err = fmt.Errorf("%w: key is another player's", errDamaged)
	}
	return at, err
}

// signed maps integers to unsigned ones of the same order, and back.
func signed(v int64) uint64 { return uint64(v) ^ 1<<63 }

// ordered maps floats to unsigned integers of the same order: it flips the sign bit,
// and all other bits of negative floats.
func ordered(bits uint64) uint64 {
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

func unordered(v uint64) uint64 {
	if v>>63 != 0 {
		return v &^ (1 << 63)
	}
	return ^v
}

func inverted(v uint64, yes bool) uint64 {
	if yes {
		return math.MaxUint64 - v
	}
	return v
}

// Order says which of two scores is better.
type Order string

// The orders.
const (
	Descending Order = "" // the high score wins, the default
	Ascending  Order = "ascending"
)

// before returns a bound between a key and all smaller keys, for spans with two ends. It
// works because players are UTF-8, in which no byte is 0xff.
func before(key []byte) []byte {
	bound := slices.Clone(key)
	last := &bound[len(bound)-1]
	if *last == 0 {
		return bound[:len(bound)-1]
	}
	*last--
	return append(bound, math.MaxUint8)[:min(len(bound)+1, store.MaxIndexKey)]
}
