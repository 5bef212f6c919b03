package art

// sky is the light of a picture: above, far and near.
type sky struct {
	hour           hour
	sun, far, near color   // the sun may be a moon
	colors         []color // top to horizon
}

// hour is the time of day of a picture, which its title names too.
type hour string

const (
	dawn  hour = "dawn"
	day   hour = "day"
	dusk  hour = "dusk"
	night hour = "night"
)

// skies have the sun, what is far, what is near, and the colors from the top to the
// horizon, by the time of day.
var skies = map[hour][]string{
	dawn: {
		"#fff1d6 #cf9597 #2a2342 #3b3a6d #8a6696 #e8a18c #fbdcb4",
		"#fffbe6 #a9d3bd #1d4638 #7fbfd6 #b9e0dc #f6f8e6",
		"#fff6ea #b79cc2 #33235a #5c4d92 #a48dbd #e6c8d3 #fdf0e4",
	},
	day: {
		"#ffffff #a3cad8 #173f58 #3a86b5 #86c5da #dff2f3",
		"#ffffff #bcc9cc #32475a #aebfc8 #d0dbdd #f3efe6",
		"#ffffff #94bbdc #1c3450 #2f5a8a #699fc4 #aed2ee #eef3f3",
	},
	dusk: {
		"#fff0c9 #bd7472 #1d1b31 #2a3a5c #7a6586 #e08b67 #f8cb78",
		"#ffe9b0 #96404a #170a14 #230f2b #6b2140 #c4473f #f29a55 #ffdf9b",
		"#fff4d2 #6aa79c #0a2733 #0c4351 #2d7d83 #8cc4b0 #f7e8c4",
		"#fff8e6 #e6a486 #552a40 #e98a6d #f4ab80 #fbd3a8 #fff1da",
	},
	night: {
		"#f2f4e6 #47678e #060f1e #040a22 #0c2748 #1d4370 #8facc8",
		"#f6efff #5f4a92 #0d0422 #120330 #2b0b55 #4a2380 #9a7bc0",
		"#eef6f8 #3d7a85 #04161d #02121f #07303f #135463 #6fb3ac",
	},
}

// desertSkies are skies of dusk and day over sand.
var desertSkies = map[hour][]string{
	day:  {"#fffdf0 #e3b27c #7a3f24 #5aa2bd #a9cfce #f6e7c8"},
	dusk: {"#fff0c4 #d88a5a #4a1d20 #4c3a63 #b0606a #ee9a62 #fcd694"},
	dawn: {"#fff1d6 #d89a80 #5a2d33 #3b3a6d #8a6696 #e8a18c #fbdcb4"},
}

// skyOf is the light of a picture. Flowers and patterns do not show it.
func skyOf(id, tag string) sky {
	c := &canvas{Rand: random("sky", id)}
	h, from := pick(c, []hour{dawn, day, dusk, dusk}), skies
	switch {
	case tag == "flowers", tag == "patterns":
		h = day
	case tag == "night", tag == "city" && c.chance(0.4):
		h = night
	case tag == "desert":
		from = desertSkies
	}
	colors := palette(pick(c, from[h]))
	return sky{hour: h, sun: colors[0], far: colors[1], near: colors[2], colors: colors[3:]}
}

// horizon is the color of the lowest sky, and of mist.
func (s sky) horizon() color { return s.colors[len(s.colors)-1] }

// draw fills the picture with the sky, its sun or moon, and the stars of a night.
func (s sky) draw(c *canvas, horizon float64) {
	c.rect(0, c.w, c.h, c.down(s.colors...))
	if s.hour == night {
		var small, large path
		for range 220 {
			p := &small
			if c.chance(0.2) {
				p = &large
			}
			p.to("M", c.between(0, c.w), horizon*c.Float64()*c.Float64()).to("h0 ")
		}
		c.stroke(&small, hex("#ffffff"), 1, 0.6)
		c.stroke(&large, hex("#ffffff"), 1.7, 0.85)
	}
	x, y, r := c.w*c.between(0.15, 0.85), horizon-c.h*c.between(0.03, 0.28), c.between(22, 48)
	c.circle(x, y, r*c.between(4, 7), c.glow(s.sun, 0.5))
	c.circle(x, y, r, s.sun)
	for range c.IntN(5) { // flat clouds
		w := c.between(100, 260)
		c.add(`<ellipse cx="%.1f" cy="%.1f" rx="%.1f" ry="%.1f" fill="%v" fill-opacity="0.3"/>`,
			c.between(0, c.w), c.between(0.05, 0.7)*horizon, w, w*0.05, mix(s.horizon(), s.sun, 0.5))
	}
}
