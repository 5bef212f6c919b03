package art

import "math"

// inks are colors that go together; the first is the ground.
var inks = [][]string{
	{"#f4f1de", "#e07a5f", "#3d405b", "#81b29a", "#f2cc8f"},
	{"#0b1d2a", "#ef6f6c", "#f6c667", "#56a3a6", "#e8ddcb"},
	{"#fefae0", "#606c38", "#283618", "#dda15e", "#bc6c25"},
	{"#edede9", "#264653", "#2a9d8f", "#e9c46a", "#e76f51"},
	{"#231942", "#5e548e", "#9f86c0", "#e0b1cb", "#f7e1d7"},
	{"#f8f4ec", "#1d3557", "#457b9d", "#a8dadc", "#e63946"},
	{"#fff7ec", "#f4845f", "#f7b267", "#6d597a", "#355070"},
	{"#10302b", "#2f6f5e", "#88b99a", "#f1e3b8", "#e2904f"},
	{"#faf3ee", "#d4a5a5", "#9d6b7c", "#5b4b6a", "#ffdac1"},
	{"#102542", "#f87060", "#cdd7d6", "#b3a394", "#ffffff"},
}

func (c *canvas) patterns() {
	var ink []color
	for _, s := range pick(c, inks) {
		ink = append(ink, hex(s))
	}
	c.rect(0, 0, c.w, c.h, ink[0].String())
	switch c.IntN(8) {
	case 0:
		c.truchet(ink)
	case 1:
		c.seigaiha(ink)
	case 2:
		c.packing(ink)
	case 3:
		c.flow(ink)
	case 4:
		c.mosaic(ink)
	case 5:
		c.blocks(ink)
	case 6:
		c.contours(ink)
	default:
		c.rainbows(ink)
	}
}

func (c *canvas) grid(size float64, cell func(x, y float64)) {
	for y := 0.0; y < c.h; y += size {
		for x := 0.0; x < c.w; x += size {
			cell(x, y)
		}
	}
}

func (c *canvas) truchet(ink []color) {
	size := pick(c, []float64{50, 60, 75})
	var p path
	c.grid(size, func(x, y float64) {
		r := size / 2
		if c.chance(0.5) {
			p.move(x+r, y).arc(r, x, y+r, true).move(x+size, y+r).arc(r, x+r, y+size, false)
		} else {
			p.move(x+r, y).arc(r, x+size, y+r, false).move(x, y+r).arc(r, x+r, y+size, true)
		}
	})
	c.define(`<path id="t" d="`, &p, `" fill="none" stroke-linecap="round"/>`)
	line := func(col color, width float64) {
		c.add(`<use href="#t" stroke="`, col, `" stroke-width="`, width, `"/>`)
	}
	line(ink[1+c.IntN(2)], size*0.42)
	line(ink[3+c.IntN(2)], size*0.2)
	line(ink[0], size*0.06)
}

// seigaiha is the old pattern of waves as circles.
func (c *canvas) seigaiha(ink []color) {
	r := pick(c, []float64{37.5, 50, 60})
	for i, tone := range ink[1:] {
		c.define(`<g id="s`, i, `">`)
		for k := range 4 {
			col := tone
			if k%2 == 1 {
				col = mix(ink[0], tone, 0.12)
			}
			c.define(`<circle r="`, r*(1-0.25*float64(k))-0.5, `" fill="`, col, `"/>`)
		}
		c.define("</g>")
	}
	row := 0
	for y := 0.0; y < c.h+r; y += r / 2 {
		for x := r * float64(row%2); x < c.w+r; x += 2 * r {
			c.add(`<use href="#s`, (row/3+int(x/(4*r))+c.IntN(2))%(len(ink)-1), `" x="`, x, `" y="`, y, `"/>`)
		}
		row++
	}
}

