package art

import "math"

// landscape draws layers under a sky, from far to near.
func (c *canvas) landscape(s sky, tag string) {
	horizon := c.h * c.between(0.45, 0.6)
	s.draw(c, horizon)
	n := 4 + c.IntN(2)
	if tag == "sea" {
		n = 2
	}
	for i := range n {
		t := float64(i) / float64(max(n-1, 1)) // 0 is far, 1 is near
		base := horizon + (c.h-horizon)*0.85*t
		col := mix(s.far, s.near, t)
		switch tag {
		case "sea":
			c.hills(s, col, t, base, c.between(10, 40), 420)
			if i == 0 {
				c.water(s, horizon)
			}
		case "mountains":
			c.peaks(s, col, t, base)
		case "forest":
			c.trees(col, c.hills(s, col, t, base, 28, 300), 26+70*t)
		case "city":
			c.skyline(s, col, t, min(base+60, c.h))
		case "desert":
			c.dunes(s, col, t, base)
		default: // night
			y := c.hills(s, col, t, base, 40, 380)
			if i >= n-2 {
				c.trees(col, y, 24+40*t)
			}
		}
	}
}

// under fills the area below a line, with mist at its foot.
func (c *canvas) under(s sky, col color, t float64, line *path) {
	line.to("L", c.w+10, c.h).to("L", -10, c.h).WriteString("Z")
	c.fill(line, c.down(col, mix(col, s.horizon(), 0.4*(1-t))))
}

// hills draws a smooth line, and returns its height at any place.
func (c *canvas) hills(s sky, col color, t, base, high, length float64) func(x float64) float64 {
	wave := c.waves(length)
	y := func(x float64) float64 { return base - high*wave(x) }
	var p path
	p.to("M", -10, y(-10))
	for x := 0.0; x <= c.w+12; x += 12 {
		p.to("L", x, y(x))
	}
	c.under(s, col, t, &p)
	return y
}

// peaks draws mountains with snow or light on one side of each summit.
func (c *canvas) peaks(s sky, col color, t, base float64) {
	var line, light path
	high := c.h * (0.3 - 0.2*t)
	x, y := -10.0, base
	line.to("M", x, y)
	for x < c.w {
		wide := c.between(50, 120) * (1.3 - 0.6*t)
		up := high * c.between(0.4, 1)
		top, foot := base-up, base-up*c.between(0, 0.35)
		line.to("L", x+wide*0.55, y+(top-y)*0.6).to("L", x+wide, top).to("L", x+wide*1.35, top+(foot-top)*0.5).to("L", x+wide*1.9, foot)
		light.to("M", x+wide, top).to("L", x+wide*1.35, top+(foot-top)*0.5).to("L", x+wide*1.25, top+(foot-top)*0.85).
			to("L", x+wide*1.08, top+(foot-top)*0.55).to("L", x+wide*0.98, top+(foot-top)*0.8).WriteString("Z")
		x, y = x+wide*1.9, foot
	}
	c.under(s, col, t, &line)
	c.add(`<path d="%s" fill="%v" fill-opacity="%.2f"/>`, &light, s.sun, 0.5-0.4*t)
}

// trees draws firs along a line.
func (c *canvas) trees(col color, y func(x float64) float64, tall float64) {
	var p path
	for x := c.between(-20, 0); x < c.w+20; x += tall * c.between(0.2, 0.7) {
		h := tall * c.between(0.5, 1.2)
		for k := range 3 { // tiers
			foot, half := y(x)+6-h*0.26*float64(k), h*(0.21-0.05*float64(k))
			p.to("M", x-half, foot).to("L", x, foot-h*0.48).to("L", x+half, foot).WriteString("Z")
		}
	}
	c.fill(&p, mix(col, color{}, 0.12))
}

// water fills the picture from the horizon, with light on the waves and a boat.
func (c *canvas) water(s sky, top float64) {
	c.rect(top, c.w, c.h-top, c.down(mix(s.horizon(), s.far, 0.5), mix(s.far, s.near, 0.4), mix(s.far, s.near, 0.8)))
	var p path
	for range 90 {
		t := c.Float64() * c.Float64()
		p.to("M", c.between(-20, c.w), top+4+(c.h-top)*t).to("h", (6+60*t)*c.between(0.5, 1.5))
	}
	c.stroke(&p, s.horizon(), 1.4, 0.4)
	if c.chance(0.5) {
		x, y, size := c.w*c.between(0.15, 0.85), top+c.between(10, 50), c.between(16, 34)
		var hull, sail path
		hull.to("M", x-size*0.5, y).to("L", x+size*0.5, y).to("L", x+size*0.3, y+size*0.2).to("L", x-size*0.35, y+size*0.2).WriteString("Z")
		sail.to("M", x, y-2).to("L", x, y-size*1.2).to("L", x+size*0.5, y-2).WriteString("Z")
		c.fill(&hull, s.near)
		c.fill(&sail, pick(c, []color{s.sun, hex("#c4473f")}))
	}
}

