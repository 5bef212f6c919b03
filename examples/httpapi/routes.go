package main

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.yaml
var description []byte

// routes lists the requests, with the parameters that a query may have.
func (a *api) routes() {
	a.route("POST /ids", http.StatusCreated, a.mint)

	a.route("PUT /users/{user}/following/{other}", http.StatusOK, a.follow)
	a.route("DELETE /users/{user}/following/{other}", http.StatusOK, a.unfollow)
	a.route("GET /users/{user}/following", http.StatusOK, a.following, "limit", "cursor")
	a.route("GET /users/{user}/followers", http.StatusOK, a.followers, "limit", "cursor")
	a.route("GET /users/{user}/counts", http.StatusOK, a.userCounts)

	a.route("POST /users/{user}/activities", http.StatusCreated, a.publish)
	a.route("GET /users/{user}/activities", http.StatusOK, a.outbox, "limit", "cursor")
	a.route("DELETE /users/{user}/activities", http.StatusOK, a.removeForeign, "foreignId")
	a.route("GET /users/{user}/activities/{id}", http.StatusOK, a.getActivity)
	a.route("PUT /users/{user}/activities/{id}", http.StatusOK, a.editActivity)
	a.route("DELETE /users/{user}/activities/{id}", http.StatusOK, a.removeActivity)
	a.route("GET /users/{user}/home", http.StatusOK, a.home, "limit", "cursor")
	a.route("GET /users/{user}/grouped", http.StatusOK, a.homeGrouped, "limit", "cursor")
	a.route("GET /users/{user}/pulled", http.StatusOK, a.mode)
	a.route("PUT /users/{user}/pulled", http.StatusOK, a.pull)
	a.route("DELETE /users/{user}/pulled", http.StatusOK, a.push)

	a.route("POST /objects/{object}/comments", http.StatusCreated, a.addComment)
	a.route("GET /objects/{object}/comments", http.StatusOK, a.flow, "order", "limit", "cursor")
	a.route("GET /objects/{object}/threads", http.StatusOK, a.threads, "order", "limit", "cursor")
	a.route("GET /objects/{object}/top", http.StatusOK, a.top, "limit", "cursor")
	a.route("GET /objects/{object}/comments/{root}/replies", http.StatusOK, a.replies, "order", "limit", "cursor")
	a.route("GET /users/{user}/comments", http.StatusOK, a.commentsBy, "limit", "cursor")
	a.route("GET /objects/{object}/comments/{id}", http.StatusOK, a.getComment, "root")
	a.route("PUT /objects/{object}/comments/{id}", http.StatusOK, a.editComment, "root")
	a.route("DELETE /objects/{object}/comments/{id}", http.StatusOK, a.deleteComment, "root", "user")

	a.route("PUT /objects/{object}/comments/{id}/hidden", http.StatusOK, a.hide, "root")
	a.route("DELETE /objects/{object}/comments/{id}/hidden", http.StatusOK, a.unhide, "root")
	a.route("POST /objects/{object}/comments/{id}/removal", http.StatusOK, a.removeComment, "root")
	a.route("PUT /objects/{object}/comments/{id}/pinned", http.StatusOK, a.pin)
	a.route("DELETE /objects/{object}/comments/{id}/pinned", http.StatusOK, a.unpin)

	a.route("PUT /objects/{object}/reactions/{kind}/{user}", http.StatusOK, a.react)
	a.route("DELETE /objects/{object}/reactions/{kind}/{user}", http.StatusOK, a.unreact)
	a.route("GET /objects/{object}/reactions", http.StatusOK, a.reactionsTo, "kind", "limit", "cursor")
	a.route("GET /users/{user}/reactions", http.StatusOK, a.reactionsBy, "kind", "limit", "cursor")
	a.route("GET /users/{user}/reacted", http.StatusOK, a.reactedTo, "object") // up to 100 times
	a.route("GET /objects/{object}/counts", http.StatusOK, a.objectCounts)

	a.route("GET /users/{user}/bell", http.StatusOK, a.unseen)
	a.route("GET /users/{user}/notifications", http.StatusOK, a.notifications, "limit", "cursor")
	a.route("GET /users/{user}/notifications/archived", http.StatusOK, a.archived, "limit", "cursor")
	a.route("GET /users/{user}/notifications/snoozed", http.StatusOK, a.snoozed, "limit", "cursor")
	a.route("PUT /users/{user}/notifications/seen", http.StatusOK, a.markSeen)
	a.route("PUT /users/{user}/notifications/allread", http.StatusOK, a.markAllRead)
	a.route("PUT /users/{user}/notifications/read", http.StatusOK, a.markRead)
	a.route("DELETE /users/{user}/notifications/groups/{group}/read", http.StatusOK, a.markUnread)
	a.route("PUT /users/{user}/notifications/groups/{group}/archived", http.StatusOK, a.archive)
	a.route("DELETE /users/{user}/notifications/groups/{group}/archived", http.StatusOK, a.unarchive)
	a.route("PUT /users/{user}/notifications/groups/{group}/snoozed", http.StatusOK, a.snooze)
	a.route("DELETE /users/{user}/notifications/groups/{group}/snoozed", http.StatusOK, a.unsnooze)
	a.route("DELETE /users/{user}/notifications/announcements/{id}", http.StatusOK, a.dismiss)

	a.route("POST /announcements", http.StatusCreated, a.announce)
	a.route("GET /announcements", http.StatusOK, a.announced, "limit", "cursor")
	a.route("DELETE /announcements/{id}", http.StatusOK, a.withdraw)

	a.route("GET /users/{user}/settings", http.StatusOK, a.settings)
	a.route("PUT /users/{user}/settings", http.StatusOK, a.set)
	a.route("DELETE /users/{user}/settings", http.StatusOK, a.unset, "verb", "channel")
	a.route("GET /users/{user}/blocked", http.StatusOK, a.blocks, "limit", "cursor")
	a.route("PUT /users/{user}/blocked/{other}", http.StatusOK, a.block)
	a.route("DELETE /users/{user}/blocked/{other}", http.StatusOK, a.unblock)
	a.route("GET /users/{user}/muted", http.StatusOK, a.mutes, "limit", "cursor")
	a.route("PUT /users/{user}/muted/{object}", http.StatusOK, a.mute)
	a.route("DELETE /users/{user}/muted/{object}", http.StatusOK, a.unmute)

	a.route("GET /users/{user}/inbox", http.StatusOK, a.inbox, "limit", "cursor")
	a.route("GET /users/{user}/inbox/unread", http.StatusOK, a.unread)
	a.route("GET /users/{user}/pairs/{other}", http.StatusOK, a.pairWith)
	a.route("PUT /users/{user}/groups/{group}", http.StatusOK, a.createGroup)
	a.route("GET /users/{user}/conversations/{conversation}/messages", http.StatusOK, a.history, "limit", "cursor")
	a.route("POST /users/{user}/conversations/{conversation}/messages", http.StatusCreated, a.sendMessage)
	a.route("DELETE /users/{user}/conversations/{conversation}/messages", http.StatusOK, a.clear)
	a.route("PUT /users/{user}/conversations/{conversation}/messages/{seq}", http.StatusOK, a.editMessage)
	a.route("DELETE /users/{user}/conversations/{conversation}/messages/{seq}", http.StatusOK, a.recallMessage)
	a.route("GET /users/{user}/conversations/{conversation}/read", http.StatusOK, a.receipts)
	a.route("PUT /users/{user}/conversations/{conversation}/read", http.StatusOK, a.readTo)
	a.route("GET /users/{user}/conversations/{conversation}/members", http.StatusOK, a.members)
	a.route("PUT /users/{user}/conversations/{conversation}/members/{other}", http.StatusOK, a.addMember)
	a.route("DELETE /users/{user}/conversations/{conversation}/members", http.StatusOK, a.leave)

	a.route("PUT /leaderboard/{board}/scores/{player}", http.StatusOK, a.submitScore)
	a.route("DELETE /leaderboard/{board}/scores/{player}", http.StatusOK, a.removeScore, "period")
	a.route("GET /leaderboard/{board}/players/{player}", http.StatusOK, a.place, "period")
	a.route("GET /leaderboard/{board}", http.StatusOK, a.standings, "period", "limit", "cursor", "around", "n", "friends")

	a.mux.HandleFunc("GET /openapi.yaml", describe)
}

// describe answers with the description of all these requests in OpenAPI 3.1.
func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(description) // fails if the client is gone
}