func (c *canvas) packing(ink []color) {
	type disc struct{ x, y, r float64 }
	var discs []disc
	for try := range 2600 {
		d := disc{c.between(0, c.w), c.between(0, c.h), 0}
		most := 74 * math.Pow(0.9985, float64(try))
		d.r = max(most, 5)
		for _, o := range discs {
			d.r = min(d.r, math.Hypot(o.x-d.x, o.y-d.y)-o.r-2)
		}
		if d.r > 4 {
			discs = append(discs, d)
		}
		if len(discs) > 160 {
			break
		}
	}
	for _, d := range discs {
		col := ink[1+c.IntN(len(ink)-1)]
		c.circle(d.x, d.y, d.r, col.String())
		if d.r > 15 {
			other := ink[c.IntN(len(ink))]
			switch c.IntN(3) {
			case 0:
				for k := 0.75; k > 0.2; k -= 0.25 {
					c.add(`<circle cx="`, d.x, `" cy="`, d.y, `" r="`, d.r*k, `" fill="none" stroke="`, other, `" stroke-width="`, d.r*0.09, `"/>`)
				}
			case 1:
				var p path
				a := c.between(0, 2*math.Pi)
				x, y := d.r*math.Cos(a), d.r*math.Sin(a)
				p.move(d.x+x, d.y+y).arc(d.r, d.x-x, d.y-y, true).close()
				c.fill(&p, other.String())
			}
		}
	}
}

// flow draws lines that follow a field.
func (c *canvas) flow(ink []color) {
	rough := c.noise()
	turn := c.between(0, 2*math.Pi)
	field := func(x, y float64) float64 {
		return turn + 2.6*(rough(x/210+40)+rough(y/190+90)+rough((x+y)/260+7)-1.5)
	}
	paths := make([]path, len(ink)-1)
	for i := range 150 {
		x, y := c.between(-30, c.w+30), c.between(-30, c.h+30)
		var xs, ys []float64
		for range 5 + c.IntN(8) {
			xs, ys = append(xs, x), append(ys, y)
			a := field(x, y)
			x, y = x+17*math.Cos(a), y+17*math.Sin(a)
		}
		p := &paths[i%len(paths)]
		p.move(xs[0], ys[0])
		for k := 1; k+1 < len(xs); k++ {
			p.bend(xs[k], ys[k], (xs[k]+xs[k+1])/2, (ys[k]+ys[k+1])/2)
		}
	}
	for i := range paths {
		c.stroke(&paths[i], ink[i+1], 7-float64(i)*1.2, 0.92)
	}
}

// mosaic is a field of triangles whose colors run from one corner to the other.
func (c *canvas) mosaic(ink []color) {
	const size = 72.0
	columns, rows := int(c.w/size)+3, int(c.h/size)+3
	xs, ys := make([][]float64, rows), make([][]float64, rows)
	for j := range rows {
		for i := range columns {
			xs[j] = append(xs[j], (float64(i)-1)*size+c.between(-20, 20))
			ys[j] = append(ys[j], (float64(j)-1)*size+c.between(-20, 20))
		}
	}
	order := ink[1:]
	turn := c.between(0.2, 1.3)
	tone := func(x, y float64) color {
		t := (x*math.Cos(turn) + y*math.Sin(turn)) / (c.w*math.Cos(turn) + c.h*math.Sin(turn))
		t = min(max(t+c.between(-0.06, 0.06), 0), 0.999) * float64(len(order)-1)
		return mix(order[int(t)], order[int(t)+1], t-math.Floor(t)).lighter(c.between(-0.035, 0.035))
	}
	for j := range rows - 1 {
		for i := range columns - 1 {
			corners := [4][2]float64{{xs[j][i], ys[j][i]}, {xs[j][i+1], ys[j][i+1]}, {xs[j+1][i+1], ys[j+1][i+1]}, {xs[j+1][i], ys[j+1][i]}}
			first := c.IntN(2)
			for k := range 2 {
				a, b, d := corners[first], corners[(first+1+k)%4], corners[(first+2+k)%4]
				col := tone((a[0]+b[0]+d[0])/3, (a[1]+b[1]+d[1])/3)
				var p path
				p.move(a[0], a[1]).line(b[0], b[1]).line(d[0], d[1]).close()
				c.add(`<path d="`, &p, `" fill="`, col, `" stroke="`, col, `" stroke-width="0.7"/>`)
			}
		}
	}
}

