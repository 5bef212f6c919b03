// Package browsertest opens pages of the examples in a Chromium without a screen.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long a page may take.
const patience = 20 * time.Second

// Browser is a running Chromium.
type Browser struct {
	ctx  context.Context //nolint:containedctx // chromedp has its browser in it
	left chan opened     // windows whose tests have ended
}

// New starts a browser. Without one the test is skipped, except in CI.
func New(t *testing.T) Browser {
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
	tmp, err := os.MkdirTemp("", "chromium") //nolint:usetesting // a socket's path is short: up to 108 bytes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(tmp) }) // what a browser leaves that is killed
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Env("TMPDIR="+tmp),
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"), // other sites, which also run here
		chromedp.Flag("disable-back-forward-cache", true))            // a page that a window has left runs no more
	if os.Geteuid() == 0 || os.Getenv("CI") != "" { // where the sandbox does not work; all pages are ours
		opts = append(opts, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return Browser{ctx, make(chan opened, 100)}
}

// Window is a window of a person of its own: it shares no storage with others.
type Window struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp has its window in it
}

// Window opens an empty window. Anything that a page writes to the console as a
// warning or an error fails the test, unless it contains a tolerated text.
func (b Browser) Window(t *testing.T, tolerated ...string) Window {
	t.Helper()
	w := Window{t, b.window(t)}
	w.watch(tolerated)
	return w
}

// Tab opens another tab of the same person: it shares the storage of w.
func (w Window) Tab(t *testing.T, tolerated ...string) Window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(w.ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	tab := Window{t, ctx}
	tab.watch(tolerated)
	return tab
}

// Of returns the window for the use of another test, such as a subtest.
func (w Window) Of(t *testing.T) Window {
	t.Helper()
	return Window{t, w.ctx}
}

// watch fails the test if the page writes a warning or an error to the console.
func (w Window) watch(tolerated []string) {
	t := w.t
	t.Helper()
	w.Size(1280, 860)
	ctx, stop := context.WithCancel(w.ctx)
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
	t.Cleanup(stop)
}

// opened is a window of chromedp.
type opened struct {
	ctx   context.Context //nolint:containedctx // chromedp has its window in it
	close context.CancelFunc
}

// window returns one that another test has left, except in CI: a new one costs more
// than most tests. Its storage is that of other origins, since each test has a server.
func (b Browser) window(t *testing.T) context.Context {
	var w opened
	select {
	case w = <-b.left:
	default:
		w.ctx, w.close = chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
		require.NoError(t, chromedp.Do(w.ctx))
		go w.leave()
	}
	t.Cleanup(func() {
		if os.Getenv("CI") != "" || w.empty() != nil {
			w.close()
			return
		}
		b.left <- w
	})
	return w.ctx
}

// leave confirms that pages may be left, if they ask, until the window closes.
func (w opened) leave() {
	for dialog, err := range chromedp.Events(w.ctx, page.JavascriptDialogOpening) {
		if err != nil {
			return
		}
		if dialog.Type == page.DialogTypeBeforeunload {
			_, _ = chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
				return cdp.Call(ctx, t, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			})
		}
	}
}

// empty leaves the page, and resets the media features that Dark and Calm set.
func (w opened) empty() error {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	})
	return errors.Join(err, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
}

// Open loads a page.
func (w Window) Open(url string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	require.NoError(w.t, chromedp.Do(ctx, chromedp.Navigate(url)), url)
}

// OpenAfter loads a page that runs a script before its own ones.
func (w Window) OpenAfter(script, url string) {
	w.t.Helper()
	added, err := chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		return cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	})
	require.NoError(w.t, err)
	w.Open(url)
	_, err = chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(added))
	})
	require.NoError(w.t, err)
}

// Size changes the size of the page, in pixels.
func (w Window) Size(width, height int64) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, chromedp.EmulateViewport(width, height)))
}

// Dark makes the page believe that its reader prefers dark colours.
func (w Window) Dark() {
	w.t.Helper()
	w.prefer("prefers-color-scheme", "dark")
}

// Calm makes the page believe that its reader prefers less motion.
func (w Window) Calm() {
	w.t.Helper()
	w.prefer("prefers-reduced-motion", "reduce")
}

func (w Window) prefer(feature, value string) {
	w.t.Helper()
	_, err := chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
	})
	require.NoError(w.t, err)
}

// Eval runs a script and waits for its promise.
func Eval[T any](w Window, script string) T {
	w.t.Helper()
	value, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	require.NoError(w.t, err, script)
	return value
}

// Do runs a script for its effects.
func (w Window) Do(script string) {
	w.t.Helper()
	Eval[bool](w, script+"; true")
}

// Until waits for an expression, or its promise, to be true. One that throws is not true yet.
func (w Window) Until(expression string) {
	w.t.Helper()
	attempt := fmt.Sprintf(`(async () => { try { return await (%s); } catch { return false; } })()`, expression)
	_, err := chromedp.Run(w.ctx, chromedp.Poll[any](attempt, chromedp.WithPollingTimeout(patience)))
	require.NoError(w.t, err, expression)
}

// Visible waits for an element of a CSS selector, also while another page is loaded.
func (w Window) Visible(selector string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	require.NoError(w.t, chromedp.Do(ctx, chromedp.WaitVisible(chromedp.CSS(selector))), selector)
}

// Click clicks the first element of a CSS selector, once it is visible. It begins again if
// the page replaces the element before it is clicked.
func (w Window) Click(selector string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector)))
	for isGone(err) && ctx.Err() == nil {
		err = chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector)))
	}
	require.NoError(w.t, err, selector)
}

// isGone reports whether an element was found and is no longer in the page, or not seen in it.
func isGone(err error) bool {
	var refused *cdproto.Error
	return errors.As(err, &refused) && slices.ContainsFunc([]string{
		"Could not find node", "Node is detached", "Node does not have a layout object", "Could not compute content quads",
	}, func(reason string) bool { return strings.HasPrefix(refused.Message, reason) })
}

// Type types a text, or the keys of chromedp's package kb.
func (w Window) Type(selector, text string) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, chromedp.SendKeys(chromedp.CSS(selector), text)))
}

// Press presses keys, such as those of chromedp's package kb, where the focus is.
func (w Window) Press(keys string) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, chromedp.KeyEvent(keys)))
}

// Choose changes an input or select, as a person does.
func (w Window) Choose(selector, value string) {
	w.t.Helper()
	w.Do(fmt.Sprintf(`{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); }`, selector, value))
}
