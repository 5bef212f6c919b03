package art

import (
	"math"
	"strconv"
)

// bouquet is the colors of a picture of flowers.
type bouquet struct {
	back   []string // top to bottom
	petals []string
	leaf   string
	heart  string
}

var bouquets = []bouquet{
	{[]string{"#fdf1e7", "#f9dcc9"}, []string{"#e76f51", "#f4a261", "#e9c46a", "#d1495b"}, "#4f772d", "#5b2a1e"},
	{[]string{"#e8f1f2", "#cfe3e2"}, []string{"#ef798a", "#f7a9a8", "#fde2e4", "#c8553d"}, "#3f6f5b", "#f6c453"},
	{[]string{"#22223b", "#3a3359"}, []string{"#f2e9e4", "#c9ada7", "#e5989b", "#ffb4a2"}, "#6b8f71", "#f6bd60"},
	{[]string{"#fff8e8", "#fdecc8"}, []string{"#5f4bb6", "#86a5d9", "#b8b8ff", "#9381ff"}, "#5a7d4d", "#f4d35e"},
	{[]string{"#0b3b3c", "#0f5257"}, []string{"#ffd6ba", "#fec89a", "#f08080", "#fbc4ab"}, "#7fa99b", "#f9dc5c"},
	{[]string{"#dff3f8", "#f4faf0"}, []string{"#d62839", "#ba324f", "#f26a4b", "#ff8c61"}, "#4a7c59", "#1d1a2b"},
	{[]string{"#f8edeb", "#fcd5ce"}, []string{"#ffffff", "#fec5bb", "#d8739a", "#a4517a"}, "#6a8d73", "#f3c969"},
	{[]string{"#1b2a41", "#324a5f"}, []string{"#ccc9dc", "#9fb8e8", "#f5e6ca", "#7d8fd6"}, "#5d8f80", "#ffd166"},
}

func (c *canvas) flowers() {
	b := pick(c, bouquets)
	switch c.IntN(5) {
	case 0:
		c.dahlia(b)
	case 1:
		c.botanic(b)
	case 2:
		c.tulips()
	default:
		c.meadow(pick(c, []bouquet{bouquets[0], bouquets[1], bouquets[3], bouquets[5], bouquets[6]}))
	}
}

// petal is a leaf from the origin upwards, with its width and length.
func petal(w, l, tip float64) string {
	var p path
	p.move(0, 0).curve(-w, -l*0.3, -w*tip, -l*0.9, 0, -l).curve(w*tip, -l*0.9, w, -l*0.3, 0, 0).close()
	return string(p.d)
}

// dahlia is one large flower of many rings.
func (c *canvas) dahlia(b bouquet) {
	c.rect(0, 0, c.w, c.h, c.tilted(even(hex(b.back[0]), hex(b.back[1]))...))
	x, y := c.w*c.between(0.38, 0.62), c.h*c.between(0.4, 0.6)
	radius := min(c.w, c.h) * c.between(0.42, 0.52)
	leaf := hex(b.leaf)
	for range 7 {
		c.add(`<path transform="translate(`, x, " ", y, ") rotate(", c.between(0, 360), `)" d="`, petal(radius*0.26, radius*c.between(1.25, 1.6), 0.5), `" fill="`, c.down(solid(0, leaf.lighter(0.05)), solid(1, leaf.lighter(-0.12))), `"/>`)
	}
	at := c.IntN(len(b.petals))
	first, last := hex(b.petals[at]), hex(b.petals[(at+1+c.IntN(len(b.petals)-1))%len(b.petals)])
	rings, n := 7, 13+c.IntN(8)
	tip := c.between(0.45, 1.1)
	for i := range rings {
		t := float64(i) / float64(rings-1)
		r := radius * (1 - 0.83*t)
		col := mix(first, last, t)
		shape := petal(r*c.between(0.17, 0.23)*(1+t*0.5), r, tip)
		fill := c.down(solid(0, col.lighter(0.05)), solid(0.5, mix(col, last, 0.25)), solid(1, col.lighter(-0.2)))
		c.define(`<path id="p`, i, `" d="`, shape, `" fill="`, fill, `"/>`)
		for k := range n {
			c.add(`<use href="#p`, i, `" transform="translate(`, x, " ", y, ") rotate(", (float64(k)+0.5*float64(i%2))*360/float64(n)+c.between(-2, 2), `)"/>`)
		}
	}
	c.circle(x, y, radius*0.09, hex(b.heart).String())
	var dots path
	for i := range 60 {
		a, r := float64(i)*2.39996, radius*0.085*math.Sqrt(float64(i)/60)
		dots.move(x+r*math.Cos(a), y+r*math.Sin(a)).to("h", 0)
	}
	c.stroke(&dots, hex(b.heart).lighter(0.16), 2.6, 0.9)
}

