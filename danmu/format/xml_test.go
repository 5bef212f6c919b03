package format_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Concatenated files are read as one. The last must be complete too.
func TestConcatenatedFilesAreReadAsOne(t *testing.T) {
	t.Parallel()
	second := aFile(format.Bilibili, "second")
	for first, refused := range map[string]int{
		"<i/>": 0, "<i></i>": 0, aFile(format.Bilibili, "first"): 0,
		`<i><d p="1,1,25,0,0,0,0,0">cut</i>`: 1,
	} {
		for _, between := range []string{"", "\n", `<?xml version="1.0"?><!-- second -->`} {
			got := whole(t, first+between+second, format.Bilibili, nil)
			require.Len(t, got.refused, refused)
			require.Equal(t, "second", got.comments[len(got.comments)-1].Text)
			for n := 2; n < len(second); n++ {
				_, err := read(t, strings.NewReader(first+between+second[:n]), format.Bilibili, nil)
				require.ErrorIs(t, err, format.ErrBroken, second[:n])
			}
		}
	}
	got := whole(t, `<i a="b"><chatid>1</chatid></i><i c="d"><chatid>2</chatid></i>`, format.Bilibili, nil)
	require.Equal(t, []format.Tag{{Name: "i", Attributes: `a="b"`}, {Name: "chatid", Value: "1"}, {Name: "chatid", Value: "2"}}, got.tags)
	requireComesBack(t, got, format.Bilibili)
}

// A comment that is cut by the file's end harms no other comment.
func TestACommentCutByTheEndTag(t *testing.T) {
	t.Parallel()
	const cut = `<i><d p="1,1,25,0">cut</i>`
	for behind, want := range map[string]struct {
		comments int
		repaired int64
	}{
		"": {}, "\n": {}, "<!-- x -->\n": {},
		`<d p="1,1,25,0">b</d>`:                      {comments: 1},
		`<!-- x --><!-- y <d p="1,1,25,0">b</d></i>`: {comments: 1, repaired: 1},
	} {
		got := whole(t, cut+behind, format.Bilibili, nil)
		require.Len(t, got.comments, want.comments, behind)
		require.Len(t, got.refused, 1)
		require.Equal(t, want.repaired, got.stats.Repaired, behind)
	}
	failed := errors.New("disk")
	for _, text := range []string{cut, `<i><d p="1,1,25,0"><![CDATA[</d></i>`} {
		got, err := read(t, io.MultiReader(strings.NewReader(text), failing{failed}), format.Bilibili, nil)
		require.ErrorIs(t, err, failed)
		require.Empty(t, got.refused, "more may follow")
		require.Empty(t, got.comments)
	}
}

// An XML comment that ends beyond the length of a record, or in a later record, hides no
// danmu.
func TestAnUnclosedXMLCommentHidesNothing(t *testing.T) {
	t.Parallel()
	const limit = 100
	opts := &format.ReadOptions{MaxRecord: limit}
	record := strings.TrimSuffix(strings.TrimPrefix(aFile(format.Bilibili, "x"), "<i>"), "</i>")
	for _, begin := range []string{"<!--", "<?", `<d p="1,1,25,0,0,0,0,0">a <!-- b</d>`, `<d p="1,1,25,0,0,0,0,0">a <![CDATA[ b</d>`} {
		want := 5
		if strings.HasPrefix(begin, "<d") {
			want++
		}
		for _, end := range []string{"", "-->]]>?>"} {
			text := "<i>" + begin + strings.Repeat(record, 5) + end + "</i>"
			got := whole(t, text, format.Bilibili, opts)
			require.Len(t, got.comments, want, text)
			require.Empty(t, got.refused)
			require.EqualValues(t, 1, got.stats.Repaired)
			slow, err := read(t, iotest.OneByteReader(strings.NewReader(text)), format.Bilibili, opts)
			require.NoError(t, err)
			require.Equal(t, got, slow)
		}
	}
	cut := `<i><d p="1,1,25,0,0,0,0,0"><![CDATA[</d>` + record
	got, err := read(t, strings.NewReader(cut), format.Bilibili, nil)
	require.ErrorIs(t, err, format.ErrBroken)
	require.Empty(t, got.comments, "all of it may be the CDATA's")
}

// Searching the whole record for the end of each would take hours.
func TestManyUnclosedXMLComments(t *testing.T) {
	t.Parallel()
	n := faults.Size(1<<20, 1<<16)
	opts := &format.ReadOptions{MaxRecord: 16 * n}
	for _, begin := range []string{"<!--", "<?", "<![CDATA["} {
		many := strings.Repeat(begin, n)
		for _, limit := range []int{n, 16 * n} {
			opts := &format.ReadOptions{MaxRecord: limit}
			_, err := read(t, strings.NewReader("<i>"+many+"-->?>]]>"), format.Bilibili, opts)
			require.ErrorIs(t, err, format.ErrBroken)
			require.EqualValues(t, n, whole(t, "<i>"+many+"</i>", format.Bilibili, opts).stats.Repaired)
		}
		got := whole(t, aFile(format.Bilibili, many), format.Bilibili, opts)
		require.Equal(t, many, got.comments[0].Text)
		require.EqualValues(t, n, got.stats.Repaired)
	}
}
