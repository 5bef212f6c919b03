package live

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/plaza-sdk/plaza/internal/keys"
)

// The rooms of conversations and of users begin differently, so that a user named like a
// conversation is another room.
const (
	conversationRooms = "c"
	inboxRooms        = "u"
	hashed            = "h" // behind one of the others: what follows is a hash
	named             = "n"
)

// roomOf is the name of a room. A name that is too long for one becomes a hash.
func roomOf(kind, name string) string {
	if len(kind)+len(named)+len(name) <= keys.MaxName {
		return kind + named + name
	}
	sum := sha256.Sum256([]byte(name))
	return kind + hashed + base64.RawURLEncoding.EncodeToString(sum[:])
}
