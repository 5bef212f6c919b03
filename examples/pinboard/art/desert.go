package art

import "math"

func (c *canvas) desert(s sky) {
	horizon := c.h * c.between(0.42, 0.55)
	c.above(s, horizon+30)
	x := c.w * c.between(0.15, 0.85)
	c.light(s, x, horizon-c.h*c.between(0.06, 0.26), c.between(26, 54))
	if c.chance(0.3) {
		c.clouds(s, 2, c.h*0.05, horizon*0.6)
	}
	if c.chance(0.55) {
		c.mesas(s, horizon)
	}
	sand := mix(s.far, hex("#eab676"), 0.55)
	shadow := mix(s.near, hex("#a4532f"), 0.45)
	if s.hour == night {
		sand, shadow = mix(s.far, hex("#8d7fb8"), 0.5), s.near.lighter(0.06)
	}
	left := x < c.w/2
	c.rect(0, horizon+12, c.w, c.h-horizon, mix(sand, s.horizon(), 0.55).String())
	n := 5 + c.IntN(2)
	for i := range n {
		t := float64(i) / float64(n-1)
		c.dune(s, horizon+(c.h-horizon)*(0.02+0.72*math.Pow(t, 1.2)), t, mix(mix(sand, s.horizon(), 0.55), sand, math.Sqrt(t)), shadow, left)
	}
	switch c.IntN(3) {
	case 0:
		c.cacti(s)
	case 1:
		c.caravan(s, c.h*c.between(0.66, 0.74))
	}
	if c.chance(0.3) {
		c.birds(s.near, c.w*c.between(0.2, 0.8), horizon*c.between(0.3, 0.6))
	}
}

// dune draws a crest with a lit side and one in shadow.
func (c *canvas) dune(s sky, y, t float64, sand, shadow color, left bool) {
	amp := c.h * (0.05 + 0.1*t)
	n := c.noise()
	phase := c.between(0, 6)
	var xs, ys []float64
	for x := -60.0; x <= c.w+80; x += 20 {
		v := math.Sin(x/(150+170*t)+phase)*0.5 + 1.3*(n(x/210)-0.5)
		xs, ys = append(xs, x), append(ys, y-amp*v*0.8)
	}
	var body path
	body.move(xs[0], ys[0]).smooth(xs, ys).line(c.w+80, c.h+2).line(-60, c.h+2).close()
	c.fill(&body, c.gradient(`x2="1" y2="0.35"`, slopes(xs, ys, mix(sand, s.sun, 0.22), mix(sand, shadow, 0.3+0.35*t), left)))
	c.fill(&body, c.down(stop{0, 0, sand}, stop{0.3, 0.1, sand}, stop{1, 0.75, mix(sand, shadow, 0.2+0.45*t)}))
	if t > 0.5 { // what the wind draws
		var p path
		for range 12 {
			x, at, w := c.between(-20, c.w), y+amp*c.between(0.7, 3), c.between(40, 130)
			p.move(x, at).bend(x+w/2, at-c.between(3, 9), x+w, at+c.between(-2, 4))
		}
		c.stroke(&p, shadow, 1.1, 0.16)
	}
}

// slopes is a gradient along a dune: the side of each crest that the light meets is lit,
// and the other one in shadow.
func slopes(xs, ys []float64, lit, dark color, left bool) []stop {
	begin, all := xs[0], xs[len(xs)-1]-xs[0]
	before, after := lit, dark
	if !left {
		before, after = dark, lit
	}
	stops := []stop{solid(0, mix(lit, dark, 0.4))}
	for j := 1; j < len(xs)-1; j++ {
		at := (xs[j] - begin) / all
		switch {
		case ys[j] <= ys[j-1] && ys[j] < ys[j+1]: // a crest
			stops = append(stops, solid(at-0.05, before), solid(at+0.05, after))
		case ys[j] >= ys[j-1] && ys[j] > ys[j+1]: // a hollow
			stops = append(stops, solid(at, mix(lit, dark, 0.45)))
		}
	}
	return append(stops, solid(1, mix(lit, dark, 0.4)))
}

