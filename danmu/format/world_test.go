package format_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
)

func formats() []format.Format {
	return []format.Format{format.Bilibili, format.DPlayer, format.ArtPlayer, format.Dandanplay, format.Niconico, format.NiconicoXML, format.NDJSON}
}

// file is the content of a file.
type file struct {
	comments []danmu.Comment
	refused  []*format.RecordError
	tags     []format.Tag
	stats    format.Stats
}

// read reads a file, and returns the error that ended it.
func read(t testing.TB, from io.Reader, f format.Format, opts *format.ReadOptions) (file, error) {
	t.Helper()
	r, err := format.NewReader(from, f, opts)
	require.NoError(t, err)
	var got file
	for c, err := range r.All() {
		var refused *format.RecordError
		switch {
		case errors.As(err, &refused):
			require.ErrorIs(t, err, plaza.ErrInvalid)
			require.Zero(t, c)
			got.refused = append(got.refused, refused)
		case err != nil:
			if errors.Is(err, plaza.ErrInvalid) {
				require.ErrorIs(t, err, danmu.ErrBroken, "an import must not go on behind it")
			}
			got.tags, got.stats = r.Tags(), r.Stats()
			return got, err
		default:
			got.comments = append(got.comments, c)
		}
	}
	got.tags, got.stats = r.Tags(), r.Stats()
	require.EqualValues(t, len(got.comments), got.stats.Read)
	require.EqualValues(t, len(got.refused), got.stats.Refused)
	return got, nil
}

// whole reads a complete file.
func whole(t testing.TB, text string, f format.Format, opts *format.ReadOptions) file {
	t.Helper()
	got, err := read(t, strings.NewReader(text), f, opts)
	require.NoError(t, err)
	return got
}

// write writes a file.
func write(t testing.TB, comments []danmu.Comment, f format.Format, opts *format.WriteOptions) string {
	t.Helper()
	var b bytes.Buffer
	w, err := format.NewWriter(&b, f, opts)
	require.NoError(t, err)
	for _, c := range comments {
		require.NoError(t, w.Write(c))
	}
	require.NoError(t, w.Close())
	return b.String()
}

// requireComesBack writes a file, reads it again, and requires the same content.
func requireComesBack(t testing.TB, got file, f format.Format) {
	t.Helper()
	tags := got.tags
	if f == format.Niconico {
		tags = nil
	}
	text := write(t, got.comments, f, &format.WriteOptions{Senders: true, Tags: tags})
	again := whole(t, text, f, &format.ReadOptions{Senders: true, MaxRecord: 1 << 22})
	require.Empty(t, again.refused)
	require.Zero(t, again.stats.Repaired)
	require.Equal(t, got.comments, again.comments)
	for _, tag := range got.tags {
		require.Contains(t, again.tags, tag)
	}
	require.Equal(t, text, write(t, again.comments, f, &format.WriteOptions{Senders: true, Tags: tags}), "what was written is written again")
}
