package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// open opens the bell of a user in a window of its own.
func open(t *testing.T, b browsertest.Browser, w world, user string, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	p.Open(w.URL + "/bell/?user=" + user)
	return p
}

func TestLook(t *testing.T) {
	w := newWorld(t)
	b := browsertest.New(t)
	p := open(t, b, w, "bob")
	for i := range 5 {
		w.send(t, "PUT", fmt.Sprintf("/objects/picture:bob:1/reactions/like/user%d", i), "")
	}
	w.send(t, "PUT", "/users/ann/following/bob", "")
	w.send(t, "POST", "/objects/picture:bob:1/comments", `{"user":"ann","text":"hello"}`)
	p.Until(`document.getElementById("badge").textContent === "3"`)
	p.Click("#bell")
	p.Until(`document.querySelectorAll("#rows li").length === 3`)
	p.Until(`document.getElementById("badge").textContent === ""`)
	shot(t, p, "look")
}

func shot(t *testing.T, p browsertest.Window, name string) {
	png, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("SHOTS"), name+".png"), png, 0o600))
}
