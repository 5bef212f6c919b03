package art

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// canvas collects an SVG. Later drawings lie above earlier ones.
type canvas struct {
	*rand.Rand
	w, h float64

	defs, body []byte
	gradients  int
}

// stop is a color of a gradient, at a fraction of its length.
type stop struct {
	at, opacity float64
	color       color
}

func solid(at float64, c color) stop { return stop{at, 1, c} }

// even spreads colors over a gradient.
func even(cs ...color) []stop {
	stops := make([]stop, len(cs))
	for i, c := range cs {
		stops[i] = solid(float64(i)/float64(len(cs)-1), c)
	}
	return stops
}

func (c *canvas) bytes() []byte {
	out := append([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `), num(c.w)+" "+num(c.h)...)
	out = append(out, `" width="`+num(c.w)+`" height="`+num(c.h)+`">`...)
	if len(c.defs) > 0 {
		out = append(append(append(out, "<defs>"...), c.defs...), "</defs>"...)
	}
	return append(append(out, c.body...), "</svg>"...)
}

// add writes an element's text; numbers have one digit after the point.
func (c *canvas) add(parts ...any) { c.body = join(c.body, parts...) }

func (c *canvas) define(parts ...any) { c.defs = join(c.defs, parts...) }

func join(out []byte, parts ...any) []byte {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p...)
		case float64:
			out = append(out, num(p)...)
		case int:
			out = strconv.AppendInt(out, int64(p), 10)
		case color:
			out = append(out, p.String()...)
		case *path:
			out = append(out, p.d...)
		}
	}
	return out
}

// num writes one digit after the point, and none where it is 0.
func num(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// fraction writes three digits after the point.
func fraction(v float64) string {
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
}

// down is a gradient from the top of what it fills to the bottom.
func (c *canvas) down(stops ...stop) string { return c.gradient(`x2="0" y2="1"`, stops) }

// across is a gradient from the left of what it fills to the right.
func (c *canvas) across(stops ...stop) string { return c.gradient("", stops) }

// tilted goes from one corner to the other.
func (c *canvas) tilted(stops ...stop) string { return c.gradient(`x2="1" y2="1"`, stops) }

func (c *canvas) gradient(direction string, stops []stop) string {
	c.gradients++
	name := "g" + strconv.Itoa(c.gradients)
	c.define(`<linearGradient id="`, name, `" `, direction, ">")
	c.stops(stops)
	c.define("</linearGradient>")
	return "url(#" + name + ")"
}

// glow is a gradient from the middle of what it fills.
func (c *canvas) glow(stops ...stop) string {
	c.gradients++
	name := "g" + strconv.Itoa(c.gradients)
	c.define(`<radialGradient id="`, name, `">`)
	c.stops(stops)
	c.define("</radialGradient>")
	return "url(#" + name + ")"
}

func (c *canvas) stops(stops []stop) {
	for _, s := range stops {
		c.define(`<stop offset="`, fraction(s.at), `" stop-color="`, s.color, `"`)
		if s.opacity < 1 {
			c.define(` stop-opacity="`, fraction(s.opacity), `"`)
		}
		c.define("/>")
	}
}

func (c *canvas) rect(x, y, w, h float64, fill string) {
	c.add(`<rect x="`, x, `" y="`, y, `" width="`, w, `" height="`, h, `" fill="`, fill, `"/>`)
}

func (c *canvas) circle(x, y, r float64, fill string) { c.ellipse(x, y, r, r, fill) }

func (c *canvas) ellipse(x, y, rx, ry float64, fill string) {
	if rx == ry {
		c.add(`<circle cx="`, x, `" cy="`, y, `" r="`, rx, `" fill="`, fill, `"/>`)
		return
	}
	c.add(`<ellipse cx="`, x, `" cy="`, y, `" rx="`, rx, `" ry="`, ry, `" fill="`, fill, `"/>`)
}

func (c *canvas) fill(p *path, fill string) { c.add(`<path d="`, p, `" fill="`, fill, `"/>`) }

func (c *canvas) stroke(p *path, col color, width, opacity float64) {
	c.add(`<path d="`, p, `" fill="none" stroke="`, col, `" stroke-width="`, width, `" stroke-opacity="`, fraction(opacity), `" stroke-linecap="round"/>`)
}

// group begins a group; end ends it.
func (c *canvas) group(attributes string) { c.add("<g ", attributes, ">") }

func (c *canvas) end() { c.add("</g>") }

// between is a random number from low to high.
func (c *canvas) between(low, high float64) float64 { return low + (high-low)*c.Float64() }

// chance is true with a probability.
func (c *canvas) chance(p float64) bool { return c.Float64() < p }

func pick[T any](c *canvas, of []T) T { return of[c.IntN(len(of))] }

// path is the text of an SVG path.
type path struct{ d []byte }

func (p *path) move(x, y float64) *path { return p.to("M", x, y) }
func (p *path) line(x, y float64) *path { return p.to("L", x, y) }
func (p *path) close()                  { p.d = append(p.d, 'Z') }

func (p *path) curve(x1, y1, x2, y2, x, y float64) *path { return p.to("C", x1, y1, x2, y2, x, y) }
func (p *path) bend(x1, y1, x, y float64) *path          { return p.to("Q", x1, y1, x, y) }

func (p *path) arc(r, x, y float64, clockwise bool) *path {
	sweep := 0.0
	if clockwise {
		sweep = 1
	}
	return p.to("A", r, r, 0, 0, sweep, x, y)
}

func (p *path) to(command string, numbers ...float64) *path {
	p.d = append(p.d, command...)
	for i, n := range numbers {
		if i > 0 {
			p.d = append(p.d, ' ')
		}
		p.d = append(p.d, num(n)...)
	}
	return p
}

// smooth draws a curve through all points, which begins where the path is.
func (p *path) smooth(xs, ys []float64) *path {
	for i := 1; i < len(xs); i++ {
		before, after := max(i-2, 0), min(i+1, len(xs)-1)
		p.curve(
			xs[i-1]+(xs[i]-xs[before])/6, ys[i-1]+(ys[i]-ys[before])/6,
			xs[i]-(xs[after]-xs[i-1])/6, ys[i]-(ys[after]-ys[i-1])/6, xs[i], ys[i])
	}
	return p
}
