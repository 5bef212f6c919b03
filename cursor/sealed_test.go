package cursor_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// buildSealed builds the form independently, from its description.
func buildSealed(t *testing.T, version byte) cursor.Cursor {
	var scopeText []byte
	for _, field := range []string{scope.List, scope.Partition, scope.Filter, scope.Order} {
		scopeText = append(append(scopeText, byte(len(field))), field...)
	}
	scopeHash := sha256.Sum256(scopeText)
	days := uint32(day.Unix() / 86400)
	header := binary.BigEndian.AppendUint32([]byte{version, 7}, days)
	additional := append(scopeHash[:], header...)

	info := binary.BigEndian.AppendUint32([]byte("plaza cursor sealed 2 "), days)
	secret, err := hkdf.Key(sha256.New, master(9), nil, string(info), 64)
	require.NoError(t, err)
	mac := hmac.New(sha256.New, secret[32:])
	mac.Write(append(bytes.Clone(additional), position...))
	nonce := mac.Sum(nil)[:12]
	block, err := aes.NewCipher(secret[:32])
	require.NoError(t, err)
	aead, err := cipher.NewGCM(block)
	require.NoError(t, err)
	return encodeRaw(aead.Seal(append(header, nonce...), nonce, position, additional))
}

func TestSealedFormIsAsDescribed(t *testing.T) {
	codec := sealed(t, cursor.Keyring{Current: 7, Keys: map[byte][]byte{7: master(9)}, Now: at(day.Add(23 * time.Hour))})
	assert.Equal(t, buildSealed(t, 2), codec.Encode(scope, position))
	for _, version := range []byte{0, 1, 3, 255} {
		refused(t, codec, scope, buildSealed(t, version))
	}
}

func TestSealedFitsEightyCharacters(t *testing.T) {
	codec := sealed(t, cursor.Keyring{Keys: map[byte][]byte{0: master(1)}, Now: at(day)})
	for n := 9; n <= 14; n++ {
		assert.LessOrEqual(t, len(codec.Encode(scope, make([]byte, n))), 80, "%d bytes", n)
	}
}

func TestSealedShowsNoID(t *testing.T) {
	codec := sealed(t, cursor.Keyring{Keys: map[byte][]byte{0: master(1)}, Now: at(day)})
	id := "0123456789ABC"
	c := codec.Encode(scope, []byte("d"+id))
	raw := decodeRaw(t, c)
	for n := 4; n <= len(id); n++ {
		for i := 0; i+n <= len(id); i++ {
			assert.NotContains(t, string(c), id[i:i+n])
			assert.NotContains(t, string(raw), id[i:i+n])
		}
	}

	// Neighbours share nothing after the header, so their order is hidden too.
	next := decodeRaw(t, codec.Encode(scope, []byte("d0123456789ABD")))
	const header = 6
	require.Equal(t, raw[:header], next[:header])
	assert.NotEqual(t, raw[header:header+12], next[header:header+12])
	same := 0
	for i := header; i < len(raw); i++ {
		if raw[i] == next[i] {
			same++
		}
	}
	assert.Less(t, same, 5)
}

func TestSealedDiffersByKeyDayAndScope(t *testing.T) {
	keys := map[byte][]byte{1: master(1), 2: master(2), 3: master(1)}
	seen := map[string]string{}
	for _, current := range []byte{1, 2, 3} {
		for days := range 3 {
			for _, partition := range []string{"a", "b"} {
				codec := sealed(t, cursor.Keyring{Current: current, Keys: keys, Now: at(day.AddDate(0, 0, days))})
				name := fmt.Sprint(current, days, partition)
				raw := decodeRaw(t, codec.Encode(cursor.Scope{Partition: partition}, position))
				nonce := string(raw[6:18])
				require.NotContains(t, seen, nonce, "%s and %s share a nonce", name, seen[nonce])
				seen[nonce] = name
			}
		}
	}
}

func TestSealedIsTheSameAllDay(t *testing.T) {
	keys := map[byte][]byte{0: master(1)}
	first := sealed(t, cursor.Keyring{Keys: keys, Now: at(day)}).Encode(scope, position)
	last := sealed(t, cursor.Keyring{Keys: keys, Now: at(day.Add(24*time.Hour - 1))}).Encode(scope, position)
	next := sealed(t, cursor.Keyring{Keys: keys, Now: at(day.Add(24 * time.Hour))}).Encode(scope, position)
	assert.Equal(t, first, last)
	assert.NotEqual(t, first, next)
}