// skyline draws a row of buildings with lit windows.
func (c *canvas) skyline(s sky, col color, t, bottom float64) {
	var walls, lit path
	for x := c.between(-30, 0); x < c.w+10; {
		w := c.between(26, 60) * (0.8 + 0.4*t)
		top := bottom - c.h*(0.42-0.2*t)*c.between(0.3, 1.1)
		walls.to("M", x, c.h).to("L", x, top)
		switch c.IntN(4) {
		case 0: // a gable
			walls.to("L", x+w/2, top-w*0.4)
		case 1: // a spire
			walls.to("L", x+w*0.45, top).to("L", x+w/2, top-w*0.9).to("L", x+w*0.55, top)
		}
		walls.to("L", x+w, top).to("L", x+w, c.h).WriteString("Z")
		for y := top + 8; t > 0.2 && y < min(bottom, top+120); y += 10 {
			for k := x + 6; k < x+w-5; k += 9 {
				if c.chance(0.16) {
					lit.to("M", k, y).to("h3 ")
				}
			}
		}
		x += w
	}
	c.fill(&walls, c.down(col, mix(col, s.horizon(), 0.35*(1-t))))
	c.stroke(&lit, hex("#ffd98a"), 3.4, 0.85)
}

// dunes draws a ridge with a dark side.
func (c *canvas) dunes(s sky, col color, t, base float64) {
	y := c.hills(s, col, t, base, 46, 520)
	var shade path
	const step = 10
	deep := func(x float64) float64 { return 6 * max(0, y(x+step)-y(x)) } // where it goes down to the right
	for x := -10.0; x < c.w; x += step {
		shade.to("M", x, y(x)).to("L", x+step, y(x+step)).to("L", x+step, y(x+step)+deep(x+step)).to("L", x, y(x)+deep(x)).WriteString("Z")
	}
	c.add(`<path d="%s" fill="%v" fill-opacity="0.3"/>`, &shade, mix(col, s.near, 0.6))
}

var inks = []string{
	"#f4f1de #e07a5f #3d405b #81b29a #f2cc8f", "#0b1d2a #ef6f6c #f6c667 #56a3a6 #e8ddcb", "#fefae0 #606c38 #283618 #dda15e #bc6c25",
	"#edede9 #264653 #2a9d8f #e9c46a #e76f51", "#231942 #5e548e #9f86c0 #e0b1cb #f7e1d7", "#f8f4ec #1d3557 #457b9d #a8dadc #e63946",
	"#fff7ec #f4845f #f7b267 #6d597a #355070", "#10302b #2f6f5e #88b99a #f1e3b8 #e2904f", "#faf3ee #d4a5a5 #9d6b7c #5b4b6a #ffdac1",
}

// flowers draws blossoms on stems.
func (c *canvas) flowers() {
	ink := palette(pick(c, inks))
	c.rect(0, c.w, c.h, c.down(mix(ink[0], hex("#ffffff"), 0.4), ink[0]))
	for range 9 + c.IntN(8) {
		x, y, r := c.between(0, c.w), c.between(0.12, 0.85)*c.h, c.between(20, 52)
		var stem path
		stem.to("M", x, y).to("Q", x+c.between(-30, 30), (y+c.h)/2, x+c.between(-40, 40), c.h)
		c.stroke(&stem, hex("#5c7c4f"), 3, 0.8)
		petals, col := 5+c.IntN(5), pick(c, ink[1:])
		for k := range petals {
			c.add(`<ellipse cx="%.1f" cy="%.1f" rx="%.1f" ry="%.1f" fill="%v" fill-opacity="0.85" transform="rotate(%d %.1f %.1f)"/>`,
				x, y-r*0.7, r*0.42, r*0.75, col, 360*k/petals, x, y)
		}
		c.circle(x, y, r*0.3, pick(c, ink))
	}
}

// patterns draws tiles: quarters of circles, rings or triangles.
func (c *canvas) patterns() {
	ink := palette(pick(c, inks))
	c.rect(0, c.w, c.h, ink[0])
	kind, size := c.IntN(4), pick(c, []float64{60, 75, 100})
	for y := 0.0; y < c.h; y += size {
		for x := 0.0; x < c.w; x += size {
			col := pick(c, ink[1:])
			turn := math.Floor(c.between(0, 4)) * 90
			var p path
			switch kind {
			case 0:
				p.to("M", x, y).to("h", size).to("A", size, size, 0, 0, 1, x, y+size).WriteString("Z")
			case 1:
				p.to("M", x, y).to("h", size).to("L", x, y+size).WriteString("Z")
			case 2:
				p.to("M", x, y+size/2).to("A", size/2, size/2, 0, 0, 1, x+size, y+size/2).WriteString("Z")
			default:
				c.circle(x+size/2, y+size/2, size*0.46, col)
				c.circle(x+size/2, y+size/2, size*0.28, pick(c, ink))
				continue
			}
			c.add(`<path d="%s" fill="%v" transform="rotate(%.0f %.1f %.1f)"/>`, &p, col, turn, x+size/2, y+size/2)
		}
	}
}
