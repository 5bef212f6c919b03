package cursor_test

import (
	"crypto/sha256"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/plaza-sdk/plaza/cursor"
)

// buildPlain builds the form independently, from its description.
func buildPlain(scope cursor.Scope, versioned string) cursor.Cursor {
	var text []byte
	for _, field := range []string{scope.List, scope.Partition, scope.Filter, scope.Order} {
		text = append(append(text, byte(len(field))), field...)
	}
	sum := sha256.Sum256(append(text, versioned...))
	return encodeRaw(append([]byte(versioned), sum[:8]...))
}

func TestPlainFormIsAsDescribed(t *testing.T) {
	assert.Equal(t, buildPlain(scope, "\x01"+string(position)), cursor.Plain().Encode(scope, position))
	for _, version := range []string{"\x00", "\x02", "\xff"} {
		refused(t, cursor.Plain(), scope, buildPlain(scope, version+string(position)))
	}
}

// A checksum of nothing may begin like a version.
func TestPlainWithoutVersionIsRefused(t *testing.T) {
	found := 0
	for i := range 2000 {
		other := cursor.Scope{Partition: strconv.Itoa(i)}
		c := buildPlain(other, "")
		if decodeRaw(t, c)[0] == 1 {
			found++
		}
		refused(t, cursor.Plain(), other, c)
	}
	assert.NotZero(t, found)
}
