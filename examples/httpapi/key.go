package main

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// keyVariable is the variable of the environment that has the key of cursors. It must be
// the same in every process of a service.
const keyVariable = "PLAZA_CURSOR_KEY"

const keySize = 32

// newCodec seals cursors with a hexadecimal key from the environment, or with a new one.
func newCodec(environment func(string) string, log *slog.Logger) (cursor.Codec, error) {
	key := make([]byte, keySize)
	if text := environment(keyVariable); text != "" {
		var err error
		if key, err = hex.DecodeString(text); err != nil || len(key) != keySize { // its text would show some of the key
			return nil, &plaza.InvalidError{Field: keyVariable, Reason: "is not 64 hexadecimal digits"}
		}
	} else {
		log.Warn(keyVariable + " is not set: cursors are good for this run only")
		rand.Read(key)
	}
	return cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: key}})
}
