package art

import "math"

func (c *canvas) sea(s sky) {
	horizon := math.Round(c.h * c.between(0.4, 0.58))
	c.above(s, horizon)
	x := c.w * c.between(0.22, 0.78)
	c.light(s, x, horizon-c.h*pick(c, []float64{-0.005, 0.05, 0.1, 0.2}), c.between(26, 52))
	c.clouds(s, 2+c.IntN(5), c.h*0.05, horizon*0.75)
	scene := c.IntN(4)
	if scene != 3 && c.chance(0.6) {
		c.island(s, horizon)
	}
	top := mix(s.horizon(), s.colors[len(s.colors)-2], 0.55)
	deep := mix(s.colors[0], s.near, 0.45)
	if s.hour == day {
		deep = mix(s.colors[0], s.near, 0.3)
	}
	c.rect(0, horizon, c.w, c.h-horizon+1, c.down(solid(0, top), solid(0.3, mix(top, deep, 0.55)), solid(1, deep)))
	c.glitter(s, x, horizon)
	c.ripples(mix(top, s.sun, 0.4), horizon+6, c.h, 0.8)
	switch scene {
	case 0:
		c.swell(s, horizon, top, deep)
	case 1:
		c.boats(s, horizon)
	case 2:
		c.beach(s, top)
	default:
		c.lighthouse(s, horizon, x < c.w/2)
	}
	if c.chance(0.55) {
		c.birds(mix(s.near, s.colors[0], 0.3), c.w*c.between(0.2, 0.8), horizon*c.between(0.3, 0.65))
	}
}

// glitter is the sun's road on the water.
func (c *canvas) glitter(s sky, x, horizon float64) {
	var p path
	rows := 34
	for i := range rows {
		t := float64(i) / float64(rows)
		y := horizon + 3 + (c.h-horizon)*math.Pow(t, 1.25)
		wide := 16 + 90*t
		for range 2 {
			w := wide * c.between(0.15, 0.75)
			p.move(x+c.between(-wide, wide)*0.6-w/2, y+c.between(-2, 2)).to("h", w)
		}
	}
	c.stroke(&p, s.sun, 2.2, 0.5)
}

// swell draws bands of waves, each nearer and darker.
func (c *canvas) swell(s sky, horizon float64, top, deep color) {
	const n = 6
	for i := range n {
		t := float64(i+1) / n
		y := horizon + (c.h-horizon)*(0.14+0.78*math.Pow(float64(i)/n, 1.1))
		amp, length := 4+15*t, 90+170*t
		wave := c.noise()
		var xs, ys []float64
		for x := -20.0; x <= c.w+40; x += 20 {
			xs = append(xs, x)
			ys = append(ys, y-amp*math.Sin(x/length*2*math.Pi+float64(i)*2.2)-amp*1.4*(wave(x/length*1.7)-0.5))
		}
		var crest, body path
		crest.move(xs[0], ys[0]).smooth(xs, ys)
		body.move(xs[0], ys[0]).smooth(xs, ys).line(c.w+40, c.h+2).line(-20, c.h+2).close()
		col := mix(mix(top, deep, 0.25), deep.lighter(-0.03), t)
		c.fill(&body, c.down(stop{0, 0.9, col.lighter(0.05)}, solid(0.5, col), solid(1, col.lighter(-0.03))))
		c.stroke(&crest, mix(s.sun, s.horizon(), 0.4), 1+1.2*t, 0.55)
	}
}

