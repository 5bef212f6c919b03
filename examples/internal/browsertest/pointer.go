package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Hover moves the mouse to a point of the page, in pixels.
func (w Window) Hover(x, y float64) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
}

// ClickAt clicks a point of the page.
func (w Window) ClickAt(x, y float64) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, chromedp.MouseClickXY(x, y)))
}

// Tap taps a point of the page with a finger. The window has a touch screen until Size.
func (w Window) Tap(x, y float64) {
	w.t.Helper()
	_, err := chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	})
	require.NoError(w.t, err)
	require.NoError(w.t, chromedp.Do(w.ctx, chromedp.TapXY(x, y)))
}
