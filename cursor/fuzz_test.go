package cursor_test

import (
	"encoding/base64"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

func FuzzPlainDecode(f *testing.F) {
	seed(f, "plain")
	f.Fuzz(func(t *testing.T, text, list, partition, filter, order string, pos []byte) {
		scope := cursor.Scope{List: list, Partition: partition, Filter: filter, Order: order}
		decodesToItself(t, cursor.Plain(), scope, cursor.Cursor(text))
		comesBack(t, cursor.Plain(), scope, pos)
	})
}

func FuzzSealedDecode(f *testing.F) {
	seed(f, "sealed")
	keys := map[byte][]byte{0: master(0), 1: master(1), 255: master(255)}
	reader := sealed(f, cursor.Keyring{Keys: keys, Now: at(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))})
	f.Fuzz(func(t *testing.T, text, list, partition, filter, order string, pos []byte) {
		scope := cursor.Scope{List: list, Partition: partition, Filter: filter, Order: order}
		comesBack(t, reader, scope, pos)

		got, err := reader.Decode(scope, cursor.Cursor(text))
		if err != nil {
			require.ErrorIs(t, err, cursor.ErrInvalid)
			return
		}
		raw, err := base64.RawURLEncoding.DecodeString(text)
		require.NoError(t, err)
		days := int32(binary.BigEndian.Uint32(raw[2:]))
		writer := sealed(t, cursor.Keyring{Current: raw[1], Keys: keys, Now: at(time.Unix(int64(days)*86400, 0))})
		require.Equal(t, cursor.Cursor(text), writer.Encode(scope, got))
	})
}

func seed(f *testing.F, form string) {
	for _, file := range []string{"valid.txt", "invalid.txt"} {
		for _, v := range vectors(f, file) {
			if v.form == form {
				f.Add(string(v.cursor), v.scope.List, v.scope.Partition, v.scope.Filter, v.scope.Order, v.pos)
			}
		}
	}
}

func decodesToItself(t *testing.T, codec cursor.Codec, scope cursor.Scope, c cursor.Cursor) {
	pos, err := codec.Decode(scope, c)
	if err != nil {
		require.ErrorIs(t, err, cursor.ErrInvalid)
		return
	}
	require.Equal(t, c, codec.Encode(scope, pos))
}

func comesBack(t *testing.T, codec cursor.Codec, scope cursor.Scope, pos []byte) {
	if len(pos) > 3000 {
		return
	}
	got, err := codec.Decode(scope, codec.Encode(scope, pos))
	require.NoError(t, err)
	require.Equal(t, string(pos), string(got))
}