func (c *canvas) boats(s sky, horizon float64) {
	hull := s.near.lighter(-0.03)
	for i := range 1 + c.IntN(3) {
		size := c.between(22, 40)
		y := horizon + (c.h-horizon)*c.between(0.03, 0.18)
		if i == 0 {
			size = c.between(70, 125)
			y = horizon + (c.h-horizon)*c.between(0.22, 0.42)
		}
		x := c.w * c.between(0.15, 0.85)
		sail := mix(s.sun, pick(c, []color{s.horizon(), s.colors[len(s.colors)-2], hex("#ffffff")}), 0.5)
		var main, jib, body, mirror path
		main.move(x, y-size*1.5).bend(x+size*0.42, y-size*0.7, x+size*0.62, y-size*0.16).line(x, y-size*0.16).close()
		jib.move(x-size*0.04, y-size*1.38).bend(x-size*0.2, y-size*0.6, x-size*0.5, y-size*0.16).line(x-size*0.04, y-size*0.16).close()
		body.move(x-size*0.6, y-size*0.1).line(x+size*0.72, y-size*0.1).bend(x+size*0.6, y+size*0.08, x+size*0.42, y+size*0.1).line(x-size*0.38, y+size*0.1).bend(x-size*0.52, y+size*0.04, x-size*0.6, y-size*0.1).close()
		mirror.move(x-size*0.4, y+size*0.12).line(x+size*0.45, y+size*0.12).line(x+size*0.1, y+size*0.95).close()
		c.add(`<path d="`, &mirror, `" fill="`, c.down(stop{0, 0.45, hull}, stop{1, 0, hull}), `"/>`)
		c.fill(&main, c.across(solid(0, sail), solid(1, mix(sail, s.far, 0.35))))
		c.fill(&jib, mix(sail, s.far, 0.2).String())
		c.fill(&body, hull.String())
		var mast path
		mast.move(x-size*0.02, y-size*1.55).line(x-size*0.02, y-size*0.1)
		c.stroke(&mast, hull, size*0.03, 1)
	}
}

func (c *canvas) island(s sky, horizon float64) {
	for i := range 1 + c.IntN(3) {
		x, w, h := c.between(0, c.w), c.between(90, 320), c.between(14, 70)
		n := c.rough(3)
		var p path
		p.move(x-w/2, horizon+1)
		for t := 0.0; t <= 1; t += 0.04 {
			p.line(x-w/2+w*t, horizon-h*math.Pow(math.Sin(math.Pi*t), 0.8)*(0.35+0.9*n(t*6)))
		}
		p.line(x+w/2, horizon+1).close()
		col := s.layer(i, 5)
		c.fill(&p, c.down(solid(0, col), solid(1, mix(col, s.horizon(), 0.45))))
	}
}

func (c *canvas) beach(s sky, top color) {
	sand := mix(hex("#f0d8b0"), s.horizon(), 0.35)
	if s.hour == night || s.hour == dusk {
		sand = mix(sand, s.near, 0.5)
	}
	begin := c.h * c.between(0.76, 0.84)
	lean := c.between(-50, 50)
	edge := func(shift float64) *path {
		n := c.noise()
		var xs, ys []float64
		for x := -20.0; x <= c.w+60; x += 40 {
			xs = append(xs, x)
			ys = append(ys, begin+shift+lean*(x/c.w-0.5)+26*n(x/170))
		}
		var p path
		return p.move(xs[0], ys[0]).smooth(xs, ys)
	}
	for i, shift := range []float64{-26, -8, 12} {
		p := edge(shift)
		foam := &path{append([]byte(nil), p.d...)}
		p.line(c.w+60, c.h+2).line(-20, c.h+2).close()
		col := mix(top, hex("#ffffff"), 0.2+0.2*float64(i))
		c.add(`<path d="`, p, `" fill="`, col, `" fill-opacity="0.35"/>`)
		c.stroke(foam, mix(s.sun, hex("#ffffff"), 0.4), 3, 0.7)
	}
	p := edge(30)
	p.line(c.w+60, c.h+2).line(-20, c.h+2).close()
	c.fill(p, c.down(solid(0, sand.lighter(-0.06)), solid(0.35, sand), solid(1, sand.lighter(-0.03))))
	if c.chance(0.6) {
		c.palm(s, c.w*pick(c, []float64{0.12, 0.86}), c.h*0.97, c.h*c.between(0.4, 0.58))
	}
}

