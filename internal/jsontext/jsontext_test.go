package jsontext_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

func TestTextThatEncodingJSONWouldChangeIsRefused(t *testing.T) {
	for text, want := range map[string]bool{
		`"é"`: true, `{"a":[1,null,"\n\\\"\u00e9"]}`: true, `"\ud83d\uDE00"`: true, `"\\ud83d"`: true, `"�\ufffd"`: true,
		`"\ud83d\ude00\ud83d\ude00"`: true, `"\ud7ff\ue000"`: true,
		`"\ud83d"`: false, `"\uDE00"`: false, `"\ud83d\ud83d\ude00"`: false, `"\ud83d\n"`: false, `"\ud83d \ude00"`: false,
		`"\ude00\ud83d"`: false, `{"\ud83d":1}`: false, `"\\\ud83d"`: false, "\"\xff\"": false, "\"\xed\xa0\xbd\"": false,
	} {
		require.Equal(t, want, jsontext.Unicode([]byte(text)), text)
		require.Equal(t, want, jsontext.Valid([]byte(text)), text)
		var v any
		if err := jsontext.Unmarshal([]byte(text), &v); want {
			require.NoError(t, err, text)
		} else {
			require.ErrorIs(t, err, plaza.ErrInvalid, text)
		}
	}
	for _, text := range []string{`{`, ``, `"\ud8"`, `"\`, `"\u`, `\`} {
		require.False(t, jsontext.Valid([]byte(text)), text)
		require.Error(t, jsontext.Unmarshal([]byte(text), new(any)), text)
	}
}

// A text is refused if it has U+FFFD once it is decoded, which the alphabet lacks.
func TestUnicodeIsWhatEncodingJSONKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte{'"'}
		for _, part := range rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "é", `\\`, `\"`, `\n`, "u", "d83d", `\u00e9`, `\ud83d`, `\uDE00`, `\udbff`, `\udc00`, "\xff", "\xed\xa0\xbd",
		})).Draw(t, "parts") {
			text = append(text, part...)
		}
		text = append(text, '"')
		var s string
		require.NoError(t, json.Unmarshal(text, &s))
		kept := true
		for _, r := range s {
			kept = kept && r != utf8.RuneError
		}
		require.Equal(t, kept, jsontext.Unicode(text), "%q", text)
	})
}
