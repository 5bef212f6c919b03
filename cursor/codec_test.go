package cursor_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

var (
	day      = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	scope    = cursor.Scope{List: "follow.followers", Partition: "user-1", Filter: "visible", Order: "newest"}
	position = []byte("d0123456789ABC")
)

// master returns a master key for tests.
func master(seed byte) []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = seed + byte(i)
	}
	return key
}

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func sealed(t require.TestingT, keys cursor.Keyring) cursor.Codec {
	codec, err := cursor.Sealed(keys)
	require.NoError(t, err)
	return codec
}

func eachCodec(t *testing.T, test func(t *testing.T, codec cursor.Codec)) {
	codecs := map[string]cursor.Codec{
		"plain":  cursor.Plain(),
		"sealed": sealed(t, cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: master(1)}, Now: at(day.Add(time.Hour))}),
	}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) { test(t, codec) })
	}
}

// refused requires that the error for a cursor which this codec did not make is always the
// same one, so that it holds neither the cursor nor a position.
func refused(t require.TestingT, codec cursor.Codec, scope cursor.Scope, c cursor.Cursor) {
	pos, err := codec.Decode(scope, c)
	require.Equal(t, cursor.ErrInvalid, err, "%q", c)
	require.Nil(t, pos)
}

func decodeRaw(t require.TestingT, c cursor.Cursor) []byte {
	raw, err := base64.RawURLEncoding.DecodeString(string(c))
	require.NoError(t, err)
	return raw
}

func encodeRaw(raw []byte) cursor.Cursor {
	return cursor.Cursor(base64.RawURLEncoding.EncodeToString(raw))
}

var anyScope = rapid.Custom(func(t *rapid.T) cursor.Scope {
	field := rapid.StringN(0, 8, 40)
	return cursor.Scope{
		List:      field.Draw(t, "list"),
		Partition: field.Draw(t, "partition"),
		Filter:    field.Draw(t, "filter"),
		Order:     field.Draw(t, "order"),
	}
})

func TestPositionComesBack(t *testing.T) {
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		rapid.Check(t, func(t *rapid.T) {
			scope := anyScope.Draw(t, "scope")
			pos := rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "pos")

			c := codec.Encode(scope, pos)
			got, err := codec.Decode(scope, c)
			require.NoError(t, err)
			require.Equal(t, string(pos), string(got))
			require.Equal(t, c, codec.Encode(scope, got), "one position has one cursor")
			require.Regexp(t, `^[A-Za-z0-9_-]+$`, string(c))
		})
	})
}

func TestDecodedPositionIsTheCallersOwn(t *testing.T) {
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		c := codec.Encode(scope, position)
		first, err := codec.Decode(scope, c)
		require.NoError(t, err)
		_ = append(first, "beyond"...)
		clear(first)
		second, err := codec.Decode(scope, c)
		require.NoError(t, err)
		assert.Equal(t, position, second)
		assert.Equal(t, "d0123456789ABC", string(position))
	})
}

func TestEveryAlteredCharacterIsRefused(t *testing.T) {
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		for _, pos := range []string{"", "1", "12", "123", "d0123456789ABC"} {
			c := codec.Encode(scope, []byte(pos))
			for i := range len(c) {
				for b := range 256 {
					if byte(b) == c[i] {
						continue
					}
					refused(t, codec, scope, c[:i]+cursor.Cursor([]byte{byte(b)})+c[i+1:])
				}
			}
		}
	})
}

func TestEveryTruncationIsRefused(t *testing.T) {
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		c := codec.Encode(scope, position)
		for i := range len(c) {
			refused(t, codec, scope, c[:i])
			refused(t, codec, scope, c[len(c)-i:])
		}
		raw := decodeRaw(t, c)
		for i := range raw {
			refused(t, codec, scope, encodeRaw(raw[:i]))
			refused(t, codec, scope, encodeRaw(raw[len(raw)-i:]))
		}
	})
}

