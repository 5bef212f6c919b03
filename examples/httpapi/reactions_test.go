package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func peopleReactAndSwitch(t *testing.T, w world) {
	const reactions = "/objects/picture:42/reactions"
	for _, c := range []struct {
		method, of string
		changed    bool
	}{
		{"PUT", "like/norbert", true},
		{"PUT", "like/norbert", false},
		{"PUT", "love/norbert", true}, // replaces the like
		{"PUT", "bookmark/norbert", true},
		{"PUT", "like/olga", true},
		{"PUT", "like/oskar", true},
		{"DELETE", "like/oskar", true},
		{"DELETE", "like/oskar", false},
	} {
		require.Equal(t, c.changed, done[change](t, w.send(t, c.method, reactions+"/"+c.of, "")).Changed, "%s %s", c.method, c.of)
	}
	counts := done[objectCounts](t, w.send(t, "GET", "/objects/picture:42/counts", ""))
	require.Equal(t, map[string]int64{like: 1, love: 1, bookmark: 1}, counts.Reactions)

	list := func(path string) (listed []string) {
		for _, i := range done[cursor.Page[reacted]](t, w.send(t, "GET", path, "")).Items {
			require.NotZero(t, i.Since)
			listed = append(listed, i.Kind+" "+i.User+i.Object)
		}
		return listed
	}
	require.Equal(t, []string{"like olga", "bookmark norbert", "love norbert"}, list(reactions))
	require.Equal(t, []string{"love norbert"}, list(reactions+"?kind=love"))
	require.Equal(t, []string{"bookmark picture:42", "love picture:42"}, list("/users/norbert/reactions"))
	require.Equal(t, []string{"bookmark picture:42"}, list("/users/norbert/reactions?kind=bookmark"))
	require.JSONEq(t, `{"picture:42":["love","bookmark"],"a&b":[]}`,
		w.send(t, "GET", "/users/norbert/reacted?object=picture:42&object=a%26b", "").text)
	require.JSONEq(t, `{}`, w.send(t, "GET", "/users/norbert/reacted", "").text)
}

func theBestLikedCommentIsOnTop(t *testing.T, w world) {
	const comments = "/objects/picture:43/comments"
	one := w.comment(t, comments, `{"user":"otto","text":"one"}`)
	two := w.comment(t, comments, `{"user":"otto","text":"two"}`)
	top := func(want ...string) {
		t.Helper()
		require.Equal(t, want, w.remarks(t, "/objects/picture:43/top"))
	}
	top("two", "one")
	reactions := "/objects/" + one.Ref + "/reactions/"
	done[change](t, w.send(t, "PUT", reactions+"like/pam", ""))
	top("one", "two")
	done[change](t, w.send(t, "DELETE", reactions+"like/pam", ""))
	top("two", "one")
	done[change](t, w.send(t, "PUT", reactions+"love/pam", ""))
	top("one", "two")
	done[change](t, w.send(t, "DELETE", reactions+"love/pam", ""))
	done[change](t, w.send(t, "PUT", reactions+"bookmark/pam", ""))
	top("two", "one")

	// A process stored the like and died before it updated the score.
	_, _, err := w.service.reactions.React(t.Context(), reaction.Reaction{User: "pam", Object: one.Ref, Kind: like})
	require.NoError(t, err)
	top("two", "one")
	require.False(t, done[change](t, w.send(t, "PUT", reactions+"like/pam", "")).Changed)
	top("one", "two")

	// A comment without a place in Top can be liked too.
	reply := w.comment(t, comments, `{"user":"pam","text":"reply","root":"`+two.ID.String()+`"}`)
	done[removal](t, w.send(t, "DELETE", comments+"/"+two.ID.String()+"?user=otto", ""))
	for _, ref := range []string{reply.Ref, two.Ref, "comment:x", "comment:" + fromNow(0) + ":"} {
		require.True(t, done[change](t, w.send(t, "PUT", "/objects/"+ref+"/reactions/like/paula", "")).Changed, ref)
	}
	top("one")
}

func TestACommentIsRankedByItsLatestLike(t *testing.T) {
	t.Parallel()
	lagging := faults.New(t, 0, faults.Rates{Stale: 1})
	lagging.Off()
	w := newWorld(t, lagging.Wrap)
	lagging.On()
	one := w.comment(t, comments, `{"user":"ann","text":"one"}`)
	w.comment(t, comments, `{"user":"ann","text":"two"}`)
	done[change](t, w.send(t, "PUT", "/objects/"+one.Ref+"/reactions/like/bob", ""))
	lagging.Off()
	require.Equal(t, []string{"one", "two"}, w.remarks(t, "/objects/picture:1/top"))
}

func TestARefAddressesAnyComment(t *testing.T) {
	t.Parallel()
	for _, object := range []string{"picture:1", "1", ":", "comment:0AKJ1TT2R02HW:x", strings.Repeat("x", 234)} {
		at := comment.Address{Object: object, ID: 1}
		got, ok := parseRef(refOf(at))
		require.True(t, ok)
		require.Equal(t, at, got)
		require.LessOrEqual(t, len(refOf(at)), 256)
	}
	for _, object := range []string{"", "picture:1", "comment:", "comment:0AKJ1TT2R02HW", "comment:0AKJ1TT2R02HW:", "comment::x", "comment:0000000000000:x", "0AKJ1TT2R02HW:x"} {
		_, ok := parseRef(object)
		require.False(t, ok, object)
	}
}
