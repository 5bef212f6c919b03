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
	pages(a, "GET /users/{user}/following", a.following)
	pages(a, "GET /users/{user}/followers", a.followers)
	a.route("GET /users/{user}/counts", http.StatusOK, a.userCounts)

	a.route("POST /users/{user}/activities", http.StatusCreated, a.publish)
	pages(a, "GET /users/{user}/activities", a.outbox)
	a.route("DELETE /users/{user}/activities", http.StatusOK, a.removeForeign, "foreignId")
	a.route("GET /users/{user}/activities/{id}", http.StatusOK, a.getActivity)
	a.route("PUT /users/{user}/activities/{id}", http.StatusOK, a.editActivity)
	a.route("DELETE /users/{user}/activities/{id}", http.StatusOK, a.removeActivity)
	pages(a, "GET /users/{user}/home", a.home)
	pages(a, "GET /users/{user}/grouped", a.homeGrouped)
	a.route("GET /users/{user}/pulled", http.StatusOK, a.mode)
	a.route("PUT /users/{user}/pulled", http.StatusOK, a.pull)
	a.route("DELETE /users/{user}/pulled", http.StatusOK, a.push)

	a.route("POST /objects/{object}/comments", http.StatusCreated, a.addComment)
	a.route("GET /objects/{object}/comments", http.StatusOK, a.flow, "order", "limit", "cursor")
	a.route("GET /objects/{object}/threads", http.StatusOK, a.threads, "order", "limit", "cursor")
	pages(a, "GET /objects/{object}/top", a.top)
	pages(a, "GET /objects/{object}/comments/{root}/replies", a.replies, "order")
	pages(a, "GET /users/{user}/comments", a.commentsBy)
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
	pages(a, "GET /objects/{object}/reactions", a.reactionsTo, "kind")
	pages(a, "GET /users/{user}/reactions", a.reactionsBy, "kind")
	a.route("GET /users/{user}/reacted", http.StatusOK, a.reactedTo, "object") // up to 100 times
	a.route("GET /objects/{object}/counts", http.StatusOK, a.objectCounts)

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