func TestACursorHasOnlyOneText(t *testing.T) {
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		for _, pos := range []string{"", "1", "12", "123"} {
			c := codec.Encode(scope, []byte(pos))
			padding := cursor.Cursor(strings.Repeat("=", (4-len(c)%4)%4))
			for _, other := range []cursor.Cursor{
				c + "\n", c + "\r\n", "\n" + c, c[:4] + "\n" + c[4:], c[:7] + "\r" + c[7:],
				c + " ", " " + c, c + "=", c + "A", c + "AA", c + "AAA", c + "AAAA", c + "\x00", c + c,
				c + padding + "=", "=" + c, c + "." + c,
			} {
				refused(t, codec, scope, other)
			}
			if padding != "" {
				refused(t, codec, scope, c+padding)
			}
		}
	})
}

func TestLengthIsBounded(t *testing.T) {
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		c := codec.Encode(scope, make([]byte, 3000))
		require.LessOrEqual(t, len(c), 4096)
		_, err := codec.Decode(scope, c)
		require.NoError(t, err)

		long := codec.Encode(scope, make([]byte, 3070))
		require.Greater(t, len(long), 4096)
		for _, huge := range []cursor.Cursor{long, cursor.Cursor(strings.Repeat("A", 16<<20)), cursor.Cursor(strings.Repeat("\n", 4097))} {
			refused(t, codec, scope, huge)
			require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = codec.Decode(scope, huge) }), 1.0)
		}
	})
}

func TestCursorOfAnotherListIsRefused(t *testing.T) {
	others := []cursor.Scope{
		{List: "follow.following", Partition: "user-1", Filter: "visible", Order: "newest"},
		{List: "follow.followers", Partition: "user-2", Filter: "visible", Order: "newest"},
		{List: "follow.followers", Partition: "user-1", Filter: "", Order: "newest"},
		{List: "follow.followers", Partition: "user-1", Filter: "visible", Order: "oldest"},
	}
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		for _, other := range others {
			refused(t, codec, other, codec.Encode(scope, position))
			refused(t, codec, scope, codec.Encode(other, position))
		}
	})
}

// Each way to cut the same bytes into four fields is a different scope.
func TestScopeFieldsDoNotRunTogether(t *testing.T) {
	const text = "aa\x02bb\x01"
	var scopes []cursor.Scope
	for i := range len(text) + 1 {
		for j := i; j <= len(text); j++ {
			for k := j; k <= len(text); k++ {
				scopes = append(scopes, cursor.Scope{List: text[:i], Partition: text[i:j], Filter: text[j:k], Order: text[k:]})
			}
		}
	}
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		for i, made := range scopes {
			c := codec.Encode(made, position)
			for j, read := range scopes {
				if i != j {
					refused(t, codec, read, c)
				}
			}
		}
	})
}

func TestScopeIsNotInTheCursor(t *testing.T) {
	long := scope
	long.Partition = strings.Repeat("user-1", 100)
	eachCodec(t, func(t *testing.T, codec cursor.Codec) {
		c := codec.Encode(long, position)
		assert.Len(t, c, len(codec.Encode(scope, position)))
		assert.NotContains(t, string(decodeRaw(t, c)), "user-1")
	})
}

func TestPlainAndSealedRefuseEachOther(t *testing.T) {
	plain := cursor.Plain()
	other := sealed(t, cursor.Keyring{Keys: map[byte][]byte{0: master(1)}, Now: at(day)})
	refused(t, plain, scope, other.Encode(scope, position))
	refused(t, other, scope, plain.Encode(scope, position))
}

func TestErrorsUnwrapToPlazaErrors(t *testing.T) {
	assert.ErrorIs(t, cursor.ErrInvalid, plaza.ErrInvalid)
	assert.ErrorIs(t, cursor.ErrExpired, cursor.ErrInvalid)
	assert.ErrorIs(t, cursor.ErrExpired, plaza.ErrInvalid)
	assert.NotErrorIs(t, cursor.ErrInvalid, cursor.ErrExpired)

	var invalid *plaza.InvalidError
	require.ErrorAs(t, cursor.ErrInvalid, &invalid)
	assert.Equal(t, "Cursor", invalid.Field)
}
