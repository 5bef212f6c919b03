package main

import (
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
)

// routes serves the users whom userOf names.
func (s *service) routes(userOf func(*http.Request) string) http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(call) (any, error){
		"PUT /following/{user}":    func(c call) (any, error) { return changed(s.Feeds.Home(c.user).Follow(c.Context(), c.other, nil)) },
		"DELETE /following/{user}": func(c call) (any, error) { return changed(s.Feeds.Home(c.user).Unfollow(c.Context(), c.other, nil)) },

		"POST /photos":                       s.publish,
		"GET /home":                          s.home,
		"GET /week":                          func(c call) (any, error) { return s.Boards.Top(c.Context(), leaderboard.In{Board: week}, c.page) },
		"PUT /photos/{owner}/{id}/like":      func(c call) (any, error) { return stored(s.likes.React(c.Context(), c.like)) },
		"DELETE /photos/{owner}/{id}/like":   func(c call) (any, error) { return changed(s.likes.Unreact(c.Context(), c.like)) },
		"POST /photos/{owner}/{id}/comments": s.comment,
		"GET /photos/{owner}/{id}/comments":  func(c call) (any, error) { return s.Comments.ByObject(c.Context(), c.like.Object, c.page, nil) },

		"GET /bell": func(c call) (any, error) {
			page, err := s.Bell.List(c.Context(), notify.Reader{User: c.user}, c.page)
			return map[string]any{"items": page.Items, "next": page.Next, "view": notify.See(page.Items)}, err
		},
		"GET /bell/unseen": func(c call) (any, error) { return s.Bell.Unseen(c.Context(), notify.Reader{User: c.user}) },
		"POST /bell/seen":  func(c call) (any, error) { return changed(s.Bell.MarkSeen(c.Context(), c.user, c.body.View)) },
		"POST /bell/read":  func(c call) (any, error) { return changed(s.Bell.MarkAllRead(c.Context(), c.user, c.body.View)) },

		"GET /messages":        func(c call) (any, error) { return s.Messages.Inbox(c.Context(), c.user, c.page) },
		"GET /messages/{user}": func(c call) (any, error) { return s.Messages.History(c.Context(), c.chat, c.page) },
		"POST /messages/{user}": func(c call) (any, error) {
			m := message.Message{Conversation: c.chat.Conversation, Sender: c.user, Key: c.body.Key, Text: c.body.Text}
			return stored(s.Messages.Send(c.Context(), m))
		},
		"POST /messages/{user}/read": func(c call) (any, error) { return changed(s.Messages.MarkRead(c.Context(), c.chat, c.body.Seq)) },

		"DELETE /me": s.erase,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			user := userOf(r)
			if user == "" {
				http.Error(w, `{"error": "nobody is logged in"}`, http.StatusUnauthorized)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, 8<<10) // so that a page of photos stays below the 6 MB that Lambda may answer
			var result any
			c, err := s.parse(r, user)
			if err == nil {
				result, err = do(c)
			}
			answer(w, r, result, err)
		})
	}
	return mux
}

// changed is the answer to what sets something, stored to what stores something.
func changed(changed bool, err error) (any, error) { return map[string]bool{"changed": changed}, err }

func stored[T any](v T, _ bool, err error) (any, error) { return v, err }

// call is what a user asks for.
type call struct {
	*http.Request
	user, other string            // the caller, and the user in the path
	chat        message.In        // the user's with the other
	like        reaction.Reaction // the user's of the photo in the path, which exists
	page        cursor.PageRequest
	body        struct {
		Key, Text string          // what has a key is stored once
		Data      json.RawMessage // of a photo, such as its title
		Seq       int64           // of the last message that was read
		View      notify.View     // of the bell
	}
}

func (s *service) parse(r *http.Request, user string) (c call, err error) {
	c.Request, c.user, c.other = r, user, r.PathValue("user")
	c.chat = message.In{Conversation: message.Pair{User: user, Other: c.other}.Conversation(), User: user}
	if err := json.NewDecoder(r.Body).Decode(&c.body); err != nil && r.Method == http.MethodPost {
		return c, &plaza.InvalidError{Field: "body", Reason: err.Error()}
	}
	if c.page, err = cursor.ParseQuery(r.URL.Query(), nil); err != nil || r.PathValue("id") == "" {
		return c, err
	}
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return c, err
	}
	published, err := s.Feeds.Outbox(r.PathValue("owner")).Get(c.Context(), id)
	c.like = reaction.Reaction{User: user, Object: nameOf(published), Kind: "like"}
	return c, err
}

// answer logs what failed, unless the client has gone: then the failure is often only that.
func answer(w http.ResponseWriter, r *http.Request, result any, err error) {
	status, wait := plaza.Status(err)
	if err != nil {
		result = map[string]string{"error": err.Error()}
	}
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		slog.ErrorContext(r.Context(), "request failed", "request", r.Pattern, "error", err)
		result = map[string]string{"error": http.StatusText(status)}
	}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(result) // fails if the client has gone
}
