package live

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/plaza-sdk/plaza/internal/keys"
)

// The names of conversation rooms and inbox rooms begin differently, so that a user
// with the name of a conversation has another room.
const (
	conversationRooms = "c"
	inboxRooms        = "u"
	hashed            = "h" // follows one of the others: the rest is a hash
	named             = "n"
)

// roomOf returns the name of a room. It hashes a name that is too long.
func roomOf(kind, name string) string {
	if len(kind)+len(named)+len(name) <= keys.MaxName {
		return kind + named + name
	}
	sum := sha256.Sum256([]byte(name))
	return kind + hashed + base64.RawURLEncoding.EncodeToString(sum[:])
}