// bloom defines a flower of its own as the symbol name, of radius 1 times 50.
func (c *canvas) bloom(name string, b bouquet, kind int) {
	col := hex(pick(c, b.petals))
	heart := hex(b.heart)
	c.define(`<g id="`, name, `">`)
	ring := func(n int, w, l, tip, turn float64, col color) {
		shape := petal(w, l, tip)
		for k := range n {
			c.define(`<path d="`, shape, `" transform="rotate(`, turn+float64(k)*360/float64(n), `)" fill="`, col, `"/>`)
		}
	}
	switch kind % 4 {
	case 0: // a daisy
		ring(13, 9, 50, 0.9, 0, col.lighter(-0.05))
		ring(13, 7, 44, 0.9, 13, col)
		c.define(`<circle r="13" fill="`, heart, `"/><circle r="8" fill="`, heart.lighter(0.08), `"/>`)
	case 1: // a poppy
		ring(4, 46, 48, 1.3, 20, col.lighter(-0.06))
		ring(4, 38, 42, 1.3, 65, col)
		c.define(`<circle r="10" fill="`, heart, `"/><circle r="4" fill="`, heart.lighter(0.2), `"/>`)
	case 2: // five petals
		ring(5, 30, 48, 1.2, 0, col)
		ring(5, 11, 30, 0.8, 0, col.lighter(0.08))
		c.define(`<circle r="8" fill="`, heart, `"/>`)
	default: // a rose of rings
		ring(8, 26, 50, 1.2, 0, col.lighter(-0.09))
		ring(7, 22, 38, 1.2, 22, col.lighter(-0.03))
		ring(6, 16, 26, 1.2, 5, col.lighter(0.03))
		ring(5, 10, 15, 1.2, 40, col.lighter(0.08))
		c.define(`<circle r="4" fill="`, heart, `"/>`)
	}
	c.define("</g>")
}

func (c *canvas) use(name string, x, y, size, turn float64) {
	c.add(`<use href="#`, name, `" transform="translate(`, x, " ", y, ") rotate(", turn, ") scale(", fraction(size/50), `)"/>`)
}

// botanic spreads flowers and leaves evenly, as on wallpaper.
func (c *canvas) botanic(b bouquet) {
	c.rect(0, 0, c.w, c.h, c.down(even(hex(b.back[0]), hex(b.back[1]))...))
	leaf := hex(b.leaf)
	const leaves = 3
	for i := range leaves {
		col := leaf.lighter(0.08*float64(i) - 0.07)
		c.define(`<g id="l`, i, `">`)
		var stem path
		stem.move(0, 0).bend(8, -34, 0, -70)
		c.define(`<path d="`, &stem, `" fill="none" stroke="`, col, `" stroke-width="2.2"/>`)
		for k := range 5 {
			for _, side := range []float64{-1, 1} {
				c.define(`<path d="`, petal(7-float64(k)*0.7, 30-float64(k)*3, 0.7), `" transform="translate(3 `, -8-13*float64(k), ") rotate(", side*(58-4*float64(k)), `)" fill="`, col, `"/>`)
			}
		}
		c.define(`<path d="`, petal(6, 24, 0.7), `" transform="translate(0 -66)" fill="`, col, `"/></g>`)
	}
	for i := range 4 {
		c.bloom("b"+strconv.Itoa(i), b, c.IntN(4))
	}
	type spot struct{ x, y, r float64 }
	var spots []spot
	for range 900 {
		s := spot{c.between(0, c.w), c.between(0, c.h), c.between(30, 64)}
		free := true
		for _, o := range spots {
			free = free && math.Hypot(o.x-s.x, o.y-s.y) > (o.r+s.r)*0.96
		}
		if free {
			spots = append(spots, s)
		}
	}
	for _, s := range spots {
		for range 2 {
			c.use("l"+strconv.Itoa(c.IntN(leaves)), s.x, s.y, s.r*c.between(0.75, 1), c.between(0, 360))
		}
	}
	for _, s := range spots {
		c.use("b"+strconv.Itoa(c.IntN(4)), s.x, s.y, s.r*0.78, c.between(0, 360))
	}
}

