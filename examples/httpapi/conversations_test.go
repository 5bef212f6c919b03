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

func twoPeopleWriteToEachOther(t *testing.T, w world) {
	require.Equal(t, pair{Conversation: "abe#abel"}, done[pair](t, w.send(t, "GET", "/users/abel/pairs/abe", "")))
	require.Empty(t, w.texts(t, "abe", "abe#abel"))
	require.Empty(t, w.inboxOf(t, "abe"), "opening it has written nothing")

	first := w.say(t, "abe", "abel", "hello")
	require.EqualValues(t, 1, first.Seq)
	require.Equal(t, first.ID.Time(), first.Time)
	w.say(t, "abe", "abel", "are you there?")
	require.Equal(t, []string{"abe 2 are you there?"}, w.inboxOf(t, "abel"))
	require.Equal(t, []string{"abel 0 are you there?"}, w.inboxOf(t, "abe"))
	require.Equal(t, message.Count{Conversations: 1, Messages: 2}, done[message.Count](t, w.send(t, "GET", "/users/abel/inbox/unread", "")))
	require.Equal(t, []string{"2 abe are you there?", "1 abe hello"}, w.texts(t, "abel", "abe#abel"))

	abels := within("abel", "abe#abel")
	done[none](t, w.send(t, "PUT", abels+"/read", `{"upTo":1}`))
	require.Equal(t, []string{"abe 1 are you there?"}, w.inboxOf(t, "abel"))
	require.Equal(t, map[string]int64{"abe": 2, "abel": 1}, done[map[string]int64](t, w.send(t, "GET", within("abe", "abe#abel")+"/read", "")))
	answer := done[letter](t, w.send(t, "POST", abels+"/messages", `{"key":"k","text":"yes","replyTo":2,"data":{"n":[1e2]}}`))
	require.EqualValues(t, 2, answer.ReplyTo)
	require.JSONEq(t, `{"n":[1e2]}`, string(answer.Data))

	done[none](t, w.send(t, "DELETE", abels+"/messages", ""))
	require.Empty(t, w.texts(t, "abel", "abe#abel"))
	require.Equal(t, []string{"abe 0"}, w.inboxOf(t, "abel"))
	require.Len(t, w.texts(t, "abe", "abe#abel"), 3, "abe's history is his own")
}

func aMessageIsSentOnceUnderItsKey(t *testing.T, w world) {
	at := within("ada", "ada#agatha") + "/messages"
	first := w.send(t, "POST", at, `{"key":"k","text":"hello"}`)
	for range 2 {
		again := w.send(t, "POST", at, `{"key":"k","text":"hello"}`)
		require.Equal(t, http.StatusCreated, again.status)
		require.Equal(t, first.text, again.text)
	}
	refused(t, w.send(t, "POST", at, `{"key":"k","text":"something else"}`), http.StatusConflict)
	require.Equal(t, []string{"ada 1 hello"}, w.inboxOf(t, "agatha"))
}

func messagesAreEditedAndRecalledByTheirSender(t *testing.T, w world) {
	w.say(t, "albert", "albin", "helo")
	at, others := within("albert", "albert#albin")+"/messages/1", within("albin", "albert#albin")+"/messages/1"
	edited := done[letter](t, w.send(t, "PUT", at, `{"text":"hello"}`))
	require.NotZero(t, edited.Edited)
	require.Equal(t, []string{"albert 1 hello"}, w.inboxOf(t, "albin"), "the preview too")
	refused(t, w.send(t, "PUT", others, `{"text":"I owe albin 100"}`), http.StatusForbidden)
	refused(t, w.send(t, "DELETE", others, ""), http.StatusForbidden)
	require.Equal(t, []string{"1 albert hello"}, w.texts(t, "albin", "albert#albin"))

	for i, changed := range []bool{true, false} {
		require.Equal(t, changed, done[change](t, w.send(t, "DELETE", at, "")).Changed, "call %d", i)
	}
	require.Equal(t, []string{"1 albert "}, w.texts(t, "albin", "albert#albin"))
	refused(t, w.send(t, "PUT", at, `{"text":"hello"}`), http.StatusGone)
}

