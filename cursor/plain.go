package cursor

import (
	"bytes"
	"crypto/sha256"
)

const checksumSize = 8

type plain struct{}

// Plain is the default Codec: base64url of version, position and a checksum of
// version, scope and position. Anybody can read the position, and anybody who
// knows the scope can forge a cursor.
func Plain() Codec { return plain{} }

func (plain) Encode(scope Scope, pos []byte) Cursor {
	var buf [128]byte
	raw := append(buf[:0], plainVersion)
	raw = append(raw, pos...)
	sum := checksum(scope, raw)
	return encodeText(append(raw, sum[:]...))
}

func (plain) Decode(scope Scope, c Cursor) ([]byte, error) {
	raw, err := decodeText(nil, c)
	if err != nil {
		return nil, err
	}
	end := len(raw) - checksumSize
	if end < 1 || raw[0] != plainVersion {
		return nil, ErrInvalid
	}
	if sum := checksum(scope, raw[:end]); !bytes.Equal(sum[:], raw[end:]) {
		return nil, ErrInvalid
	}
	return raw[1:end], nil
}

func checksum(scope Scope, versioned []byte) [checksumSize]byte {
	var buf [256]byte
	sum := sha256.Sum256(append(scope.append(buf[:0]), versioned...))
	return [checksumSize]byte(sum[:])
}
