package main

import (
	"fmt"
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

// lossy is a request to a route, after what must be there before it.
type lossy struct {
	as, path string
	body     any
}

// scene is where a write finds what it needs.
type scene struct {
	*world
	t *testing.T
}

func (s scene) as(person string) caller { return s.world.as(s.t, person) }

// picture is one of ann's.
func (s scene) picture() string { return s.as("ann").pin("Dawn") }

// remark is the path of a comment of eric's on a picture of ann's.
func (s scene) remark() string {
	p := s.picture()
	return "/api/pins/" + p + "/comments/" + s.as("eric").comment(p, remarkBody{Text: "Nice", Key: p}).ID.String()
}

// rung is an entry of ann's bell.
func (s scene) rung() notify.Entry {
	id, err := s.ids.Next(s.t.Context())
	require.NoError(s.t, err)
	_, _, err = s.Bell.Notify(s.t.Context(), notify.Notification{User: "ann", Activity: feed.Activity{
		ID: id, Actor: feed.Ref{ID: "eric"}, Verb: followVerb, Object: feed.Ref{Kind: "person", ID: id.String()},
	}})
	require.NoError(s.t, err)
	return get[noticePage](s.as("ann"), "/api/bell").Items[0]
}

func (s scene) view() notify.View {
	s.rung()
	return get[noticePage](s.as("ann"), "/api/bell").View
}

func (s scene) group() string { return "/api/bell/groups/" + url.PathEscape(s.rung().Group) }

// said is the number of a message from ann to lin.
func (s scene) said() int64 {
	return s.as("ann").says("lin", fmt.Sprint(time.Now().UnixNano()), "Hello").Seq
}

// message is the path of such a message.
func (s scene) message() string { return fmt.Sprint("/api/talks/lin/messages/", s.said()) }

// danmu is the path of one that a person has sent.
func (s scene) danmu(of string) string {
	return watching + "/videos/hills/danmu/" + s.as(of).flies("a joke")
}

// writes has one for each route that is not a GET.
func writes() map[string]func(scene) lossy {
	title := func(text string) any { return map[string]string{"title": text} }
	text := func(text string) any { return map[string]string{"text": text} }
	members := map[string]any{"members": []string{"eric", "lin"}}
	all := map[string]func(scene) lossy{
		"PUT /api/pins/{picture}":      func(s scene) lossy { return lossy{"ann", "/api/pins/" + s.picture(), title("Dusk")} },
		"DELETE /api/pins/{picture}":   func(s scene) lossy { return lossy{"ann", "/api/pins/" + s.picture(), nothing{}} },
		"PUT /api/pins/{picture}/like": func(s scene) lossy { return lossy{"eric", "/api/pins/" + s.picture() + "/like", nothing{}} },
		"POST /api/pictures":           func(scene) lossy { return lossy{"ann", "/api/pictures", nothing{}} },
		"POST /api/pins": func(s scene) lossy {
			ann := s.as("ann")
			return lossy{"ann", "/api/pins", ann.draw("Dawn", ann.makeBoard("Places"))}
		},

		"POST /api/pins/{picture}/comments": func(s scene) lossy {
			return lossy{"eric", "/api/pins/" + s.picture() + "/comments", remarkBody{Text: "Nice", Key: "lost"}}
		},
		"PUT /api/pins/{picture}/comments/{comment}":        func(s scene) lossy { return lossy{"eric", s.remark(), text("Very nice")} },
		"DELETE /api/pins/{picture}/comments/{comment}":     func(s scene) lossy { return lossy{"eric", s.remark(), nothing{}} },
		"PUT /api/pins/{picture}/comments/{comment}/like":   func(s scene) lossy { return lossy{"lin", s.remark() + "/like", nothing{}} },
		"PUT /api/pins/{picture}/comments/{comment}/hidden": func(s scene) lossy { return lossy{"ann", s.remark() + "/hidden", nothing{}} },
		"PUT /api/pins/{picture}/comments/{comment}/pinned": func(s scene) lossy { return lossy{"ann", s.remark() + "/pinned", nothing{}} },

		"POST /api/boards": func(scene) lossy { return lossy{"ann", "/api/boards", boardData{"Kitchen"}} },
		"PUT /api/boards/{board}": func(s scene) lossy {
			return lossy{"ann", "/api/boards/" + s.as("ann").makeBoard("Old"), boardData{"New"}}
		},
		"PUT /api/follows/{source}": func(scene) lossy { return lossy{"ann", "/api/follows/mia", nothing{}} },
		"PUT /api/reports": func(s scene) lossy {
			return lossy{"eric", "/api/reports", complaint{Object: "picture:" + s.picture(), Reason: "mine"}}
		},
		"POST /api/moderation/actions": func(s scene) lossy {
			object := "picture:" + s.picture()
			s.as("eric").report(object, "mine")
			return lossy{"mia", "/api/moderation/actions", verdict{complaint{Object: object, Reason: "it is"}, "lost", "remove"}}
		},

		"PUT /api/bell/seen":    func(s scene) lossy { return lossy{"ann", "/api/bell/seen", s.view()} },
		"PUT /api/bell/allread": func(s scene) lossy { return lossy{"ann", "/api/bell/allread", s.view()} },
		"PUT /api/bell/read":    func(s scene) lossy { return lossy{"ann", "/api/bell/read", shows(s.rung())} },
		"DELETE /api/bell/groups/{group}/read": func(s scene) lossy {
			e := s.rung()
			call[nothing](s.as("ann"), "PUT", "/api/bell/read", shows(e))
			return lossy{"ann", "/api/bell/groups/" + url.PathEscape(e.Group) + "/read", nothing{}}
		},
		"PUT /api/bell/groups/{group}/archived": func(s scene) lossy { return lossy{"ann", s.group() + "/archived", nothing{}} },
		"PUT /api/bell/groups/{group}/snoozed": func(s scene) lossy {
			return lossy{"ann", s.group() + "/snoozed", map[string]time.Time{"until": time.Now().Add(time.Hour).Truncate(time.Second)}}
		},
		"DELETE /api/bell/announcements/{id}": func(s scene) lossy {
			require.NoError(s.t, s.welcome(s.t.Context()))
			all, err := s.Announcements.List(s.t.Context(), everyone, cursor.PageRequest{})
			require.NoError(s.t, err)
			return lossy{"ann", "/api/bell/announcements/" + all.Items[0].ID.String(), nothing{}}
		},

		"PUT /api/talks/{with}": func(scene) lossy { return lossy{"ann", "/api/talks/" + groupPrefix + "lost", members} },
		"DELETE /api/talks/{with}/members": func(s scene) lossy {
			name := "/api/talks/" + groupPrefix + fmt.Sprint(time.Now().UnixNano())
			call[changed](s.as("ann"), "PUT", name, members)
			return lossy{"lin", name + "/members", nothing{}}
		},
		"POST /api/talks/{with}/messages": func(scene) lossy {
			return lossy{"ann", "/api/talks/eric/messages", map[string]string{"key": "lost", "text": "Hello"}}
		},
		"PUT /api/talks/{with}/messages/{seq}":    func(s scene) lossy { return lossy{"ann", s.message(), text("Bye")} },
		"DELETE /api/talks/{with}/messages/{seq}": func(s scene) lossy { return lossy{"ann", s.message(), nothing{}} },
		"PUT /api/talks/{with}/read": func(s scene) lossy {
			return lossy{"lin", "/api/talks/ann/read", map[string]int64{"upTo": s.said()}}
		},
		"PUT /api/talks/{with}/typing": func(s scene) lossy {
			s.said()
			return lossy{"ann", "/api/talks/lin/typing", nothing{}}
		},

		"PUT /api/settings": func(scene) lossy {
			return lossy{"ann", "/api/settings", map[string]any{"verb": like, "channel": email, "on": false}}
		},
		"PUT /api/settings/digest": func(scene) lossy {
			return lossy{"ann", "/api/settings/digest", rhythm{Every: "hour", At: "08:00", Zone: "UTC"}}
		},
		digestNow: func(s scene) lossy {
			s.rung()
			return lossy{"ann", "/api/digests", map[string]string{"key": "lost"}}
		},
		"POST /api/unsubscribe": func(s scene) lossy {
			token, err := s.unsubscribeToken("ann", email)
			require.NoError(s.t, err)
			return lossy{"ann", "/api/unsubscribe", map[string]string{"token": token}}
		},
		"PUT /api/blocked/{other}": func(scene) lossy { return lossy{"ann", "/api/blocked/aiko", nothing{}} },
		"PUT /api/muted/{object}":  func(s scene) lossy { return lossy{"eric", "/api/muted/picture:" + s.picture(), nothing{}} },

		"POST /watch/danmu/send":                      func(scene) lossy { return lossy{"eric", watching + "/danmu/send", danmuOf("eric", "Hello")} },
		"PUT /watch/videos/{id}/danmu/{danmu}/like":   func(s scene) lossy { return lossy{"eric", s.danmu("ann") + "/like?user=eric", nothing{}} },
		"PUT /watch/videos/{id}/danmu/{danmu}/report": func(s scene) lossy { return lossy{"eric", s.danmu("ann") + "/report?user=eric", nothing{}} },
		"DELETE /watch/videos/{id}/danmu/{danmu}":     func(s scene) lossy { return lossy{"eric", s.danmu("eric") + "?user=eric", nothing{}} },
	}
	for _, path := range []string{
		"/api/pins/{picture}/like", "/api/pins/{picture}/comments/{comment}/like", "/api/pins/{picture}/comments/{comment}/hidden",
		"/api/pins/{picture}/comments/{comment}/pinned", "/api/follows/{source}", "/api/bell/groups/{group}/archived",
		"/api/bell/groups/{group}/snoozed", "/api/blocked/{other}", "/api/muted/{object}", "/watch/videos/{id}/danmu/{danmu}/like",
	} {
		all["DELETE "+path] = func(s scene) lossy { // takes back what the PUT did
			one := all["PUT "+path](s)
			require.Equal(s.t, http.StatusOK, s.as(one.as).send("PUT", one.path, one.body).status)
			return lossy{one.as, one.path, nothing{}}
		}
	}
	return all
}

// shows is the body that marks an entry of the bell as read.
func shows(e notify.Entry) any {
	return map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}}
}