func (c *canvas) palm(s sky, x, foot, height float64) {
	col := s.near.lighter(-0.05)
	lean := height * c.between(0.1, 0.25)
	if x > c.w/2 {
		lean = -lean
	}
	var trunk, leaves path
	tx, ty := x+lean, foot-height
	trunk.move(x-6, foot).bend(x+lean*0.2-4, foot-height*0.6, tx-2.5, ty).line(tx+2.5, ty).bend(x+lean*0.2+7, foot-height*0.55, x+9, foot).close()
	c.fill(&trunk, col.String())
	for i := range 9 {
		a := math.Pi*(float64(i)/8*1.25+0.875) + c.between(-0.12, 0.12)
		r := height * c.between(0.28, 0.38)
		ex, ey := tx+r*math.Cos(a), ty+r*math.Sin(a)*0.75+r*0.28
		mx, my := tx+r*0.55*math.Cos(a), ty+r*0.75*math.Sin(a)-r*0.12
		leaves.move(tx, ty).bend(mx, my-r*0.08, ex, ey).bend(mx, my+r*0.16, tx, ty).close()
	}
	c.fill(&leaves, col.String())
}

func (c *canvas) lighthouse(s sky, horizon float64, right bool) {
	x, side := c.w*c.between(0.16, 0.26), 1.0
	if right {
		x, side = c.w-x, -1
	}
	rock := s.near.lighter(-0.02)
	top := horizon - c.h*c.between(0.02, 0.07)
	n := c.rough(4)
	var p path
	p.move(x-side*400, c.h+2).line(x-side*400, top-6)
	for i := range 26 {
		t := float64(i) / 25
		px := x - side*130 + side*t*330
		y := top + 14*(n(t*5)-0.5)
		if t > 0.5 {
			y = top + (c.h*0.86-top)*math.Pow((t-0.5)*2, 1.5) + 26*(n(t*9)-0.5)
		}
		p.line(px, y)
	}
	p.line(x+side*250, c.h+2).close()
	c.fill(&p, c.down(solid(0, mix(rock, s.far, 0.35)), solid(1, rock)))
	tower := c.h * c.between(0.2, 0.27)
	wide := tower * 0.085
	white := mix(hex("#ffffff"), s.horizon(), 0.4)
	if s.hour == night {
		white = mix(white, s.near, 0.45)
	}
	var wall path
	wall.move(x-wide, top+4).line(x-wide*0.68, top-tower).line(x+wide*0.68, top-tower).line(x+wide, top+4).close()
	c.fill(&wall, c.across(solid(0, white), solid(0.5, white), solid(1, mix(white, s.near, 0.4))))
	red := mix(hex("#c8432f"), s.near, 0.25)
	for _, t := range []float64{0.2, 0.6} {
		a, b := wide*(1-0.32*t), wide*(1-0.32*(t+0.2))
		var band path
		band.move(x-a, top+4-tower*t).line(x-b, top+4-tower*(t+0.2)).line(x+b, top+4-tower*(t+0.2)).line(x+a, top+4-tower*t).close()
		c.fill(&band, c.across(solid(0, red), solid(1, mix(red, s.near, 0.45))))
	}
	lamp := hex("#fff3c4")
	c.rect(x-wide*0.85, top-tower-2, wide*1.7, 3, rock.String())
	c.rect(x-wide*0.5, top-tower-wide*1.1, wide, wide*1.1, lamp.String())
	var roof path
	roof.move(x-wide*0.75, top-tower-wide*1.1).line(x, top-tower-wide*1.9).line(x+wide*0.75, top-tower-wide*1.1).close()
	c.fill(&roof, red.String())
	if s.hour != day {
		ly := top - tower - wide*0.6
		var beam path
		beam.move(x, ly).line(x+side*c.w, ly-46).line(x+side*c.w, ly+40).close()
		strong, weak := stop{0, 0.5, lamp}, stop{0.7, 0, lamp}
		fill := c.across(strong, weak)
		if side < 0 {
			fill = c.across(stop{0.3, 0, lamp}, stop{1, 0.5, lamp})
		}
		c.fill(&beam, fill)
		c.circle(x, ly, wide*3, c.glow(stop{0, 0.7, lamp}, stop{1, 0, lamp}))
	}
}
