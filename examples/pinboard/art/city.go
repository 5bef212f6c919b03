package art

import "math"

func (c *canvas) city(s sky) {
	river := c.chance(0.5)
	bottom := c.h
	if river {
		bottom = math.Round(c.h * c.between(0.7, 0.78))
	}
	c.above(s, c.h)
	c.light(s, c.w*c.between(0.15, 0.85), bottom-c.h*c.between(0.25, 0.5), c.between(24, 60))
	c.clouds(s, 1+c.IntN(4), c.h*0.05, c.h*0.4)
	lamp := pick(c, []color{hex("#ffd98a"), hex("#ffe7b0"), hex("#ffc46b")})
	const n = 4
	for i := range n {
		t := float64(i) / (n - 1)
		c.skyline(s, i, n, bottom, c.h*(0.4-0.17*t), lamp)
		if i < n-1 {
			c.rect(0, bottom-c.h*0.22, c.w, c.h*0.22+2, c.down(stop{0, 0, s.horizon()}, stop{1, 0.4, s.horizon()}))
		}
	}
	if !river {
		return
	}
	deep := mix(s.colors[0], s.near, 0.5)
	c.rect(0, bottom, c.w, c.h-bottom+2, c.down(solid(0, mix(s.colors[1], s.near, 0.55)), solid(1, deep)))
	var lights path
	for range 22 {
		x := c.between(0, c.w)
		long := (c.h - bottom) * c.between(0.15, 0.8)
		for y := bottom + 4; y < bottom+long; y += c.between(5, 12) {
			w := c.between(3, 12)
			lights.move(x-w/2+c.between(-3, 3), y).to("h", w)
		}
	}
	c.stroke(&lights, lamp, 1.8, 0.42)
	c.ripples(s.horizon(), bottom+5, c.h, 0.45)
}

// skyline draws one row of buildings. Windows of the near rows are lit.
func (c *canvas) skyline(s sky, i, n int, bottom, tall float64, lamp color) {
	col := s.layer(i, n)
	t := float64(i) / float64(n-1)
	size := 3.4 + 2.2*t // of a window
	crowd := c.noise()
	var walls, windows, dim, shade path
	x := c.between(-30, 0)
	for x < c.w+10 {
		w := c.between(22, 54) * (0.75 + 0.5*t)
		h := tall * (0.28 + 0.85*crowd(x/190)) * c.between(0.65, 1.2)
		y := bottom - h
		walls.move(x, bottom+2).line(x, y)
		switch c.IntN(7) {
		case 0: // a spire
			walls.line(x+w*0.42, y).line(x+w*0.47, y-h*0.12).line(x+w*0.5, y-h*0.3).line(x+w*0.53, y-h*0.12).line(x+w*0.58, y)
		case 1: // steps
			up := min(h*0.14, 26)
			walls.line(x+w*0.16, y).line(x+w*0.16, y-up).line(x+w*0.34, y-up).line(x+w*0.34, y-up*2).line(x+w*0.66, y-up*2).line(x+w*0.66, y-up).line(x+w*0.84, y-up).line(x+w*0.84, y)
		case 2: // a slope
			walls.line(x+w, y-w*c.between(0.25, 0.6))
		case 3: // a dome
			walls.line(x+w*0.15, y).curve(x+w*0.15, y-w*0.55, x+w*0.85, y-w*0.55, x+w*0.85, y)
		case 4: // a gable
			walls.line(x+w/2, y-w*0.4)
		case 5: // an antenna
			walls.line(x+w*0.66, y).line(x+w*0.67, y-h*0.16).line(x+w*0.7, y-h*0.16).line(x+w*0.71, y)
		}
		walls.line(x+w, y).line(x+w, bottom+2).close()
		if i >= 2 {
			shade.move(x+w*0.72, y+3).line(x+w, y).line(x+w, bottom).line(x+w*0.72, bottom).close()
		}
		if i >= 1 {
			c.windows(&windows, &dim, x, y, w, bottom, size)
		}
		x += w * c.between(0.9, 1.06)
	}
	c.fill(&walls, c.down(solid(0, col), solid(1, mix(col, s.horizon(), 0.34*(1-t)))))
	if i >= 2 {
		c.add(`<path d="`, &shade, `" fill="`, col.lighter(-0.08), `" fill-opacity="0.5"/>`)
	}
	bright := 0.95
	if s.hour == dawn || s.hour == day {
		bright = 0.7
	}
	c.squares(&windows, lamp, size, bright*(0.35+0.65*t))
	c.squares(&dim, mix(lamp, s.far, 0.6), size, 0.5*t)
}

// squares draws the points of a path as squares, which takes the least text.
func (c *canvas) squares(p *path, col color, size, opacity float64) {
	c.add(`<path d="`, p, `" fill="none" stroke="`, col, `" stroke-width="`, size, `" stroke-linecap="square" stroke-opacity="`, fraction(opacity), `"/>`)
}

func (c *canvas) windows(lit, dim *path, x, y, w, bottom, size float64) {
	gap := size * 1.75
	columns := int((w - gap*0.6) / gap)
	if columns < 1 {
		return
	}
	left := x + (w-float64(columns)*gap+gap-size)/2
	share := c.between(0.05, 0.5)
	limit := min(bottom-8, y+size*24)
	for wy := y + gap; wy < limit; wy += gap * 1.15 {
		for k := range columns {
			p := dim
			switch {
			case c.chance(share * 0.5):
				p = lit
			case c.chance(0.88):
				continue
			}
			p.move(left+float64(k)*gap+size/2, wy+size/2).to("v", 0.1)
		}
	}
}