// Whoever adds a route that writes says here how to call it.
func TestEveryWriteMayLoseItsAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(t, "ann").pin("the first")
	cases := writes()
	routes := slices.DeleteFunc(slices.Concat(w.api.patterns, w.watchedRoutes), func(pattern string) bool {
		return strings.HasPrefix(pattern, "GET ") || pattern == "POST /watch/v3/{$}" // of players that name nobody
	})
	require.ElementsMatch(t, routes, slices.Collect(maps.Keys(cases)), "each says how to lose its answer")
	for pattern, arrange := range faults.Sample(8, cases, "POST /api/moderation/actions", "POST /api/pins/{picture}/comments", "POST /watch/danmu/send", digestNow) {
		one := arrange(scene{w, t})
		method, _, _ := strings.Cut(pattern, " ")
		c := w.as(t, one.as)
		before := w.stored(t)
		c.loses(method, one.path, one.body)
		once := w.stored(t)
		if !slices.Contains(unstored, pattern) {
			assert.NotEqual(t, before, once, "%s was not applied", pattern)
		}
		got := c.send(method, one.path, one.body)
		assert.Equal(t, http.StatusOK, got.status, "%s: %s", pattern, got.text)
		assert.Empty(t, different(once, w.stored(t)), "%s changed something when it was repeated", pattern)
		clicks := w.costs.spentBy(one.as, 0).Clicks
		lost, again := clicks[len(clicks)-2], clicks[len(clicks)-1]
		require.Equal(t, []any{pattern, true, pattern, true}, []any{lost.Route, lost.Lost, again.Route, again.Again})
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
