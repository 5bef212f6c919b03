package art

import "math"

func (c *canvas) forest(s sky) {
	switch c.IntN(5) {
	case 0:
		c.birches(s)
	case 1:
		c.autumn(s)
	default:
		c.conifers(s)
	}
}

func (c *canvas) conifers(s sky) {
	c.above(s, c.h)
	if c.chance(0.8) {
		c.light(s, c.w*c.between(0.2, 0.8), c.h*c.between(0.15, 0.36), c.between(22, 44))
	}
	n := 6 + c.IntN(2)
	water := c.chance(0.3)
	bottom := c.h
	if water {
		bottom = c.h * 0.8
	}
	for i := range n {
		t := float64(i) / float64(n-1)
		col := s.layer(i, n)
		base := c.h*0.42 + (bottom-c.h*0.42)*math.Pow(t, 0.95)*0.93
		hill := c.rough(3)
		slope := c.between(-60, 60) * (1 - t*0.6)
		ground := func(x float64) float64 {
			return base - 90*(1-t*0.5)*(hill(x/260)-0.5) + slope*(x/c.w-0.5)
		}
		var p, trees path
		p.move(0, bottom+2)
		for x := 0.0; x <= c.w; x += 15 {
			p.line(x, ground(x))
		}
		p.line(c.w, bottom+2).close()
		height := c.h * (0.045 + 0.17*math.Pow(t, 1.5))
		step := height * 0.37
		for x := -10.0; x < c.w+10; x += step * c.between(0.55, 1.4) {
			h := height * c.between(0.55, 1.15)
			switch {
			case h > 70:
				c.conifer(&trees, x, ground(x)+h*0.12, h)
			case h > 40:
				c.spruce(&trees, x, ground(x)+4, h)
			default:
				trees.move(x-h*0.19, ground(x)+4).line(x, ground(x)+4-h).line(x+h*0.19, ground(x)+4)
			}
		}
		foot := mix(col, s.horizon(), 0.6*(1-t))
		fill := c.down(solid(0, col), solid(1, mix(col, foot, 0.5)))
		c.fill(&trees, fill)
		c.fill(&p, c.down(solid(0, mix(col, foot, 0.45)), solid(1, foot)))
		if i < n-1 && c.chance(0.6) { // mist between the rows
			y := base + 6
			c.add(`<ellipse cx="`, c.between(0, c.w), `" cy="`, y, `" rx="`, c.between(240, 420), `" ry="`, c.between(16, 34), `" fill="`,
				c.glow(stop{0, 0.5, s.horizon()}, stop{1, 0, s.horizon()}), `"/>`)
		}
	}
	if water {
		c.lake(s, bottom)
	}
	if c.chance(0.4) {
		c.birds(s.near, c.w*c.between(0.2, 0.8), c.h*c.between(0.1, 0.26))
	}
}

// birches are pale trunks before a wood that fades.
func (c *canvas) birches(s sky) {
	back := mix(s.horizon(), s.far, 0.35)
	c.rect(0, 0, c.w, c.h, c.down(solid(0, mix(s.colors[1], back, 0.4)), solid(0.6, back), solid(1, mix(s.near, s.far, 0.55))))
	c.circle(c.w*c.between(0.3, 0.7), c.h*c.between(0.3, 0.5), c.w*0.5, c.glow(stop{0, 0.75, s.sun}, stop{1, 0, s.sun}))
	for i := range 3 { // trunks that are far
		col := mix(back, s.near, 0.16+0.13*float64(i))
		for range 9 {
			x, w := c.between(0, c.w), c.between(3, 8)+float64(i)*2
			c.rect(x, 0, w, c.h*(0.74+0.06*float64(i)), col.String())
		}
		var g path
		n := c.noise()
		g.move(0, c.h)
		for x := 0.0; x <= c.w; x += 30 {
			g.line(x, c.h*(0.7+0.07*float64(i))+22*n(x/130+float64(i)*9))
		}
		g.line(c.w, c.h).close()
		c.fill(&g, mix(col, s.near, 0.12).String())
	}
	bark := mix(hex("#f4efe6"), s.horizon(), 0.25)
	dark := s.near.lighter(-0.04)
	count := 5 + c.IntN(3)
	for i := range count {
		x := c.w*(float64(i)+c.between(0.25, 0.75))/float64(count) - 8
		w := c.between(15, 32)
		lean := c.between(-16, 16)
		var p, marks path
		p.move(x, -5).line(x+w*0.82, -5).line(x+w+lean, c.h*c.between(0.9, 0.97)).line(x+lean-2, c.h*0.95).close()
		c.fill(&p, c.across(solid(0, mix(bark, dark, 0.35)), solid(0.3, bark), solid(0.7, bark), solid(1, mix(bark, dark, 0.5))))
		for y := c.between(0, 30); y < c.h*0.9; y += c.between(18, 60) {
			at := x + lean*y/c.h
			wide := w * c.between(0.2, 0.62)
			if c.chance(0.5) {
				at += w - wide
			}
			marks.move(at, y).bend(at+wide/2, y+c.between(1, 5), at+wide, y+c.between(-2, 2)).bend(at+wide/2, y-3, at, y).close()
		}
		c.add(`<path d="`, &marks, `" fill="`, dark, `" fill-opacity="0.8"/>`)
	}
	leaf := pick(c, [][]color{{hex("#e8a33d"), hex("#d9772b"), hex("#f2c14e")}, {hex("#8fb996"), hex("#5b8e7d"), hex("#c9d8a5")}, {hex("#f4c95d"), hex("#dd7230"), hex("#854d27")}})
	for range 70 {
		x, y, r := c.between(0, c.w), c.h*math.Pow(c.Float64(), 2.2)*0.5, c.between(3, 9)
		c.add(`<ellipse cx="`, x, `" cy="`, y, `" rx="`, r, `" ry="`, r*0.6, `" fill="`, pick(c, leaf), `" fill-opacity="`, fraction(c.between(0.55, 0.95)), `"/>`)
	}
	c.grass(dark, 90, c.h, 50)
}

