package main

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

const (
	keyVariable = "PLAZA_CURSOR_KEY"
	keySize     = 32
)

// newCodec seals cursors with a hexadecimal key, which must be the same in every process
// of a service. Without a key it makes one up, and cursors are valid for this run only.
func newCodec(text string, log *slog.Logger) (cursor.Codec, error) {
	key, err := hex.DecodeString(text)
	switch {
	case text == "":
		log.Warn(keyVariable + " is not set: cursors are good for this run only")
		key = make([]byte, keySize)
		rand.Read(key)
	case err != nil || len(key) != keySize: // its text would show some of the key
		return nil, &plaza.InvalidError{Field: keyVariable, Reason: "is not 64 hexadecimal digits"}
	}
	return cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: key}})
}