// blocks are tiles of quarter circles, halves and dots.
func (c *canvas) blocks(ink []color) {
	size := pick(c, []float64{75, 100})
	c.grid(size, func(x, y float64) {
		back, front, third := ink[c.IntN(len(ink))], ink[c.IntN(len(ink))], ink[c.IntN(len(ink))]
		for front == back {
			front = ink[c.IntN(len(ink))]
		}
		c.rect(x, y, size+0.5, size+0.5, back.String())
		var p path
		switch c.IntN(7) {
		case 0:
			p.move(x, y).line(x+size, y).arc(size, x, y+size, true).close()
		case 1:
			p.move(x+size, y+size).line(x, y+size).arc(size, x+size, y, true).close()
		case 2:
			p.move(x, y+size/2).arc(size/2, x+size, y+size/2, true).close()
			c.circle(x+size/2, y+size*0.75, size*0.14, third.String())
		case 3:
			p.move(x, y).line(x+size, y+size).line(x, y+size).close()
		case 4:
			c.circle(x+size/2, y+size/2, size*0.42, front.String())
			c.circle(x+size/2, y+size/2, size*0.2, third.String())
		case 5:
			p.move(x, y).bend(x+size, y, x+size, y+size).bend(x, y+size, x, y).close()
		default:
			for k := range 3 {
				p.move(x, y+size*(0.08+0.32*float64(k))).to("h", size).to("v", size*0.17).to("h", -size).close()
			}
		}
		c.fill(&p, front.String())
	})
}

// contours are the height lines of a map of nowhere.
func (c *canvas) contours(ink []color) {
	x, y := c.w*c.between(0.3, 0.7), c.h*c.between(0.3, 0.7)
	n := c.noise()
	levels := 16
	reach := math.Hypot(c.w, c.h) * 0.72
	order := ink[1:]
	c.rect(0, 0, c.w, c.h, order[0].String())
	for i := range levels {
		t := 1 - float64(i)/float64(levels)
		var xs, ys []float64
		const corners = 26
		for k := 0; k <= corners; k++ {
			a := 2 * math.Pi * float64(k%corners) / corners
			r := reach * t * (0.66 + 0.4*n(4+1.7*math.Cos(a)+t*1.3) + 0.36*(n(60+1.7*math.Sin(a)+t*1.3)-0.5))
			xs, ys = append(xs, x+r*math.Cos(a)), append(ys, y+r*math.Sin(a))
		}
		at := (1 - t) * float64(len(order)-1) * 0.999
		col := mix(order[int(at)], order[int(at)+1], at-math.Floor(at))
		var p path
		p.move(xs[0], ys[0]).smooth(xs, ys).close()
		c.add(`<path d="`, &p, `" fill="`, col, `" stroke="`, mix(col, ink[0], 0.45), `" stroke-width="1.6"/>`)
	}
}

// rainbows are arches in rows.
func (c *canvas) rainbows(ink []color) {
	size := pick(c, []float64{75, 100, 120})
	n := len(ink) - 1
	for i := range n {
		c.define(`<g id="r`, i, `">`)
		for k := range 5 {
			r := size/2*(1-0.19*float64(k)) - 1
			col := ink[1+(i+k)%n]
			if k == 4 {
				col = ink[0]
			}
			var p path
			p.move(-r, size*0.4).line(-r, 0).arc(r, r, 0, true).line(r, size*0.4).close()
			c.define(`<path d="`, &p, `" fill="`, col, `"/>`)
		}
		c.define("</g>")
	}
	row := 0
	for y := 0.0; y < c.h+size/2; y += size * 0.75 {
		for x := size / 2 * float64(row%2); x < c.w+size/2; x += size {
			c.add(`<use href="#r`, c.IntN(n), `" x="`, x, `" y="`, y, `"/>`)
		}
		row++
	}
}
