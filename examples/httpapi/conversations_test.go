package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// say sends a message of a user to another one, and returns it.
func (w world) say(t *testing.T, user, other, text string) letter {
	t.Helper()
	return w.sayIn(t, user, message.Pair{User: user, Other: other}.Conversation(), text)
}

func (w world) sayIn(t *testing.T, user, conversation, text string) letter {
	t.Helper()
	return done[letter](t, w.send(t, "POST", within(user, conversation)+"/messages", fmt.Sprintf(`{"key":%q,"text":%q}`, rand.Text(), text)))
}

// within returns the path of a user's conversation.
func within(user, conversation string) string {
	return "/users/" + url.PathEscape(user) + "/conversations/" + url.PathEscape(conversation)
}

// gather creates a group of the first user.
func (w world) gather(t *testing.T, group string, users ...string) {
	t.Helper()
	members, err := json.Marshal(map[string][]string{"members": users})
	require.NoError(t, err)
	require.True(t, done[followed](t, w.send(t, "PUT", "/users/"+users[0]+"/groups/"+group, string(members))).Created)
}

// texts returns the messages that a user reads in a conversation, newest first.
func (w world) texts(t *testing.T, user, conversation string) (texts []string) {
	t.Helper()
	for _, m := range done[cursor.Page[letter]](t, w.send(t, "GET", within(user, conversation)+"/messages", "")).Items {
		texts = append(texts, fmt.Sprint(m.Seq, " ", m.Sender, " ", m.Text))
	}
	return texts
}

// inboxOf returns a user's inbox: the other user, the unread count, and the last
// message.
func (w world) inboxOf(t *testing.T, user string) (rows []string) {
	t.Helper()
	for _, e := range done[cursor.Page[preview]](t, w.send(t, "GET", "/users/"+user+"/inbox", "")).Items {
		row := fmt.Sprint(cmp.Or(e.Other, e.Conversation), " ", e.Unread)
		if e.Last != nil {
			row += " " + e.Last.Text
		}
		rows = append(rows, row)
	}
	return rows
}

const annBob = "ann#bob"

func TestTwoPeopleWriteToEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, pair{Conversation: annBob}, done[pair](t, w.send(t, "GET", "/users/bob/pairs/ann", "")))
	require.Empty(t, w.texts(t, "ann", annBob))
	require.Empty(t, w.inboxOf(t, "ann"), "opening it has written nothing")

	first := w.say(t, "ann", "bob", "hello")
	require.EqualValues(t, 1, first.Seq)
	require.Equal(t, first.ID.Time(), first.Time)
	w.say(t, "ann", "bob", "are you there?")
	require.Equal(t, []string{"ann 2 are you there?"}, w.inboxOf(t, "bob"))
	require.Equal(t, []string{"bob 0 are you there?"}, w.inboxOf(t, "ann"))
	require.Equal(t, message.Count{Conversations: 1, Messages: 2}, done[message.Count](t, w.send(t, "GET", "/users/bob/inbox/unread", "")))
	require.Equal(t, []string{"2 ann are you there?", "1 ann hello"}, w.texts(t, "bob", annBob))

	bobs := within("bob", annBob)
	done[none](t, w.send(t, "PUT", bobs+"/read", `{"upTo":1}`))
	require.Equal(t, []string{"ann 1 are you there?"}, w.inboxOf(t, "bob"))
	require.Equal(t, map[string]int64{"ann": 2, "bob": 1}, done[map[string]int64](t, w.send(t, "GET", within("ann", annBob)+"/read", "")))
	answer := done[letter](t, w.send(t, "POST", bobs+"/messages", `{"key":"k","text":"yes","replyTo":2,"data":{"n":[1e2]}}`))
	require.EqualValues(t, 2, answer.ReplyTo)
	require.JSONEq(t, `{"n":[1e2]}`, string(answer.Data))

	done[none](t, w.send(t, "DELETE", bobs+"/messages", ""))
	require.Empty(t, w.texts(t, "bob", annBob))
	require.Equal(t, []string{"ann 0"}, w.inboxOf(t, "bob"))
	require.Len(t, w.texts(t, "ann", annBob), 3, "ann's history is her own")
}

func TestAMessageIsSentOnceUnderItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := within("ann", annBob) + "/messages"
	first := w.send(t, "POST", at, `{"key":"k","text":"hello"}`)
	for range 2 {
		again := w.send(t, "POST", at, `{"key":"k","text":"hello"}`)
		require.Equal(t, http.StatusCreated, again.status)
		require.Equal(t, first.text, again.text)
	}
	refused(t, w.send(t, "POST", at, `{"key":"k","text":"something else"}`), http.StatusConflict)
	require.Equal(t, []string{"ann 1 hello"}, w.inboxOf(t, "bob"))
}

func TestMessagesAreEditedAndRecalledByTheirSender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(t, "ann", "bob", "helo")
	at, others := within("ann", annBob)+"/messages/1", within("bob", annBob)+"/messages/1"
	edited := done[letter](t, w.send(t, "PUT", at, `{"text":"hello"}`))
	require.NotZero(t, edited.Edited)
	require.Equal(t, []string{"ann 1 hello"}, w.inboxOf(t, "bob"), "the preview too")
	refused(t, w.send(t, "PUT", others, `{"text":"I owe bob 100"}`), http.StatusForbidden)
	refused(t, w.send(t, "DELETE", others, ""), http.StatusForbidden)
	require.Equal(t, []string{"1 ann hello"}, w.texts(t, "bob", annBob))

	for i, changed := range []bool{true, false} {
		require.Equal(t, changed, done[change](t, w.send(t, "DELETE", at, "")).Changed, "call %d", i)
	}
	require.Equal(t, []string{"1 ann "}, w.texts(t, "bob", annBob))
	refused(t, w.send(t, "PUT", at, `{"text":"hello"}`), http.StatusGone)
}

func TestAGroupsMembersComeAndGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gather(t, "hikers", "ann", "bob")
	const anns, cleos = "/users/ann/conversations/hikers", "/users/cleo/conversations/hikers"
	refused(t, w.send(t, "PUT", "/users/dan/groups/hikers", `{"members":["ann"]}`), http.StatusConflict)
	require.Equal(t, []string{"hikers 0"}, w.inboxOf(t, "bob"))
	w.sayIn(t, "ann", "hikers", "before cleo")
	require.False(t, done[followed](t, w.send(t, "PUT", "/users/ann/groups/hikers", `{"members":["bob"]}`)).Created, "a repeat")

	require.True(t, done[change](t, w.send(t, "PUT", anns+"/members/cleo", "")).Changed)
	w.sayIn(t, "cleo", "hikers", "hello")
	require.Equal(t, []string{"2 cleo hello"}, w.texts(t, "cleo", "hikers"))
	require.Equal(t, []string{"hikers 2 hello"}, w.inboxOf(t, "bob"))
	require.ElementsMatch(t, []string{"ann", "bob", "cleo"}, done[[]string](t, w.send(t, "GET", anns+"/members", "")))

	require.True(t, done[change](t, w.send(t, "DELETE", cleos+"/members", "")).Changed)
	w.sayIn(t, "ann", "hikers", "after cleo")
	require.Equal(t, []string{"2 cleo hello"}, w.texts(t, "cleo", "hikers"), "what was said until then stays")
	refused(t, w.send(t, "POST", cleos+"/messages", `{"key":"k","text":"I am still here"}`), http.StatusForbidden)
}

func TestABlockEndsAPairsConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(t, "ann", "bob", "hello")
	require.True(t, done[change](t, w.send(t, "PUT", "/users/bob/blocked/ann", "")).Changed)
	require.True(t, done[pair](t, w.send(t, "GET", "/users/bob/pairs/ann", "")).Blocked)
	require.False(t, done[pair](t, w.send(t, "GET", "/users/ann/pairs/bob", "")).Blocked, "ann is not told")
	for _, user := range []string{"ann", "bob"} {
		p := refused(t, w.send(t, "POST", within(user, annBob)+"/messages", `{"key":"k","text":"a"}`), http.StatusForbidden)
		require.Equal(t, "one of you has blocked the other", p.Reason)
	}
	require.True(t, done[change](t, w.send(t, "DELETE", "/users/bob/blocked/ann", "")).Changed)
	w.say(t, "ann", "bob", "again")
	require.Equal(t, []string{"2 ann again", "1 ann hello"}, w.texts(t, "bob", annBob))
}

func TestAHistoryIsPagedBothWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.say(t, "ann", "bob", strconv.Itoa(i+1))
	}
	at := within("bob", annBob) + "/messages?limit=2&cursor="
	var seen []int64
	var first cursor.Page[letter]
	for next := cursor.Cursor(""); len(seen) == 0 || next != ""; {
		p := done[cursor.Page[letter]](t, w.send(t, "GET", at+string(next), ""))
		if next == "" {
			first = p
		}
		for _, m := range p.Items {
			seen = append(seen, m.Seq)
		}
		next = p.Next
	}
	require.Equal(t, []int64{5, 4, 3, 2, 1}, seen)
	w.say(t, "ann", "bob", "6")
	require.EqualValues(t, 6, done[cursor.Page[letter]](t, w.send(t, "GET", at+string(first.Prev), "")).Items[0].Seq)
	require.Equal(t, "cursor", refused(t, w.send(t, "GET", within("ann", annBob)+"/messages?cursor="+string(first.Next), ""), http.StatusBadRequest).Field, "each reader has cursors of their own")
}

func TestAStrangerReadsAndWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(t, "ann", "bob", "secret")
	w.gather(t, "hikers", "ann", "bob")
	w.sayIn(t, "ann", "hikers", "secret")
	before := w.items(t)
	for _, conversation := range []string{annBob, "hikers"} {
		at := within("eve", conversation)
		for _, c := range []struct{ method, path, body string }{
			{"GET", "/messages", ""},
			{"POST", "/messages", `{"key":"k","text":"a"}`},
			{"DELETE", "/messages", ""},
			{"PUT", "/messages/1", `{"text":"a"}`},
			{"DELETE", "/messages/1", ""},
			{"GET", "/read", ""},
			{"PUT", "/read", `{"upTo":1}`},
			{"PUT", "/typing", ""},
			{"GET", "/members", ""},
			{"PUT", "/members/eve", ""},
		} {
			a := w.send(t, c.method, at+c.path, c.body)
			refused(t, a, http.StatusForbidden)
			require.NotContains(t, a.text, "secret")
		}
		refused(t, w.send(t, "GET", "/users/eve/inbox/live?conversation="+url.QueryEscape(conversation), ""), http.StatusForbidden)
	}
	require.Equal(t, before, w.items(t))
	require.Empty(t, w.inboxOf(t, "eve"))
	require.Zero(t, w.api.streams.Open())
}

func TestAUserWhoWritesTooFastLearnsWhenToRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	limiter, err := ratelimit.NewMemory(ratelimit.Rate{Every: time.Hour, Burst: 1}, nil)
	require.NoError(t, err)
	w.service.messages, err = message.New(w.env.DB, w.env.Tables.Message, w.service.ids, &message.Options{Limiter: limiter})
	require.NoError(t, err)
	at := within("ann", annBob) + "/messages"
	const first = `{"key":"1","text":"a"}`
	done[letter](t, w.send(t, "POST", at, first))
	a := w.send(t, "POST", at, `{"key":"2","text":"a"}`)
	refused(t, a, http.StatusTooManyRequests)
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(t, err)
	require.Greater(t, seconds, 1800)
	done[letter](t, w.send(t, "POST", at, first)) // what is stored is answered
	require.Len(t, w.texts(t, "bob", annBob), 1)
}
