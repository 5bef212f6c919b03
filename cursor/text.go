package cursor

import "encoding/base64"

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
