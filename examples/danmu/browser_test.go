package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is a Chromium without a screen.
type browser struct{ ctx context.Context }

// newBrowser starts a browser. Without one the test is skipped, except in CI.
func newBrowser(t *testing.T) browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		require.Empty(t, os.Getenv("CI"), "no Chromium")
		t.Skip("no Chromium: apt-get install chromium, or the like")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1")) // other sites, which also run here
	if os.Geteuid() == 0 || os.Getenv("CI") != "" { // where the sandbox does not work; all pages are ours
		opts = append(opts, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return browser{ctx}
}

// window is the open page of a viewer.
type window struct {
	t   *testing.T
	ctx context.Context
}

// open opens the page in a window, as a new viewer. Anything that the page writes to
// the console fails the test, unless it is tolerated.
func (b browser) open(t *testing.T, w world, tolerated ...string) window {
	t.Helper()
	p := b.window(t, tolerated...)
	require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate(w.url)))
	p.until(`window.danmu && document.getElementById("present").textContent`)
	return p
}

// window opens an empty window.
func (b browser) window(t *testing.T, tolerated ...string) window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := window{t, ctx}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 860)))
	console := chromedp.Console(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		for message, err := range console {
			if err != nil {
				return
			}
			expected := slices.ContainsFunc(tolerated, func(part string) bool { return strings.Contains(message.Text, part) })
			if message.Type != chromedp.ConsoleLog && !expected {
				t.Errorf("console: %s %s %s:%d", message.Type, message.Text, message.URL, message.Line)
			}
		}
	})
	t.Cleanup(listening.Wait)
	t.Cleanup(cancel)
	return p
}

// eval runs a script and waits for its promise.
func eval[T any](p window, script string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, script)
	return value
}

// do runs a script for its effects.
func (p window) do(script string) {
	p.t.Helper()
	eval[bool](p, script+"; true")
}

// until waits for an expression to be true.
func (p window) until(expression string) {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Poll[any](expression, chromedp.WithPollingTimeout(20*time.Second)))
	require.NoError(p.t, err, expression)
}

// count returns an expression for the number of danmu with a text on the screen.
func count(text string) string {
	return fmt.Sprintf(`window.danmu.onScreen().filter((box) => box.text === %q).length`, text)
}

// flies waits until a text has moved over the stage.
func (p window) flies(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`(() => {
		const places = (window.places ??= {}), before = places[%[1]q];
		places[%[1]q] = window.danmu.onScreen().find((box) => box.text === %[1]q)?.left;
		return places[%[1]q] < before;
	})()`, text))
}

func (p window) click(selector string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(selector))))
}

func (p window) write(selector, text string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.SendKeys(chromedp.CSS(selector), text)))
}

// choose changes an input or select, as a viewer does.
func (p window) choose(selector, value string) {
	p.t.Helper()
	p.do(fmt.Sprintf(`{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("input")); }`, selector, value))
}

func (p window) seek(seconds float64) {
	p.t.Helper()
	p.do(fmt.Sprintf(`window.danmu.seek(%g)`, seconds))
	p.until(`!window.danmu.medium.seeking`)
}

// frames waits for n frames, and calls each after every one.
func frames(n int, each string) string {
	return fmt.Sprintf(`new Promise((done) => {
		let n = %d;
		const frame = () => { %s; if (--n) requestAnimationFrame(frame); else done(true); };
		requestAnimationFrame(frame);
	})`, n, each)
}