func aGroupsMembersComeAndGo(t *testing.T, w world) {
	w.gather(t, "climbers", "alf", "alma")
	const alfs, amys = "/users/alf/conversations/climbers", "/users/amy/conversations/climbers"
	refused(t, w.send(t, "PUT", "/users/arne/groups/climbers", `{"members":["alf"]}`), http.StatusConflict)
	require.Equal(t, []string{"climbers 0"}, w.inboxOf(t, "alma"))
	w.sayIn(t, "alf", "climbers", "before amy")
	require.False(t, done[followed](t, w.send(t, "PUT", "/users/alf/groups/climbers", `{"members":["alma"]}`)).Created, "a repeat")

	require.True(t, done[change](t, w.send(t, "PUT", alfs+"/members/amy", "")).Changed)
	w.sayIn(t, "amy", "climbers", "hello")
	require.Equal(t, []string{"2 amy hello"}, w.texts(t, "amy", "climbers"))
	require.Equal(t, []string{"climbers 2 hello"}, w.inboxOf(t, "alma"))
	require.ElementsMatch(t, []string{"alf", "alma", "amy"}, done[[]string](t, w.send(t, "GET", alfs+"/members", "")))

	require.True(t, done[change](t, w.send(t, "DELETE", amys+"/members", "")).Changed)
	w.sayIn(t, "alf", "climbers", "after amy")
	require.Equal(t, []string{"2 amy hello"}, w.texts(t, "amy", "climbers"), "what was said until then stays")
	refused(t, w.send(t, "POST", amys+"/messages", `{"key":"k","text":"I am still here"}`), http.StatusForbidden)
}

func aBlockEndsAPairsConversation(t *testing.T, w world) {
	w.say(t, "astor", "basil", "hello")
	require.True(t, done[change](t, w.send(t, "PUT", "/users/basil/blocked/astor", "")).Changed)
	require.True(t, done[pair](t, w.send(t, "GET", "/users/basil/pairs/astor", "")).Blocked)
	require.False(t, done[pair](t, w.send(t, "GET", "/users/astor/pairs/basil", "")).Blocked, "astor is not told")
	for _, user := range []string{"astor", "basil"} {
		p := refused(t, w.send(t, "POST", within(user, "astor#basil")+"/messages", `{"key":"k","text":"a"}`), http.StatusForbidden)
		require.Equal(t, "one of you has blocked the other", p.Reason)
	}
	require.True(t, done[change](t, w.send(t, "DELETE", "/users/basil/blocked/astor", "")).Changed)
	w.say(t, "astor", "basil", "again")
	require.Equal(t, []string{"2 astor again", "1 astor hello"}, w.texts(t, "basil", "astor#basil"))
}

func aHistoryIsPagedBothWays(t *testing.T, w world) {
	for i := range 5 {
		w.say(t, "bea", "ben", strconv.Itoa(i+1))
	}
	at := within("ben", "bea#ben") + "/messages?limit=2&cursor="
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
	w.say(t, "bea", "ben", "6")
	require.EqualValues(t, 6, done[cursor.Page[letter]](t, w.send(t, "GET", at+string(first.Prev), "")).Items[0].Seq)
	require.Equal(t, "cursor", refused(t, w.send(t, "GET", within("bea", "bea#ben")+"/messages?cursor="+string(first.Next), ""), http.StatusBadRequest).Field, "each reader has cursors of their own")
}

func aStrangerReadsAndWritesNothing(t *testing.T, w world) {
	w.say(t, "berta", "bruno", "secret")
	w.gather(t, "divers", "berta", "bruno")
	w.sayIn(t, "berta", "divers", "secret")
	before := w.items(t)
	for _, conversation := range []string{"berta#bruno", "divers"} {
		at := within("cal", conversation)
		for _, c := range []struct{ method, path, body string }{
			{"GET", "/messages", ""},
			{"POST", "/messages", `{"key":"k","text":"a"}`},
			{"DELETE", "/messages", ""},
			{"PUT", "/messages/1", `{"text":"a"}`},
			{"DELETE", "/messages/1", ""},
			{"GET", "/read", ""},
			{"PUT", "/read", `{"upTo":1}`},
			{"GET", "/members", ""},
			{"PUT", "/members/cal", ""},
		} {
			a := w.send(t, c.method, at+c.path, c.body)
			refused(t, a, http.StatusForbidden)
			require.NotContains(t, a.text, "secret")
		}
	}
	require.Equal(t, before, w.items(t))
	require.Empty(t, w.inboxOf(t, "cal"))
}

func TestAUserWhoWritesTooFastLearnsWhenToRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var err error
	w.service.messages, err = message.New(w.env.DB, w.env.Tables.Message, w.service.ids, &message.Options{
		Rate: ratelimit.Rate{Every: time.Hour, Burst: 1},
	})
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