// autumn is a wood of round crowns by a path.
func (c *canvas) autumn(s sky) {
	c.above(s, c.h)
	c.light(s, c.w*c.between(0.2, 0.8), c.h*c.between(0.14, 0.3), 34)
	crowns := pick(c, [][]string{
		{"#f2b84b", "#e4772f", "#b6402a", "#7d2d2a"}, {"#f6d186", "#e89f4f", "#c75b39", "#6d3b2e"},
		{"#c8d59a", "#86b06f", "#4c8559", "#234d43"}, {"#f7c4c4", "#ea8f95", "#c4607a", "#6b3553"},
	})
	const n = 5
	for i := range n {
		t := float64(i) / (n - 1)
		base := c.h * (0.5 + 0.42*t)
		hill := c.noise()
		ground := func(x float64) float64 { return base - 60*(hill(x/300)-0.5) }
		var p path
		p.move(0, c.h+2)
		for x := 0.0; x <= c.w; x += 20 {
			p.line(x, ground(x))
		}
		p.line(c.w, c.h+2).close()
		tone := mix(s.layer(i, n), hex(crowns[min(i, 3)]), 0.35)
		size := c.h * (0.04 + 0.075*t)
		var trunks path
		for x := c.between(0, size); x < c.w; x += size * c.between(1, 2.1) {
			y := ground(x)
			up := size * c.between(1.2, 2)
			trunks.move(x-size*0.06, y+4).line(x-size*0.03, y-up).line(x+size*0.03, y-up).line(x+size*0.07, y+4).close()
			base := mix(mix(hex(crowns[c.IntN(4)]), hex(crowns[c.IntN(3)]), 0.5), s.far, 0.55*(1-t))
			c.crown(x, y-up, size, base, s)
		}
		c.fill(&trunks, mix(s.layer(i, n), s.near, 0.5).String())
		c.fill(&p, c.down(solid(0, tone.lighter(0.03)), solid(1, tone.lighter(-0.08))))
	}
	c.grass(s.near.lighter(-0.02), 90, c.h, 40)
}

func (c *canvas) crown(x, y, size float64, col color, s sky) {
	c.ellipse(x, y, size*0.72, size*0.82, col.lighter(-0.06).String())
	for range 3 {
		a, d := c.between(math.Pi, 2*math.Pi), size*c.between(0.15, 0.42)
		c.circle(x+d*math.Cos(a), y+d*math.Sin(a)*0.9, size*c.between(0.26, 0.44), mix(col, s.sun, c.between(0, 0.3)).String())
	}
}

// grass draws blades along the bottom.
func (c *canvas) grass(col color, blades int, foot, height float64) {
	var p path
	for range blades {
		x, up := c.between(-10, c.w+10), height*c.between(0.3, 1.1)
		lean := c.between(-0.4, 0.4) * up
		p.move(x-2, foot+2).bend(x, foot-up*0.6, x+lean, foot-up).bend(x+3, foot-up*0.5, x+3, foot+2).close()
	}
	c.fill(&p, col.String())
}
