package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/tables"
)

// stored returns every item of all tables, by table and key, except for leases, which have
// nothing to do with requests.
func (w *world) stored(t *testing.T) map[string]map[string]types.AttributeValue {
	t.Helper()
	all := map[string]map[string]types.AttributeValue{}
	for _, table := range tables.Of(w.env.Tables) {
		if table.Name() == w.env.Tables.Machines || table.Name() == w.env.Tables.Pollers {
			continue
		}
		var items []map[string]types.AttributeValue
		require.NoError(t, w.env.DB.Table(table.Name()).Scan().All(free(t.Context()), &items))
		for _, item := range items {
			key := table.Feature
			for _, k := range table.Create.KeySchema {
				key += fmt.Sprint(" ", item[*k.AttributeName])
			}
			all[key] = item
		}
	}
	return all
}

// different names the attributes of items that are not the same.
func different(before, after map[string]map[string]types.AttributeValue) []string {
	found := map[string]bool{}
	for key := range maps.Keys(before) {
		if after[key] == nil {
			found[key+" is gone"] = true
		}
	}
	for key, item := range after {
		table, _, _ := strings.Cut(key, " ")
		if before[key] == nil {
			found[key+" is new"] = true
			continue
		}
		for name := range item {
			if !reflect.DeepEqual(item[name], before[key][name]) && !slices.Contains(bookkeeping[table], name) {
				found[table+"'s "+name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// bookkeeping has the attributes by which the tables know late requests, and when items
// expire. A repeat may write them again; what people read is in others.
var bookkeeping = map[string][]string{
	"feed":     {"edit", "editBefore", "end#mia", "ttl"},
	"comment":  {"edit", "editBefore", "hide", "hideBefore", "pin", "pinBefore", "ttl"},
	"notify":   {"rev", "s", "shelf", "mark", "change", "ttl"},
	"message":  {"mver", "block", "blockBefore", "edit", "editBefore", "ttl"},
	"reaction": {"ttl"},
	"follow":   {"ttl"},
}

// loses sends a write whose answer is lost.
func (c caller) loses(method, path string, body any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(c.t, err)
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.server.URL+path, bytes.NewReader(text))
	require.NoError(c.t, err)
	r.Header.Set(whoHeader, c.id)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(loseHeader, "answer")
	res, err := c.server.Client().Do(r)
	if err == nil {
		defer res.Body.Close()
		_, err = io.ReadAll(res.Body)
	}
	require.Error(c.t, err, "%s %s was answered", method, path)
}

// lossy is a request to a route, after what must be there before it.
type lossy struct {
	as, path string
	body     any
}

// writes has one for each route that is not a GET.
func writes() map[string]func(*testing.T, *world) lossy {
	at := url.PathEscape
	picture := func(t *testing.T, w *world) string { return w.as(t, "ann").pin("Dawn") }
	remarked := func(t *testing.T, w *world) string {
		p := picture(t, w)
		return "/api/pins/" + p + "/comments/" + w.as(t, "eric").comment(p, remarkBody{Text: "Nice", Key: p}).ID.String()
	}
	rung := func(t *testing.T, w *world) notify.Entry {
		id, err := w.ids.Next(t.Context())
		require.NoError(t, err)
		_, _, err = w.bell.Notify(t.Context(), notify.Notification{User: "ann", Activity: feed.Activity{
			ID: id, Actor: feed.Ref{ID: "eric"}, Verb: followVerb, Object: feed.Ref{Kind: "person", ID: id.String()},
		}})
		require.NoError(t, err)
		return get[noticePage](w.as(t, "ann"), "/api/bell").Items[0]
	}
	group := func(t *testing.T, w *world) string { return "/api/bell/groups/" + at(rung(t, w).Group) }
	said := func(t *testing.T, w *world) letter {
		return w.as(t, "ann").says("lin", fmt.Sprint(time.Now().UnixNano()), "Hello")
	}
	groupOf := func(t *testing.T, w *world) string {
		name := "/api/talks/" + groupPrefix + fmt.Sprint(time.Now().UnixNano())
		call[changed](w.as(t, "ann"), "PUT", name, map[string]any{"members": []string{"eric", "lin"}})
		return name
	}
	return map[string]func(*testing.T, *world) lossy{
		"PUT /api/pins/{picture}": func(t *testing.T, w *world) lossy {
			return lossy{"ann", "/api/pins/" + picture(t, w), map[string]string{"title": "Dusk"}}
		},
		"DELETE /api/pins/{picture}": func(t *testing.T, w *world) lossy { return lossy{"ann", "/api/pins/" + picture(t, w), nothing{}} },
		"PUT /api/pins/{picture}/like": func(t *testing.T, w *world) lossy {
			return lossy{"eric", "/api/pins/" + picture(t, w) + "/like", nothing{}}
		},
		"DELETE /api/pins/{picture}/like": func(t *testing.T, w *world) lossy {
			path := "/api/pins/" + picture(t, w) + "/like"
			call[changed](w.as(t, "eric"), "PUT", path, nothing{})
			return lossy{"eric", path, nothing{}}
		},
		"POST /api/pictures": func(*testing.T, *world) lossy { return lossy{"ann", "/api/pictures", nothing{}} },
		"POST /api/pins": func(t *testing.T, w *world) lossy {
			ann := w.as(t, "ann")
			return lossy{"ann", "/api/pins", ann.draw("Dawn", ann.makeBoard("Places"))}
		},
		"POST /api/pins/{picture}/comments": func(t *testing.T, w *world) lossy {
			return lossy{"eric", "/api/pins/" + picture(t, w) + "/comments", remarkBody{Text: "Nice", Key: "lost"}}
		},
		"PUT /api/pins/{picture}/comments/{comment}": func(t *testing.T, w *world) lossy {
			return lossy{"eric", remarked(t, w), map[string]string{"text": "Very nice"}}
		},
		"DELETE /api/pins/{picture}/comments/{comment}":   func(t *testing.T, w *world) lossy { return lossy{"eric", remarked(t, w), nothing{}} },
		"PUT /api/pins/{picture}/comments/{comment}/like": func(t *testing.T, w *world) lossy { return lossy{"lin", remarked(t, w) + "/like", nothing{}} },
		"DELETE /api/pins/{picture}/comments/{comment}/like": func(t *testing.T, w *world) lossy {
			path := remarked(t, w) + "/like"
			call[changed](w.as(t, "lin"), "PUT", path, nothing{})
			return lossy{"lin", path, nothing{}}
		},
		"PUT /api/pins/{picture}/comments/{comment}/hidden": func(t *testing.T, w *world) lossy { return lossy{"ann", remarked(t, w) + "/hidden", nothing{}} },
		"DELETE /api/pins/{picture}/comments/{comment}/hidden": func(t *testing.T, w *world) lossy {
			path := remarked(t, w) + "/hidden"
			call[changed](w.as(t, "ann"), "PUT", path, nothing{})
			return lossy{"ann", path, nothing{}}
		},
		"PUT /api/pins/{picture}/comments/{comment}/pinned": func(t *testing.T, w *world) lossy { return lossy{"ann", remarked(t, w) + "/pinned", nothing{}} },
		"DELETE /api/pins/{picture}/comments/{comment}/pinned": func(t *testing.T, w *world) lossy {
			path := remarked(t, w) + "/pinned"
			call[changed](w.as(t, "ann"), "PUT", path, nothing{})
			return lossy{"ann", path, nothing{}}
		},
		"POST /api/boards": func(*testing.T, *world) lossy { return lossy{"ann", "/api/boards", boardData{"Kitchen"}} },
		"PUT /api/boards/{board}": func(t *testing.T, w *world) lossy {
			return lossy{"ann", "/api/boards/" + w.as(t, "ann").makeBoard("Old"), boardData{"New"}}
		},
		"PUT /api/follows/{source}": func(*testing.T, *world) lossy { return lossy{"ann", "/api/follows/chris", nothing{}} },
		"DELETE /api/follows/{source}": func(t *testing.T, w *world) lossy {
			w.as(t, "ann").follow("mia")
			return lossy{"ann", "/api/follows/mia", nothing{}}
		},
		"PUT /api/reports": func(t *testing.T, w *world) lossy {
			return lossy{"eric", "/api/reports", complaint{Object: "picture:" + picture(t, w), Reason: "mine"}}
		},
		"POST /api/moderation/actions": func(t *testing.T, w *world) lossy {
			object := "picture:" + picture(t, w)
			w.as(t, "eric").report(object, "mine")
			return lossy{"mia", "/api/moderation/actions", verdict{complaint{Object: object, Reason: "it is"}, "lost", "remove"}}
		},

		"PUT /api/bell/seen": func(t *testing.T, w *world) lossy {
			rung(t, w)
			return lossy{"ann", "/api/bell/seen", get[noticePage](w.as(t, "ann"), "/api/bell").View}
		},
		"PUT /api/bell/allread": func(t *testing.T, w *world) lossy {
			rung(t, w)
			return lossy{"ann", "/api/bell/allread", get[noticePage](w.as(t, "ann"), "/api/bell").View}
		},
		"PUT /api/bell/read": func(t *testing.T, w *world) lossy {
			e := rung(t, w)
			return lossy{"ann", "/api/bell/read", map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}}}
		},
		"DELETE /api/bell/groups/{group}/read": func(t *testing.T, w *world) lossy {
			e := rung(t, w)
			call[nothing](w.as(t, "ann"), "PUT", "/api/bell/read", map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}})
			return lossy{"ann", "/api/bell/groups/" + at(e.Group) + "/read", nothing{}}
		},
		"PUT /api/bell/groups/{group}/archived": func(t *testing.T, w *world) lossy { return lossy{"ann", group(t, w) + "/archived", nothing{}} },
		"DELETE /api/bell/groups/{group}/archived": func(t *testing.T, w *world) lossy {
			path := group(t, w) + "/archived"
			call[changed](w.as(t, "ann"), "PUT", path, nothing{})
			return lossy{"ann", path, nothing{}}
		},
		"PUT /api/bell/groups/{group}/snoozed": func(t *testing.T, w *world) lossy {
			return lossy{"ann", group(t, w) + "/snoozed", map[string]time.Time{"until": time.Now().Add(time.Hour).Truncate(time.Second)}}
		},
		"DELETE /api/bell/groups/{group}/snoozed": func(t *testing.T, w *world) lossy {
			path := group(t, w) + "/snoozed"
			call[changed](w.as(t, "ann"), "PUT", path, map[string]time.Time{"until": time.Now().Add(time.Hour).Truncate(time.Second)})
			return lossy{"ann", path, nothing{}}
		},
		"DELETE /api/bell/announcements/{id}": func(t *testing.T, w *world) lossy {
			require.NoError(t, w.welcome(t.Context()))
			all, err := w.announcements.List(t.Context(), everyone, cursor.PageRequest{})
			require.NoError(t, err)
			return lossy{"ann", "/api/bell/announcements/" + all.Items[0].ID.String(), nothing{}}
		},

		"PUT /api/talks/{with}": func(*testing.T, *world) lossy {
			return lossy{"ann", "/api/talks/" + groupPrefix + "lost", map[string]any{"members": []string{"eric", "lin"}}}
		},
		"DELETE /api/talks/{with}/members": func(t *testing.T, w *world) lossy { return lossy{"lin", groupOf(t, w) + "/members", nothing{}} },
		"POST /api/talks/{with}/messages": func(*testing.T, *world) lossy {
			return lossy{"ann", "/api/talks/eric/messages", map[string]string{"key": "lost", "text": "Hello"}}
		},
		"PUT /api/talks/{with}/messages/{seq}": func(t *testing.T, w *world) lossy {
			return lossy{"ann", fmt.Sprint("/api/talks/lin/messages/", said(t, w).Seq), map[string]string{"text": "Bye"}}
		},
		"DELETE /api/talks/{with}/messages/{seq}": func(t *testing.T, w *world) lossy {
			return lossy{"ann", fmt.Sprint("/api/talks/lin/messages/", said(t, w).Seq), nothing{}}
		},
		"PUT /api/talks/{with}/read": func(t *testing.T, w *world) lossy {
			return lossy{"lin", "/api/talks/ann/read", map[string]int64{"upTo": said(t, w).Seq}}
		},
		"PUT /api/talks/{with}/typing": func(t *testing.T, w *world) lossy {
			said(t, w)
			return lossy{"ann", "/api/talks/lin/typing", nothing{}}
		},

		"PUT /api/settings": func(*testing.T, *world) lossy {
			return lossy{"ann", "/api/settings", map[string]any{"verb": like, "channel": email, "on": false}}
		},
		"PUT /api/settings/digest": func(*testing.T, *world) lossy {
			return lossy{"ann", "/api/settings/digest", rhythm{Every: "hour", At: "08:00", Zone: "UTC"}}
		},
		digestNow: func(t *testing.T, w *world) lossy {
			rung(t, w)
			return lossy{"ann", "/api/digests", map[string]string{"key": "lost"}}
		},
		"POST /api/unsubscribe": func(t *testing.T, w *world) lossy {
			token, err := w.unsubscribeToken("ann", email)
			require.NoError(t, err)
			return lossy{"ann", "/api/unsubscribe", map[string]string{"token": token}}
		},
		"PUT /api/blocked/{other}": func(*testing.T, *world) lossy { return lossy{"ann", "/api/blocked/aiko", nothing{}} },
		"DELETE /api/blocked/{other}": func(t *testing.T, w *world) lossy {
			call[changed](w.as(t, "ann"), "PUT", "/api/blocked/agnes", nothing{})
			return lossy{"ann", "/api/blocked/agnes", nothing{}}
		},
		"PUT /api/muted/{object}": func(t *testing.T, w *world) lossy {
			return lossy{"eric", "/api/muted/" + at("picture:"+picture(t, w)), nothing{}}
		},
		"DELETE /api/muted/{object}": func(t *testing.T, w *world) lossy {
			path := "/api/muted/" + at("picture:"+picture(t, w))
			call[changed](w.as(t, "eric"), "PUT", path, nothing{})
			return lossy{"eric", path, nothing{}}
		},
	}
}

