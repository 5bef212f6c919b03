package as2

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// FuzzJSON compares the scanner with encoding/json. They may differ only about
// repeated names and the depth.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0,0.5,1e9,-2.5E-07,1E+2,{},[] ],"":"\"\\\/\b\f\n\r\tĀ\uD800"}`, "\t\n\r [ true , false , null ] ", `""`, `0`,
		`01`, `-`, `1.`, `.5`, `1e`, `+1`, `tru`, `nul`, `truex`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\x01\"", `"`, `"\`, `[1 2]`, `[1,]`, `[,1]`, `[`, `]`, `[}`,
		`{"a"}`, `{"a":}`, `{a:1}`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, ``, ` `, `1 1`, "\x00", "[\x00]", "\ufeff1", "\"\xff\"",
		strings.Repeat("[", 9) + strings.Repeat("]", 9),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const limit = 8
		got, err := readJSON("Document", text, limit)
		valid := jsontext.Valid(text)
		if err != nil {
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			if invalid.Reason == notJSON {
				require.False(t, valid)
			}
			return
		}
		require.True(t, valid)
		require.LessOrEqual(t, got.depth, limit)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, text))
		require.Equal(t, compact.String(), string(got.text))
		require.Equal(t, len(got.values), got.next(0))
		for value := range got.values {
			require.True(t, json.Valid(got.raw(value)))
		}
		require.NoError(t, sameMembers(got, 0))
	})
}

// sameMembers compares an object's members with a map's.
func sameMembers(t *jsonText, value int) error {
	if !t.is(value, '{') {
		return nil
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(t.raw(value), &want); err != nil {
		return err
	}
	n := 0
	for member, end := t.children(value); member < end; member = t.next(member) {
		if n++; !bytes.Equal(want[string(t.key(member))], t.raw(member)) {
			return errors.New("a member differs")
		}
	}
	if n != len(want) {
		return errors.New("another number of members")
	}
	return nil
}
