package art

import "math"

// sky is the light of a picture: what is above, and the colors of what is far and near.
type sky struct {
	hour      hour
	colors    []color // top to horizon
	sun       color   // or moon
	far, near color
}

// hour is the time of day of a picture, which its title names too.
type hour string

const (
	dawn  hour = "dawn"
	day   hour = "day"
	dusk  hour = "dusk"
	night hour = "night"
)

func newSky(h hour, sun, far, near string, colors ...string) sky {
	s := sky{hour: h, sun: hex(sun), far: hex(far), near: hex(near)}
	for _, c := range colors {
		s.colors = append(s.colors, hex(c))
	}
	return s
}

// skies are the lights that a tag suits; any other tag has no sky.
func skies(tag string) []sky {
	rose := newSky(dawn, "#fff1d6", "#cf9597", "#2a2342", "#3b3a6d", "#8a6696", "#e8a18c", "#fbdcb4")
	golden := newSky(dusk, "#fff0c9", "#bd7472", "#1d1b31", "#2a3a5c", "#7a6586", "#e08b67", "#f8cb78")
	noon := newSky(day, "#ffffff", "#a3cad8", "#173f58", "#3a86b5", "#86c5da", "#dff2f3")
	mint := newSky(dawn, "#fffbe6", "#a9d3bd", "#1d4638", "#7fbfd6", "#b9e0dc", "#f6f8e6")
	blue := newSky(night, "#f2f4e6", "#47678e", "#060f1e", "#040a22", "#0c2748", "#1d4370", "#8facc8")
	lavender := newSky(dawn, "#fff6ea", "#b79cc2", "#33235a", "#5c4d92", "#a48dbd", "#e6c8d3", "#fdf0e4")
	ember := newSky(dusk, "#ffe9b0", "#96404a", "#170a14", "#230f2b", "#6b2140", "#c4473f", "#f29a55", "#ffdf9b")
	mist := newSky(day, "#ffffff", "#bcc9cc", "#32475a", "#aebfc8", "#d0dbdd", "#f3efe6")
	teal := newSky(dusk, "#fff4d2", "#6aa79c", "#0a2733", "#0c4351", "#2d7d83", "#8cc4b0", "#f7e8c4")
	peach := newSky(dusk, "#fff8e6", "#e6a486", "#552a40", "#e98a6d", "#f4ab80", "#fbd3a8", "#fff1da")
	winter := newSky(day, "#ffffff", "#94bbdc", "#1c3450", "#2f5a8a", "#699fc4", "#aed2ee", "#eef3f3")
	violet := newSky(night, "#f6efff", "#5f4a92", "#0d0422", "#120330", "#2b0b55", "#4a2380", "#9a7bc0")
	steel := newSky(dusk, "#ffe3c2", "#7d7f99", "#14182b", "#1c2440", "#4a4a75", "#a8768a", "#f0b08c")
	sand := newSky(day, "#fffdf0", "#e3b27c", "#7a3f24", "#5aa2bd", "#a9cfce", "#f6e7c8")
	copper := newSky(dusk, "#fff0c4", "#d88a5a", "#4a1d20", "#4c3a63", "#b0606a", "#ee9a62", "#fcd694")
	cold := newSky(night, "#eef6f8", "#3d7a85", "#04161d", "#02121f", "#07303f", "#135463", "#6fb3ac")
	switch tag {
	case "sea":
		return []sky{rose, golden, noon, mint, blue, lavender, teal, peach, winter, steel, ember}
	case "mountains":
		return []sky{rose, golden, noon, blue, lavender, ember, mist, teal, peach, winter, violet}
	case "forest":
		return []sky{rose, mint, mist, teal, winter, golden, cold, lavender, noon}
	case "city":
		return []sky{golden, steel, blue, violet, ember, rose, teal, steel, blue}
	case "desert":
		return []sky{sand, copper, golden, rose, violet, peach, sand, copper}
	case "night":
		return []sky{blue, violet, cold, blue, cold}
	}
	return nil
}

