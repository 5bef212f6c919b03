package cursor

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testKey is a master key for tests.
var testKey = bytes.Repeat([]byte{7}, masterSize)

func remembered(c Codec) []int32 {
	var days []int32
	for _, k := range *c.(*sealed).days.list.Load() {
		days = append(days, k.day)
	}
	return days
}

func TestNewestDayKeysAreKept(t *testing.T) {
	keys := map[byte][]byte{0: testKey}
	on := func(day int64) Codec {
		c, err := Sealed(Keyring{Keys: keys, Now: func() time.Time { return time.Unix(day*secondsPerDay, 0) }})
		require.NoError(t, err)
		return c
	}
	reader := on(1000)
	require.Equal(t, []int32{1000}, remembered(reader))
	for _, day := range []int64{3, 990, 991, 5, 992, 993, 994, 995, 996, 1001, 997, 2} {
		text := on(day).Encode(Scope{}, []byte("pos"))
		for range 2 {
			_, err := reader.Decode(Scope{}, text)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, []int32{1001, 1000, 997, 996, 995, 994, 993, 992}, remembered(reader))
}

// Nor is a forged old day reported as expired.
func TestForgedDaysAreNotRemembered(t *testing.T) {
	c, err := Sealed(Keyring{
		Keys:   map[byte][]byte{0: testKey},
		MaxAge: time.Hour,
		Now:    func() time.Time { return time.Unix(1000*secondsPerDay, 0) },
	})
	require.NoError(t, err)
	raw, err := decodeText(nil, c.Encode(Scope{}, []byte("pos")))
	require.NoError(t, err)
	for day := range uint32(1002) {
		if day == 1000 {
			continue
		}
		binary.BigEndian.PutUint32(raw[2:], day)
		_, err := c.Decode(Scope{}, Cursor(base64.RawURLEncoding.EncodeToString(raw)))
		require.Equal(t, ErrInvalid, err)
	}
	assert.Equal(t, []int32{1000}, remembered(c))
}

// The day's key is derived once, not in each call.
func TestDayKeyIsDerivedOnce(t *testing.T) {
	c, err := Sealed(Keyring{Keys: map[byte][]byte{0: testKey}})
	require.NoError(t, err)
	text := c.Encode(Scope{}, []byte("d0123456789ABC"))
	first := (*c.(*sealed).days.list.Load())[0]
	for range 3 {
		_, err := c.Decode(Scope{}, text)
		require.NoError(t, err)
		c.Encode(Scope{}, []byte("d0123456789ABC"))
	}
	k, known := c.(*sealed).days.find(first.id, first.day)
	assert.True(t, known)
	assert.Same(t, first, k)
}

func TestDaysBeginAtMidnightUTC(t *testing.T) {
	for seconds, want := range map[int64]int32{
		0: 0, 86399: 0, 86400: 1, -1: -1, -86400: -1, -86401: -2,
	} {
		at := time.Unix(seconds, 0)
		assert.Equal(t, want, dayOf(at), "%d", seconds)
		assert.True(t, at.Before(endOf(want)), "%d", seconds)
		assert.False(t, at.Before(endOf(want-1)), "%d", seconds)
	}
}

// Two calls may derive the same key at once.
func TestDayKeyIsRememberedOnce(t *testing.T) {
	var d dayKeys
	for range 3 {
		k, err := newDayKey(make([]byte, 32), 0, 1)
		require.NoError(t, err)
		d.add(k)
	}
	assert.Len(t, *d.list.Load(), 1)
}
