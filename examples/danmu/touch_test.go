package main

import (
	"fmt"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// place is a danmu on the screen, with a point of the page that is on it.
type place struct {
	ID      danmu.ID
	Text    string
	Left, X float64
	Top, Y  float64
}

// spot waits for a danmu that fits a condition on its box.
func spot(p browsertest.Window, condition string) place {
	find := fmt.Sprintf(`(() => {
		const { left, top } = document.getElementById("stage").getBoundingClientRect();
		const box = window.danmu.onScreen().find((box) => %s);
		return box && { ID: box.id, Text: box.text, Left: box.left, Top: box.top, X: left + Math.max(box.left, 0) + 12, Y: top + box.top + box.height / 2 };
	})()`, condition)
	p.Until(find)
	return browsertest.Eval[place](p, find)
}