// Whoever adds a route that writes says here how to call it.
func TestEveryWriteMayLoseItsAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(t, "ann").pin("the first")
	cases := writes()
	gets := func(pattern string) bool { return strings.HasPrefix(pattern, "GET ") }
	require.ElementsMatch(t, slices.DeleteFunc(slices.Clone(w.api.patterns), gets), slices.Collect(maps.Keys(cases)), "each says how to lose its answer")
	for pattern, arrange := range faults.Sample(8, cases, "POST /api/moderation/actions", "POST /api/pins/{picture}/comments", digestNow) {
		one := arrange(t, w)
		method, _, _ := strings.Cut(pattern, " ")
		c := w.as(t, one.as)
		before := w.stored(t)
		c.loses(method, one.path, one.body)
		once := w.stored(t)
		if !slices.Contains(unstored, pattern) {
			assert.NotEqual(t, before, once, "%s was not applied", pattern)
		}
		clicks := w.costs.spentBy(one.as, 0).Clicks
		require.True(t, clicks[len(clicks)-1].Lost, pattern)
		got := c.send(method, one.path, one.body)
		assert.Equal(t, http.StatusOK, got.status, "%s: %s", pattern, got.text)
		clicks = w.costs.spentBy(one.as, 0).Clicks
		require.True(t, clicks[len(clicks)-1].Again, pattern)
		assert.Empty(t, different(once, w.stored(t)), "%s changed something when it was repeated", pattern)
	}
	require.Len(t, w.as(t, "ann").mails(), 1, "one digest")
}

const digestNow = "POST /api/digests"

// unstored are the writes that store nothing: a new picture's id, and what is only told to
// open pages.
var unstored = []string{"POST /api/pictures", "PUT /api/talks/{with}/typing"}

// The drawer names every route in both languages.
func theDrawerHasWordsForEveryRoute(t *testing.T, w *world) {
	text, err := os.ReadFile("static/routes.js")
	require.NoError(t, err)
	words := map[string]int{}
	for _, found := range regexp.MustCompile(`(?m)^    "([^"]+)": "[^"]+",$`).FindAllSubmatch(text, -1) {
		words[string(found[1])]++
	}
	for _, pattern := range append(w.api.patterns, w.watchedRoutes...) {
		require.Equal(t, 2, words[pattern], pattern)
		delete(words, pattern)
	}
	require.Empty(t, words, "no such routes")
}