// skyOf is the light of a picture; the zero sky for tags without one.
func skyOf(id, tag string) sky {
	all := skies(known(id, tag))
	if len(all) == 0 {
		return sky{}
	}
	return all[random("sky", id).IntN(len(all))]
}

// horizon is the color of the lowest sky, and of mist.
func (s sky) horizon() color { return s.colors[len(s.colors)-1] }

// layer is the color of the i-th of n layers, from far to near.
func (s sky) layer(i, n int) color { return mix(s.far, s.near, float64(i)/float64(max(n-1, 1))) }

// above fills the picture's top with the sky.
func (c *canvas) above(s sky, height float64) {
	c.rect(0, 0, c.w, height+2, c.down(even(s.colors...)...))
	if s.hour == night {
		c.stars(int(c.w*height/4500), height)
	}
}

// light draws the sun or the moon with its glow.
func (c *canvas) light(s sky, x, y, r float64) {
	reach := r * c.between(4.5, 7)
	strength := 0.55
	if s.hour == night {
		strength = 0.3
	}
	c.circle(x, y, reach, c.glow(stop{0, strength, s.sun}, stop{0.35, strength * 0.4, s.sun}, stop{1, 0, s.sun}))
	c.circle(x, y, r, s.sun.String())
	if s.hour == night {
		for range 4 { // what the moon has of seas
			d, a := c.between(0, 0.55)*r, c.between(0, 2*math.Pi)
			c.add(`<circle cx="`, x+d*math.Cos(a), `" cy="`, y+d*math.Sin(a), `" r="`, r*c.between(0.1, 0.26), `" fill="`, s.sun.lighter(-0.1), `" fill-opacity="0.5"/>`)
		}
	}
}

// stars spreads n stars over the top of the picture, fewer towards the horizon.
func (c *canvas) stars(n int, height float64) {
	var small, middle path
	for range n {
		x, y := c.between(0, c.w), height*math.Pow(c.Float64(), 1.4)
		switch {
		case c.chance(0.06):
			c.add(`<circle cx="`, x, `" cy="`, y, `" r="`, c.between(1.1, 1.7), `" fill="#fff" fill-opacity="`, fraction(c.between(0.7, 1)), `"/>`)
		case c.chance(0.3):
			middle.move(x, y).to("h", 0)
		default:
			small.move(x, y).to("h", 0)
		}
	}
	white := hex("#ffffff")
	c.stroke(&small, white, 0.9, 0.55)
	c.stroke(&middle, white, 1.5, 0.75)
}

// clouds draws a few flat clouds between two heights.
func (c *canvas) clouds(s sky, n int, top, bottom float64) {
	for range n {
		x, y, w := c.between(-60, c.w), c.between(top, bottom), c.between(110, 300)
		tint := mix(s.horizon(), s.sun, 0.5)
		if s.hour == night {
			tint = mix(s.horizon(), s.colors[1], 0.5)
		}
		h := w * c.between(0.05, 0.075)
		fill := c.across(stop{0, 0, tint}, stop{0.3, 0.5, tint}, stop{0.7, 0.5, tint}, stop{1, 0, tint})
		for k := range 3 + c.IntN(2) {
			long := w * c.between(0.45, 1) * (1 - 0.1*float64(k))
			c.add(`<rect x="`, x+(w-long)*c.Float64(), `" y="`, y+h*0.62*float64(k), `" width="`, long, `" height="`, h, `" rx="`, h/2, `" fill="`, fill, `"/>`)
		}
	}
}

// birds draws a small flock.
func (c *canvas) birds(col color, x, y float64) {
	var p path
	for range 3 + c.IntN(5) {
		bx, by, r := x+c.between(-60, 60), y+c.between(-26, 26), c.between(3.5, 8)
		p.move(bx-r, by-r*0.35).bend(bx-r*0.4, by-r*0.6, bx, by).bend(bx+r*0.4, by-r*0.6, bx+r, by-r*0.35)
	}
	c.stroke(&p, col, 1.4, 0.75)
}