func TestCursorsOutliveTheRotationOfKeys(t *testing.T) {
	older, newer := master(1), master(2)
	open := func(keys cursor.Keyring, c cursor.Cursor) error {
		keys.Now = at(day)
		_, err := sealed(t, keys).Decode(scope, c)
		return err
	}
	seal := func(keys cursor.Keyring) cursor.Cursor {
		keys.Now = at(day)
		return sealed(t, keys).Encode(scope, position)
	}
	before := cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: older}}
	added := cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: older, 2: newer}}
	switched := cursor.Keyring{Current: 2, Keys: map[byte][]byte{1: older, 2: newer}}
	removed := cursor.Keyring{Current: 2, Keys: map[byte][]byte{2: newer}}

	first, second := seal(before), seal(switched)
	assert.Equal(t, first, seal(added))
	assert.NoError(t, open(added, first))
	assert.NoError(t, open(added, second), "a process that has not switched yet")
	assert.NoError(t, open(switched, first))
	assert.NoError(t, open(switched, second))
	assert.ErrorIs(t, open(removed, first), cursor.ErrInvalid)
	assert.NoError(t, open(removed, second))

	reused := cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: newer}}
	assert.ErrorIs(t, open(reused, first), cursor.ErrInvalid, "an id given to another key")
}

func TestACursorExpiresAfterMaxAge(t *testing.T) {
	made := day.Add(15 * time.Hour)
	endOfDay := day.Add(24 * time.Hour)
	for name, c := range map[string]struct {
		maxAge time.Duration
		now    time.Time
		want   error
	}{
		"never by default":              {0, made.AddDate(100, 0, 0), nil},
		"at once":                       {time.Hour, made, nil},
		"to the end of its day":         {1, endOfDay.Add(-1), nil},
		"a tick past its day":           {1, endOfDay, nil},
		"two ticks past its day":        {1, endOfDay.Add(1), cursor.ErrExpired},
		"at its age":                    {time.Hour, made.Add(time.Hour), nil},
		"at its age past its day":       {time.Hour, endOfDay.Add(time.Hour - 1), nil},
		"an hour past its day":          {time.Hour, endOfDay.Add(time.Hour), cursor.ErrExpired},
		"last instant of thirty days":   {30 * 24 * time.Hour, endOfDay.AddDate(0, 0, 30).Add(-1), nil},
		"after thirty days":             {30 * 24 * time.Hour, endOfDay.AddDate(0, 0, 30), cursor.ErrExpired},
		"the longest age, 200 years on": {math.MaxInt64, made.AddDate(200, 0, 0), nil},
		"the longest age, 300 years on": {math.MaxInt64, made.AddDate(300, 0, 0), cursor.ErrExpired},
		"made by a clock a day ahead":   {time.Hour, day.Add(-1), nil},
		"made two days ahead":           {0, day.Add(-24*time.Hour - 1), cursor.ErrInvalid},
		"made years ahead":              {0, day.AddDate(-100, 0, 0), cursor.ErrInvalid},
	} {
		keys := map[byte][]byte{0: master(1)}
		text := sealed(t, cursor.Keyring{Keys: keys, Now: at(made)}).Encode(scope, position)
		pos, err := sealed(t, cursor.Keyring{Keys: keys, MaxAge: c.maxAge, Now: at(c.now)}).Decode(scope, text)
		assert.Equal(t, c.want, err, name)
		if c.want == nil {
			assert.Equal(t, position, pos, name)
		} else {
			assert.Nil(t, pos, name)
		}
	}
}

func TestDayBeforeTheEpoch(t *testing.T) {
	for _, now := range []time.Time{{}, time.Unix(-1, 0), time.Unix(-86400, 0), time.Unix(-86401, 0), time.Unix(0, 0)} {
		codec := sealed(t, cursor.Keyring{Keys: map[byte][]byte{0: master(1)}, MaxAge: time.Hour, Now: at(now)})
		got, err := codec.Decode(scope, codec.Encode(scope, position))
		require.NoError(t, err)
		assert.Equal(t, position, got)
	}
}

