package videos

import (
	"bytes"
	"embed"
	"html"
	"io/fs"
	"net/http"
	"path"
	"time"
)

//go:embed static
var static embed.FS

// routes lists the requests, with the parameters that a query may have. A list has at
// most size danmu, 25 by default and 100 at most. The answer for an unknown {id} is 404.
func (s *Service) routes() {
	// For the clients from before Plaza.
	s.route("POST /danmu/send", s.send)
	s.route("GET /danmu/queryByTime/{id}", s.queryByTime, "playingTime", "size")
	s.route("GET /danmu/pull/{id}", s.pull, "cursor", "size")

	// For the page.
	s.route("GET /videos", s.list)
	s.route("GET /videos/{id}", s.describe)
	s.route("GET /videos/{id}/segments/{n}", s.segment, "cap", "sample", "merge", "without", "fresh")
	s.route("GET /videos/{id}/heat", s.heat, "buckets")
	s.route("DELETE /videos/{id}/danmu/{danmu}", s.recall, "user")
	s.route("PUT /videos/{id}/danmu/{danmu}/like", s.like, "user")
	s.route("DELETE /videos/{id}/danmu/{danmu}/like", s.unlike, "user")
	s.route("PUT /videos/{id}/danmu/{danmu}/report", s.report, "user")
	s.route("GET /videos/{id}/segments/{n}/reactions", s.reactionsOf, "user")
	s.route("GET /users/{user}/danmu", s.mine, "cursor", "size")
	s.mux.HandleFunc("GET /videos/{id}/live", s.watch)

	// For other players: ArtPlayer, and DPlayer, whose danmaku.api is this server's address.
	s.mux.HandleFunc("GET /videos/{id}/danmu/{format}", s.file)
	s.mux.HandleFunc("GET /v3/{$}", s.dplayer)
	s.route("POST /v3/{$}", s.dplayerSend)

	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // static is embedded
	}
	s.mux.Handle("GET /", page(http.FileServerFS(files)))
	s.mux.Handle("GET /{$}", page(index(files, s.opts.Script)))
	s.mux.Handle("GET /artplayer.html", artplayer(files))
}

// policy lets a page load only from this server.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// index serves index.html, with another module before its own if there is one.
func index(files fs.FS, script string) http.Handler {
	text, err := fs.ReadFile(files, "index.html")
	if err != nil {
		panic(err) // it is embedded
	}
	if script != "" {
		const own = `<script type="module"`
		added := own + ` src="` + html.EscapeString(script) + `"></script>` + "\n"
		text = bytes.Replace(text, []byte(own), []byte(added+own), 1)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "index.html", time.Time{}, bytes.NewReader(text))
	})
}

func page(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy+"; require-trusted-types-for 'script'")
		if path.Ext(r.URL.Path) == ".webm" { // some systems take it for audio
			w.Header().Set("Content-Type", "video/webm")
		}
		files.ServeHTTP(w, r)
	})
}
