package cursor_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

// vector is a line of testdata: form, key id, day, cursor, position, scope.
// Lines are only added: a changed line would be a changed form.
type vector struct {
	form   string
	key    byte
	day    time.Time
	cursor cursor.Cursor
	pos    []byte
	scope  cursor.Scope
}

func vectors(t testing.TB, file string) []vector {
	f, err := os.Open("testdata/" + file)
	require.NoError(t, err)
	defer f.Close()
	var all []vector
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var v vector
		var date, text, pos string
		_, err := fmt.Sscanf(line, "%s %d %s %q %q %q %q %q %q", &v.form, &v.key, &date, &text, &pos,
			&v.scope.List, &v.scope.Partition, &v.scope.Filter, &v.scope.Order)
		require.NoError(t, err, line)
		v.day, err = time.Parse(time.DateOnly, date)
		require.NoError(t, err, line)
		v.cursor, v.pos = cursor.Cursor(text), []byte(pos)
		all = append(all, v)
	}
	require.NotEmpty(t, all)
	return all
}

// codec returns the codec that makes v: key n is master(n), on v's day.
func (v vector) codec(t require.TestingT) cursor.Codec {
	if v.form == "plain" {
		return cursor.Plain()
	}
	require.Equal(t, "sealed", v.form)
	return sealed(t, cursor.Keyring{
		Current: v.key,
		Keys:    map[byte][]byte{0: master(0), 1: master(1), 255: master(255)},
		Now:     at(v.day),
	})
}

func TestValidVectors(t *testing.T) {
	for _, v := range vectors(t, "valid.txt") {
		pos, err := v.codec(t).Decode(v.scope, v.cursor)
		require.NoError(t, err, "%q", v.cursor)
		require.Equal(t, string(v.pos), string(pos), "%q", v.cursor)
		require.Equal(t, v.cursor, v.codec(t).Encode(v.scope, v.pos))
	}
}

func TestInvalidVectors(t *testing.T) {
	for _, v := range vectors(t, "invalid.txt") {
		refused(t, v.codec(t), v.scope, v.cursor)
	}
}