// meadow is a field of flowers under a soft sky.
func (c *canvas) meadow(b bouquet) {
	above := pick(c, [][]string{{"#9fd3e6", "#d8eef0", "#fbf4dd"}, {"#f5c6a5", "#f9dcc4", "#fef3e2"}, {"#b8a9d9", "#e3c9dd", "#fbe6d8"}, {"#8fbcd4", "#cfe5ea", "#f7f3e3"}})
	cs := []color{hex(above[0]), hex(above[1]), hex(above[2])}
	c.rect(0, 0, c.w, c.h, c.down(even(cs...)...))
	s := sky{hour: day, colors: cs, sun: hex("#fffbea"), far: mix(hex(b.leaf), cs[2], 0.6), near: hex(b.leaf).lighter(-0.16)}
	c.light(s, c.w*c.between(0.2, 0.8), c.h*c.between(0.1, 0.3), 34)
	for i := range 3 {
		n := c.noise()
		var p path
		p.move(0, c.h)
		for x := 0.0; x <= c.w; x += 20 {
			p.line(x, c.h*(0.45+0.09*float64(i))-50*n(x/230))
		}
		p.line(c.w, c.h).close()
		col := s.layer(i, 5)
		c.fill(&p, c.down(solid(0, col), solid(1, mix(col, s.near, 0.4))))
	}
	c.rect(0, c.h*0.62, c.w, c.h*0.4, c.down(stop{0, 0, s.near}, stop{1, 0.9, s.near}))
	const kinds = 3
	for i := range kinds {
		c.bloom("b"+strconv.Itoa(i), b, c.IntN(3))
	}
	const rows = 6
	for row := range rows {
		t := float64(row) / (rows - 1)
		base, size := c.h*(0.64+0.44*t), 5+30*math.Pow(t, 1.3)
		var stems path
		type head struct{ x, y, r float64 }
		var heads []head
		for x := c.between(-20, 20); x < c.w+20; x += size * c.between(1.6, 3.2) {
			up := (30 + 190*t) * c.between(0.5, 1.05) * c.h / 700
			lean := c.between(-0.16, 0.16) * up
			stems.move(x, base+20).bend(x, base-up*0.5, x+lean, base-up)
			heads = append(heads, head{x + lean, base - up, size * c.between(0.7, 1.2)})
		}
		col := mix(mix(hex(b.leaf), cs[2], 0.3*(1-t)), s.near, 0.3*t)
		c.stroke(&stems, col, 1+2.2*t, 1)
		for _, h := range heads {
			c.use("b"+strconv.Itoa(c.IntN(kinds)), h.x, h.y, h.r, c.between(0, 360))
		}
		c.grass(col.lighter(-0.03), 11, base+24, 30+70*t)
	}
}

// tulips stand in rows that run to the horizon.
func (c *canvas) tulips() {
	s := pick(c, skies("sea"))
	horizon := c.h * c.between(0.34, 0.46)
	c.above(s, horizon)
	x := c.w * c.between(0.3, 0.7)
	c.light(s, x, horizon-c.h*c.between(0.03, 0.16), 36)
	c.clouds(s, 3, c.h*0.05, horizon*0.7)
	var trees path
	for tx := 0.0; tx < c.w; tx += c.between(5, 26) {
		r := c.between(4, 13)
		trees.move(tx-r, horizon+2).arc(r, tx+r, horizon+2, true).close()
	}
	c.fill(&trees, s.layer(1, 3).String())
	ground := mix(hex("#3f6b3a"), s.near, 0.3)
	c.rect(0, horizon, c.w, c.h-horizon+2, ground.String())
	colors := pick(c, [][]string{{"#e63946", "#ffb703", "#f28482", "#f7ede2", "#9d4edd"}, {"#d81159", "#ffbc42", "#f7cad0", "#8f2d56", "#ff8fab"}, {"#ff7b54", "#ffb26b", "#ffd56f", "#c94c8a", "#fff1e6"}})
	vx, n := x, 15
	for i := range n {
		a, b := -1.6+3.2*float64(i)/float64(n), -1.6+3.2*(float64(i)+0.66)/float64(n)
		var p path
		var heads [4]path
		p.move(vx+a*14, horizon).line(vx+b*14, horizon).line(c.w/2+b*c.w*1.25, c.h+2).line(c.w/2+a*c.w*1.25, c.h+2).close()
		col := mix(hex(colors[i%len(colors)]), s.far, 0.12)
		c.fill(&p, c.down(solid(0, mix(col, s.horizon(), 0.35)), solid(1, col.lighter(-0.08))))
		for k := range heads { // from far to near, larger and larger
			for range 16 {
				t := (float64(k) + c.Float64()) / float64(len(heads))
				at := a + (b-a)*c.Float64()
				heads[k].move((vx+at*14)*(1-t)+(c.w/2+at*c.w*1.25)*t, horizon+(c.h-horizon)*t).to("v", 2+7*t)
			}
			c.stroke(&heads[k], col.lighter(0.09), 1+8*(float64(k)+0.5)/float64(len(heads)), 0.8)
		}
	}
}
