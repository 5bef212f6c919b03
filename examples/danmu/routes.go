package main

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed static
var static embed.FS

// routes lists the requests, with the parameters that a query may have. A list has at
// most size danmu, 25 by default and 100 at most. The answer for an unknown {id} is 404.
func (a *api) routes() {
	// For the clients from before Plaza.
	a.route("POST /danmu/send", a.send)
	a.route("GET /danmu/queryByTime/{id}", a.queryByTime, "playingTime", "size")
	a.route("GET /danmu/pull/{id}", a.pull, "cursor", "size")

	// For the page.
	a.route("GET /videos/{id}", a.describe)
	a.route("GET /videos/{id}/segments/{n}", a.segment, "cap", "sample", "merge", "without", "fresh")
	a.route("GET /videos/{id}/heat", a.heat, "buckets")
	a.route("DELETE /videos/{id}/danmu/{danmu}", a.recall, "user")
	a.route("PUT /videos/{id}/danmu/{danmu}/like", a.like, "user")
	a.route("DELETE /videos/{id}/danmu/{danmu}/like", a.unlike, "user")
	a.route("PUT /videos/{id}/danmu/{danmu}/report", a.report, "user")
	a.route("GET /videos/{id}/segments/{n}/reactions", a.reactionsOf, "user")
	a.route("GET /users/{user}/danmu", a.mine, "cursor", "size")
	a.mux.HandleFunc("GET /videos/{id}/live", a.watch)

	// For other players: ArtPlayer, and DPlayer, whose danmaku.api is this server's address.
	a.mux.HandleFunc("GET /videos/{id}/danmu/{format}", a.file)
	a.mux.HandleFunc("GET /v3/{$}", a.dplayer)
	a.route("POST /v3/{$}", a.dplayerSend)

	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // static is embedded
	}
	a.mux.Handle("GET /", page(http.FileServerFS(files)))
	a.mux.Handle("GET /artplayer.html", artplayer(files))
}

// policy lets a page load only from this server.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func page(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		files.ServeHTTP(w, r)
	})
}
