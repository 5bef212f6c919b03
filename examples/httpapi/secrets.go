package main

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// The variables of the environment that have keys, which must be the same in every process
// of a service.
const (
	cursorVariable = "PLAZA_CURSOR_KEY"
	linkVariable   = "PLAZA_LINK_KEY"

	keySize = 32
)

// secrets seal the cursors and sign the links that unsubscribe.
type secrets struct {
	cursors cursor.Codec
	links   prefs.Keyring
}

// newSecrets reads hexadecimal keys from the environment. A missing one it makes up.
func newSecrets(environment func(string) string, log *slog.Logger) (s secrets, err error) {
	key, err := readKey(cursorVariable, environment, log)
	if err != nil {
		return s, err
	}
	if s.cursors, err = cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: key}}); err != nil {
		return s, err
	}
	key, err = readKey(linkVariable, environment, log)
	s.links.Keys = map[byte][]byte{0: key}
	return s, err
}

func readKey(variable string, environment func(string) string, log *slog.Logger) ([]byte, error) {
	text := environment(variable)
	if text == "" {
		log.Warn(variable + " is not set: what it seals is good for this run only")
		key := make([]byte, keySize)
		rand.Read(key)
		return key, nil
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != keySize { // its text would show some of the key
		return nil, &plaza.InvalidError{Field: variable, Reason: "is not 64 hexadecimal digits"}
	}
	return key, nil
}
