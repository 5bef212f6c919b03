package main

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/art"
)

// policy lets the page load only from this server.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// drawingPolicy lets a drawing that is opened by itself have styles, and nothing else.
const drawingPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'; sandbox"

// protect sets the headers of every answer, as OWASP's cheat sheet on HTTP headers advises.
func protect(h http.Header) {
	guard.Protect(h)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	h.Set("X-Frame-Options", "DENY")
}

// page serves the files of the page, and the page itself at its own addresses, which are
// made in the browser.
func page(files fs.FS) http.Handler {
	server := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-cache")
		if path.Ext(r.URL.Path) == "" || strings.HasPrefix(r.URL.Path, "/pins/") || strings.HasPrefix(r.URL.Path, "/boards/") {
			http.ServeFileFS(w, r, files, "index.html")
			return
		}
		server.ServeHTTP(w, r)
	})
}

func picture(w http.ResponseWriter, r *http.Request) {
	isPicture := func(id string) bool { _, err := parsePicture(id); return err == nil }
	drawing(w, r, isPicture, func(id string) []byte { return art.Picture(id, art.TagOf(id)) })
}

func avatar(w http.ResponseWriter, r *http.Request) { drawing(w, r, isPlain, art.Avatar) }

// drawing serves a drawing, which follows from its id and so never changes.
func drawing(w http.ResponseWriter, r *http.Request, valid func(id string) bool, draw func(id string) []byte) {
	id, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	if !ok || !valid(id) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", drawingPolicy)
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(draw(id)) // fails if the client is gone
}
