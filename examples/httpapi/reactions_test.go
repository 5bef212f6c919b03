package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
)

func TestPeopleReactAndSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const reactions = "/objects/picture:1/reactions"
	for _, c := range []struct {
		method, of string
		changed    bool
	}{
		{"PUT", "like/ann", true},
		{"PUT", "like/ann", false},
		{"PUT", "love/ann", true}, // replaces the like
		{"PUT", "bookmark/ann", true},
		{"PUT", "like/bob", true},
		{"PUT", "like/cleo", true},
		{"DELETE", "like/cleo", true},
		{"DELETE", "like/cleo", false},
	} {
		require.Equal(t, c.changed, done[change](t, w.send(t, c.method, reactions+"/"+c.of, "")).Changed, "%s %s", c.method, c.of)
	}
	counts := done[objectCounts](t, w.send(t, "GET", "/objects/picture:1/counts", ""))
	require.Equal(t, map[string]int64{like: 1, love: 1, bookmark: 1}, counts.Reactions)

	list := func(path string) (listed []string) {
		for _, i := range done[cursor.Page[reacted]](t, w.send(t, "GET", path, "")).Items {
			require.NotZero(t, i.Since)
			listed = append(listed, i.Kind+" "+i.User+i.Object)
		}
		return listed
	}
	require.Equal(t, []string{"like bob", "bookmark ann", "love ann"}, list(reactions))
	require.Equal(t, []string{"love ann"}, list(reactions+"?kind=love"))
	require.Equal(t, []string{"bookmark picture:1", "love picture:1"}, list("/users/ann/reactions"))
	require.Equal(t, []string{"bookmark picture:1"}, list("/users/ann/reactions?kind=bookmark"))
	require.JSONEq(t, `{"picture:1":["love","bookmark"],"a&b":[]}`,
		w.send(t, "GET", "/users/ann/reacted?object=picture:1&object=a%26b", "").text)
	require.JSONEq(t, `{}`, w.send(t, "GET", "/users/ann/reacted", "").text)
}

func TestTheBestLikedCommentIsOnTop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.comment(t, `{"user":"ann","text":"one"}`)
	two := w.comment(t, `{"user":"ann","text":"two"}`)
	top := func(want ...string) {
		t.Helper()
		require.Equal(t, want, w.remarks(t, "/objects/picture:1/top"))
	}
	top("two", "one")
	reactions := "/objects/" + one.Ref + "/reactions/"
	done[change](t, w.send(t, "PUT", reactions+"like/bob", ""))
	top("one", "two")
	done[change](t, w.send(t, "DELETE", reactions+"like/bob", ""))
	top("two", "one")
	done[change](t, w.send(t, "PUT", reactions+"love/bob", ""))
	top("one", "two")
	done[change](t, w.send(t, "DELETE", reactions+"love/bob", ""))
	done[change](t, w.send(t, "PUT", reactions+"bookmark/bob", ""))
	top("two", "one")

	// A process stored the like and died before it updated the score.
	_, _, err := w.service.reactions.React(t.Context(), reaction.Reaction{User: "bob", Object: one.Ref, Kind: like})
	require.NoError(t, err)
	top("two", "one")
	require.False(t, done[change](t, w.send(t, "PUT", reactions+"like/bob", "")).Changed)
	top("one", "two")

	// A comment without a place in Top can be liked too.
	reply := w.comment(t, `{"user":"bob","text":"reply","root":"`+two.ID.String()+`"}`)
	done[removal](t, w.send(t, "DELETE", comments+"/"+two.ID.String()+"?user=ann", ""))
	for _, ref := range []string{reply.Ref, two.Ref, "comment:x", "comment:" + fromNow(0) + ":"} {
		require.True(t, done[change](t, w.send(t, "PUT", "/objects/"+ref+"/reactions/like/cleo", "")).Changed, ref)
	}
	top("one")
}

func TestACommentIsRankedByItsLatestLike(t *testing.T) {
	t.Parallel()
	lagging := new(line)
	w := newWorld(t, lagging.wrap)
	lagging.breaks(func(action string, body []byte) fault {
		read := action == "GetItem" || action == "Query" || action == "BatchGetItem"
		if read && !bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
			return stale
		}
		return fine
	})
	one := w.comment(t, `{"user":"ann","text":"one"}`)
	w.comment(t, `{"user":"ann","text":"two"}`)
	done[change](t, w.send(t, "PUT", "/objects/"+one.Ref+"/reactions/like/bob", ""))
	lagging.breaks(nil)
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
