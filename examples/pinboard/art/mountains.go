package art

import "math"

func (c *canvas) mountains(s sky) {
	c.above(s, c.h)
	horizon := c.h * c.between(0.42, 0.58)
	if c.chance(0.85) {
		c.light(s, c.w*c.between(0.18, 0.82), horizon-c.h*c.between(0.05, 0.3), c.between(22, 46))
	}
	if c.chance(0.5) {
		c.clouds(s, 2+c.IntN(4), c.h*0.06, horizon*0.6)
	}
	lake := c.chance(0.35)
	n := 5 + c.IntN(3)
	bottom := c.h
	if lake {
		bottom = c.h * c.between(0.74, 0.82)
		n--
	}
	snow := c.chance(0.6)
	left := c.chance(0.5) // where the light comes from
	for i := range n {
		t := float64(i) / float64(n-1)
		base := horizon + (bottom-horizon)*math.Pow(t, 1.15)*0.86
		amp := c.h * (0.3 - 0.2*t) * c.between(0.8, 1.15)
		if i == 1 {
			amp *= 1.25
		}
		c.mountainRange(s, i, n, base, amp, bottom, snow && i <= 1, left)
	}
	if lake {
		c.lake(s, bottom)
	}
	if c.chance(0.35) {
		c.birds(s.near, c.w*c.between(0.2, 0.8), horizon*c.between(0.35, 0.7))
	}
}

func (c *canvas) mountainRange(s sky, i, n int, base, amp, bottom float64, snow, left bool) {
	const levels = 7
	hs := c.jagged(levels, 2+c.IntN(3)+i/2, 0.12)
	x := func(j int) float64 { return -10 + (c.w+20)*float64(j)/float64(len(hs)-1) }
	y := func(j int) float64 { return base - amp*(hs[j]-0.25) }
	var p path
	p.move(x(0), y(0))
	for j := 1; j < len(hs); j++ {
		p.line(x(j), y(j))
	}
	p.line(c.w+10, bottom+2).line(-10, bottom+2).close()
	col := s.layer(i, n)
	foot := mix(col, s.horizon(), 0.62-0.5*float64(i)/float64(n-1))
	if i == n-1 {
		foot = col.lighter(-0.05)
	}
	c.fill(&p, c.down(solid(0, col), solid(1, foot)))
	if i <= 2 {
		c.faces(hs, x, y, s, col, amp, snow, left)
	}
	if i == n-1 {
		var trees path
		height := c.between(14, 30)
		for j := range len(hs) - 1 {
			if c.chance(0.62) {
				c.spruce(&trees, x(j)+c.between(-3, 3), y(j)+6, height*c.between(0.6, 1.3))
			}
		}
		c.fill(&trees, col.String())
	}
}

// faces draws the side of each summit that the light meets, and its snow.
func (c *canvas) faces(hs []float64, x, y func(int) float64, s sky, col color, amp float64, snow, left bool) {
	var lit, white path
	const wide = 7
	for j := wide; j < len(hs)-wide; j++ {
		top := true
		for k := j - wide; k <= j+wide; k++ {
			top = top && hs[k] <= hs[j]
		}
		if !top || hs[j] < 0.5 {
			continue
		}
		side := 1
		if left {
			side = -1
		}
		// Down the skyline on the lit side, and back up by a ragged line below the summit.
		reach := 6 + c.IntN(10)
		lit.move(x(j), y(j))
		last := j
		for k := 1; k <= reach && j+side*k > 0 && j+side*k < len(hs)-1; k++ {
			last = j + side*k
			lit.line(x(last), y(last))
		}
		fall := max(y(last)-y(j), amp*0.15)
		lit.line(x(j)+(x(last)-x(j))*0.55, y(last)+fall*c.between(0.05, 0.3))
		for k := 3; k >= 1; k-- {
			lit.line(x(j)+(x(last)-x(j))*c.between(-0.06, 0.3), y(j)+fall*float64(k)/4)
		}
		lit.close()
		if snow {
			from, to := j-1, j+1
			for from > j-5 && y(from-1)-y(j) < amp*0.2 {
				from--
			}
			for to < j+5 && y(to+1)-y(j) < amp*0.2 {
				to++
			}
			white.move(x(from), y(from))
			for k := from + 1; k <= to; k++ {
				white.line(x(k), y(k))
			}
			for k := 5; k >= 1; k-- {
				up := amp * 0.07
				if k%2 == 0 {
					up = -amp * 0.05
				}
				t := float64(k) / 6
				white.line(x(from)+(x(to)-x(from))*t, max(y(from)+(y(to)-y(from))*t, y(j)+amp*0.09)+up)
			}
			white.close()
		}
	}
	light := mix(col, mix(s.sun, s.horizon(), 0.5), 0.42)
	c.add(`<path d="`, &lit, `" fill="`, light, `" fill-opacity="0.5"/>`)
	if snow {
		c.add(`<path d="`, &white, `" fill="`, mix(s.sun, s.horizon(), 0.2), `" fill-opacity="0.8"/>`)
	}
}

// lake fills the foreground with still water.
func (c *canvas) lake(s sky, top float64) {
	water := mix(s.colors[1], s.near, 0.45)
	c.rect(0, top, c.w, c.h-top, c.down(solid(0, mix(s.horizon(), water, 0.35)), solid(0.25, mix(water, s.far, 0.4)), solid(1, mix(water, s.near, 0.55))))
	c.ripples(s.horizon(), top+4, c.h, 0.5)
	var shore path
	shore.move(0, c.h)
	n := c.noise()
	for x := 0.0; x <= c.w; x += 12 {
		shore.line(x, c.h-14-26*n(x/110))
	}
	shore.line(c.w, c.h).close()
	c.fill(&shore, s.near.lighter(-0.04).String())
	var reeds path
	for range 26 {
		x := c.between(0, c.w)
		foot := c.h - 12
		up := c.between(18, 46)
		reeds.move(x, foot).bend(x, foot-up*0.6, x+c.between(-9, 9), foot-up)
	}
	c.stroke(&reeds, s.near.lighter(-0.04), 1.6, 1)
}

// ripples draws short lines that grow towards the viewer.
func (c *canvas) ripples(col color, top, bottom, opacity float64) {
	var p path
	for range 60 {
		t := math.Pow(c.Float64(), 1.3)
		y := top + (bottom-top)*t
		w := (6 + 60*t) * c.between(0.5, 1.5)
		p.move(c.between(-20, c.w), y).to("h", w)
	}
	c.stroke(&p, col, 1.2, opacity*0.55)
}