func TestExpiredCursorOfAnotherListIsInvalid(t *testing.T) {
	keys := map[byte][]byte{0: master(1)}
	text := sealed(t, cursor.Keyring{Keys: keys, Now: at(day)}).Encode(scope, position)
	late := sealed(t, cursor.Keyring{Keys: keys, MaxAge: time.Hour, Now: at(day.AddDate(1, 0, 0))})
	_, err := late.Decode(scope, text)
	require.ErrorIs(t, err, cursor.ErrExpired)
	refused(t, late, cursor.Scope{List: "other"}, text)
}

func TestKeyringIsChecked(t *testing.T) {
	good := map[byte][]byte{0: master(1), 9: master(2)}
	for name, c := range map[string]struct {
		keys  cursor.Keyring
		field string
	}{
		"no keys":              {cursor.Keyring{}, "Keyring.Keys"},
		"empty keys":           {cursor.Keyring{Keys: map[byte][]byte{}}, "Keyring.Keys"},
		"current not in keys":  {cursor.Keyring{Current: 1, Keys: good}, "Keyring.Current"},
		"nil key":              {cursor.Keyring{Keys: map[byte][]byte{0: nil}}, "Keyring.Keys[0]"},
		"short key":            {cursor.Keyring{Keys: map[byte][]byte{0: []byte("hunter2")}}, "Keyring.Keys[0]"},
		"long key":             {cursor.Keyring{Keys: map[byte][]byte{0: append(master(1), 0)}}, "Keyring.Keys[0]"},
		"short key kept aside": {cursor.Keyring{Keys: map[byte][]byte{0: master(1), 9: master(2)[:16]}}, "Keyring.Keys[9]"},
		"zero key":             {cursor.Keyring{Keys: map[byte][]byte{0: make([]byte, 32)}}, "Keyring.Keys[0]"},
		"zero key kept aside":  {cursor.Keyring{Keys: map[byte][]byte{0: master(1), 7: make([]byte, 32)}}, "Keyring.Keys[7]"},
		"negative age":         {cursor.Keyring{Keys: good, MaxAge: -1}, "Keyring.MaxAge"},
	} {
		codec, err := cursor.Sealed(c.keys)
		assert.Nil(t, codec, name)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, c.field, invalid.Field, name)
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "hunter2", "no error shows a key")
	}
}

func TestKeyringIsCopied(t *testing.T) {
	key := master(1)
	keys := map[byte][]byte{0: key}
	var now atomic.Int64
	codec := sealed(t, cursor.Keyring{Keys: keys, Now: func() time.Time { return day.AddDate(0, 0, int(now.Load())) }})
	want := sealed(t, cursor.Keyring{Keys: map[byte][]byte{0: master(1)}, Now: at(day.AddDate(0, 0, 1))}).Encode(scope, position)

	clear(key)
	delete(keys, 0)
	now.Store(1) // a day whose key is not derived yet
	assert.Equal(t, want, codec.Encode(scope, position))
}

func TestClockDefaultsToNow(t *testing.T) {
	codec := sealed(t, cursor.Keyring{Keys: map[byte][]byte{0: master(1)}, MaxAge: time.Hour})
	before := uint32(time.Now().Unix() / 86400)
	raw := decodeRaw(t, codec.Encode(scope, position))
	after := uint32(time.Now().Unix() / 86400)
	assert.Contains(t, []uint32{before, after}, binary.BigEndian.Uint32(raw[2:]))
}

func TestSealedServesManyDaysAndKeysAtOnce(t *testing.T) {
	keys := map[byte][]byte{1: master(1), 2: master(2), 3: master(3)}
	var old []cursor.Cursor
	for days := range 20 {
		for current := range keys {
			codec := sealed(t, cursor.Keyring{Current: current, Keys: keys, Now: at(day.AddDate(0, 0, -days))})
			old = append(old, codec.Encode(scope, position))
		}
	}
	var clock atomic.Int64
	codec := sealed(t, cursor.Keyring{Current: 1, Keys: keys, Now: func() time.Time {
		return day.Add(time.Duration(clock.Add(1)) * time.Hour)
	}})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 300 {
				c := old[(worker*31+i)%len(old)]
				if i%3 == 0 {
					c = codec.Encode(scope, position)
				}
				got, err := codec.Decode(scope, c)
				if !assert.NoError(t, err) || !assert.Equal(t, position, got) {
					return
				}
			}
		})
	}
	wg.Wait()
}
