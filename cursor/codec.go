package cursor

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/plaza-sdk/plaza"
)

// Codec writes positions as cursors and reads them back. It is safe for
// concurrent use.
type Codec interface {
	// Encode returns the cursor of pos, of up to 3,000 bytes. Decode may refuse
	// the cursor of a longer one.
	Encode(scope Scope, pos []byte) Cursor

	// Decode returns the position of a cursor that Encode made for this scope.
	// Any other cursor, also the empty one, is ErrInvalid.
	Decode(scope Scope, c Cursor) (pos []byte, err error)
}

// Scope is the list that a cursor belongs to. A cursor is authenticated with its
// Scope but does not contain it: decode it with the Scope it was encoded with.
type Scope struct {
	List      string // the kind of list, e.g. "follow.followers"
	Partition string // whose list, e.g. a user id
	Filter    string // which items it leaves out
	Order     string // how it is sorted
}

// append writes s so that no two scopes are equal, whatever follows them.
func (s Scope) append(b []byte) []byte {
	for _, field := range [...]string{s.List, s.Partition, s.Filter, s.Order} {
		b = binary.AppendUvarint(b, uint64(len(field)))
		b = append(b, field...)
	}
	return b
}

func (s Scope) hash() [sha256.Size]byte {
	var buf [256]byte
	return sha256.Sum256(s.append(buf[:0]))
}

var (
	// ErrInvalid is returned for a cursor that is malformed, altered or of
	// another list. It unwraps to a plaza.InvalidError of the field Cursor, and
	// so to plaza.ErrInvalid.
	ErrInvalid error = &sentinel{"cursor: invalid", []error{refusal("is malformed, altered or of another list")}}

	// ErrExpired is returned for a genuine cursor that is older than
	// Keyring.MaxAge: start the list again. It is an ErrInvalid too.
	ErrExpired error = &sentinel{"cursor: expired", []error{refusal("has expired"), ErrInvalid}}
)

func refusal(reason string) error { return &plaza.InvalidError{Field: "Cursor", Reason: reason} }

// sentinel wraps errors without showing their texts in its own.
type sentinel struct {
	text  string
	kinds []error
}

func (s *sentinel) Error() string { return s.text }

func (s *sentinel) Unwrap() []error { return s.kinds }

const (
	// Both forms count versions together, so that neither accepts the other's.
	plainVersion  = 1
	sealedVersion = 2

	maxText = 4096
)

func encodeText(raw []byte) Cursor {
	var text [128]byte
	return Cursor(base64.RawURLEncoding.AppendEncode(text[:0], raw))
}

// decodeText appends the bytes of c to dst. Each byte string has exactly one
// text: the decoder alone would accept line breaks and stray trailing bits.
func decodeText(dst []byte, c Cursor) ([]byte, error) {
	if len(c) > maxText {
		return nil, ErrInvalid
	}
	var text [128]byte
	raw, err := base64.RawURLEncoding.AppendDecode(dst, append(text[:0], c...))
	if err != nil {
		return nil, ErrInvalid
	}
	if Cursor(base64.RawURLEncoding.AppendEncode(text[:0], raw[len(dst):])) != c {
		return nil, ErrInvalid
	}
	return raw, nil
}