func (c *canvas) mesas(s sky, horizon float64) {
	for i := range 2 {
		col := mix(mix(s.far, hex("#b5523b"), 0.4), s.horizon(), 0.5-0.3*float64(i))
		if s.hour == night {
			col = s.layer(i, 4)
		}
		x := c.between(-60, 120)
		for x < c.w {
			w, h := c.between(50, 190), c.h*c.between(0.05, 0.17)*(0.8+0.4*float64(i))
			slope := h * c.between(0.12, 0.3)
			var p, shade path
			top := horizon + 16 - h
			p.move(x-slope*2.2, horizon+24).line(x-slope, top+h*0.5).line(x, top+c.between(0, 6)).line(x+w*0.3, top).line(x+w*0.65, top+c.between(-2, 4)).line(x+w, top+c.between(0, 6)).line(x+w+slope, top+h*0.5).line(x+w+slope*2.2, horizon+24).close()
			c.fill(&p, c.down(solid(0, col), solid(1, mix(col, s.horizon(), 0.4))))
			for range 5 {
				at := x + w*c.between(0.1, 0.95)
				shade.move(at, top+4).line(at+w*0.05, top+4).line(at+w*0.03, top+h*c.between(0.4, 0.8)).close()
			}
			c.add(`<path d="`, &shade, `" fill="`, col.lighter(-0.1), `" fill-opacity="0.45"/>`)
			x += w + c.between(40, 260)
		}
	}
}

func (c *canvas) cacti(s sky) {
	col := mix(s.near, hex("#1f3d33"), 0.5)
	n := 2 + c.IntN(3)
	first := c.IntN(n)
	for i := range n {
		h := c.h * c.between(0.08, 0.14)
		if i == first {
			h = c.h * c.between(0.2, 0.3)
		}
		x, foot := c.w*(float64(i)+c.between(0.25, 0.75))/float64(n), c.h*(0.8+0.18*c.Float64())
		w := h * 0.11
		var p path
		p.move(x, foot).line(x, foot-h+w)
		for _, side := range []float64{-1, 1} {
			if c.chance(0.8) {
				y, out, up := foot-h*c.between(0.35, 0.55), h*c.between(0.15, 0.22), h*c.between(0.16, 0.32)
				p.move(x, y).line(x+side*out*0.6, y).bend(x+side*out, y, x+side*out, y-out*0.4).line(x+side*out, y-up)
			}
		}
		c.ellipse(x, foot, h*0.2, h*0.02, mix(s.near, col, 0.5).String())
		c.add(`<path d="`, &p, `" fill="none" stroke="`, col, `" stroke-width="`, w, `" stroke-linecap="round"/>`)
		c.add(`<path d="`, &p, `" fill="none" stroke="`, mix(col, s.sun, 0.28), `" stroke-width="`, w*0.2, `" stroke-linecap="round" stroke-opacity="0.55"/>`)
	}
}

// caravan is a line of camels, small and far.
func (c *canvas) caravan(s sky, y float64) {
	col := s.near.lighter(-0.03).String()
	x := c.w * c.between(0.2, 0.4)
	for range 3 + c.IntN(4) {
		u := c.between(8.5, 10)
		var p path
		p.move(x-u*1.2, y-u*1.2).curve(x-u*1.1, y-u*2, x-u*0.7, y-u*1.9, x-u*0.4, y-u*1.9).curve(x-u*0.2, y-u*2.9, x+u*0.3, y-u*2.9, x+u*0.5, y-u*1.8).
			curve(x+u*0.9, y-u*1.8, x+u*1, y-u*1.6, x+u*1.2, y-u*2).line(x+u*1.5, y-u*2.8).line(x+u*2.1, y-u*2.9).line(x+u*2.1, y-u*2.5).line(x+u*1.7, y-u*2.4).
			curve(x+u*1.5, y-u*1.4, x+u*1.2, y-u*1, x+u*0.9, y-u*0.9).line(x+u*0.95, y).line(x+u*0.7, y).line(x+u*0.6, y-u*0.9).
			line(x-u*0.7, y-u*0.9).line(x-u*0.75, y).line(x-u, y).line(x-u, y-u*0.9).close()
		c.fill(&p, col)
		x += u * c.between(4.4, 5.4)
		y -= c.between(0, 1.6)
	}
}
