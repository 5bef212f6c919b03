package comment_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAQuoteFollowsTheQuotedComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	first := w.replies(t, "ann", root)
	w.replies(t, "eve", root)
	w.replies(t, "eve", root)
	for _, quoted := range faults.Some(1, first, w.replies(t, "ann", root), root) {
		quoting := w.add(t, comment.Comment{Object: "bird", User: "bob", Text: "So true.", Quote: &comment.Quote{Address: quoted.Address()}})
		require.Equal(t, &comment.Quote{Address: quoted.Address()}, quoting.Quote)

		shows := func(want comment.Quote) {
			t.Helper()
			want.Address = quoted.Address()
			require.Equal(t, &want, w.get(t, quoting).Quote)
			require.Equal(t, &want, all(t, of(w.ByObject, "bird", nil), 10)[0].Quote)
			require.Equal(t, &want, all(t, of(w.Threads, "bird", nil), 10)[0].Quote)
			require.Equal(t, &want, all(t, of(w.ByUser, "bob", nil), 10)[0].Quote)
		}
		shows(comment.Quote{User: "ann", Excerpt: "Beautiful bird!"})
		for text, excerpt := range faults.Sample(2, map[string]string{
			"edited":                 "edited",
			strings.Repeat("鳥", 100): strings.Repeat("鳥", 100),
			strings.Repeat("鳥", 101): strings.Repeat("鳥", 100),
		}) {
			quoted.Text = text
			_, _, err := w.Edit(t.Context(), quoted)
			require.NoError(t, err)
			shows(comment.Quote{User: "ann", Excerpt: excerpt})
		}
		w.hide(t, quoted)
		shows(comment.Quote{Removed: true})
		w.unhide(t, quoted)
		shows(comment.Quote{User: "ann", Excerpt: excerptOf(w.get(t, quoted).Text)})
		w.delete(t, quoted) // leaves a tombstone, since it is a root with replies
		shows(comment.Quote{Removed: true})
	}
}

func excerptOf(text string) string { return string([]rune(text)[:min(100, len([]rune(text)))]) }
