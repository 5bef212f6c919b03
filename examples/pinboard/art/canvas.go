package art

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// canvas collects an SVG. Later drawings lie above earlier ones.
type canvas struct {
	*rand.Rand
	w, h       float64
	defs, body strings.Builder
	gradients  int
}

func (c *canvas) bytes() []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g"><defs>%[3]s</defs>%[4]s</svg>`,
		c.w, c.h, &c.defs, &c.body)
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.body, format, args...) }

func (c *canvas) rect(y, w, h float64, fill any) {
	c.add(`<rect y="%.1f" width="%.1f" height="%.1f" fill="%v"/>`, y, w, h, fill)
}

func (c *canvas) circle(x, y, r float64, fill any) {
	c.add(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%v"/>`, x, y, r, fill)
}

func (c *canvas) fill(p *path, fill any) { c.add(`<path d="%s" fill="%v"/>`, p, fill) }

func (c *canvas) stroke(p *path, col color, width, opacity float64) {
	c.add(`<path d="%s" fill="none" stroke="%v" stroke-width="%.1f" stroke-opacity="%.2f" stroke-linecap="round"/>`, p, col, width, opacity)
}

// down is a gradient from top to bottom.
func (c *canvas) down(colors ...color) string {
	c.gradients++
	fmt.Fprintf(&c.defs, `<linearGradient id="g%d" x2="0" y2="1">`, c.gradients)
	for i, col := range colors {
		fmt.Fprintf(&c.defs, `<stop offset="%.2f" stop-color="%v"/>`, float64(i)/float64(len(colors)-1), col)
	}
	c.defs.WriteString("</linearGradient>")
	return fmt.Sprintf("url(#g%d)", c.gradients)
}

// glow is a color that fades from the middle.
func (c *canvas) glow(col color, opacity float64) string {
	c.gradients++
	fmt.Fprintf(&c.defs, `<radialGradient id="g%d"><stop offset="0" stop-color="%v" stop-opacity="%.2f"/><stop offset="1" stop-color="%v" stop-opacity="0"/></radialGradient>`,
		c.gradients, col, opacity, col)
	return fmt.Sprintf("url(#g%d)", c.gradients)
}

// between is a random number from low to high.
func (c *canvas) between(low, high float64) float64 { return low + (high-low)*c.Float64() }

// chance is true with a probability.
func (c *canvas) chance(p float64) bool { return c.Float64() < p }

func pick[T any](c *canvas, of []T) T { return of[c.IntN(len(of))] }

// waves is a random curve from about -1 to 1 that repeats nowhere near. The smaller the
// length, the more often it goes up and down.
func (c *canvas) waves(length float64) func(x float64) float64 {
	var phases [4]float64
	for i := range phases {
		phases[i] = c.between(0, 2*math.Pi)
	}
	return func(x float64) float64 {
		sum, amp, at := 0.0, 0.55, 2*math.Pi*x/length
		for _, phase := range phases {
			sum += amp * math.Sin(at+phase)
			at, amp = at*1.93, amp*0.5
		}
		return sum
	}
}

// color has red, green and blue from 0 to 255.
type color [3]float64

// hex reads "#rrggbb".
func hex(text string) (c color) {
	var r, g, b int
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &r, &g, &b); err != nil {
		panic(err) // only the palettes of this package come here
	}
	return color{float64(r), float64(g), float64(b)}
}

func palette(text string) (all []color) {
	for one := range strings.FieldsSeq(text) {
		all = append(all, hex(one))
	}
	return all
}

func (c color) String() string { return fmt.Sprintf("#%02x%02x%02x", int(c[0]), int(c[1]), int(c[2])) }

// mix is a where t is 0 and b where t is 1.
func mix(a, b color, t float64) (c color) {
	for i := range c {
		c[i] = a[i] + (b[i]-a[i])*t
	}
	return c
}

// path is the text of an SVG path.
type path struct{ strings.Builder }

// to adds a command, such as M or L, and its numbers.
func (p *path) to(command string, numbers ...float64) *path {
	p.WriteString(command)
	for _, n := range numbers {
		fmt.Fprintf(&p.Builder, "%g ", math.Round(n*10)/10)
	}
	return p
}
