package art

import "math"

func (c *canvas) night(s sky) {
	c.rect(0, 0, c.w, c.h, c.down(even(append([]color{s.colors[0], s.colors[1]}, mix(s.colors[2], s.horizon(), 0.35))...)...))
	switch scene := c.IntN(4); scene {
	case 0:
		c.trails()
	case 1, 2:
		c.aurora()
	default:
		c.milkyWay(s)
	}
	if c.chance(0.3) {
		x, y := c.between(0.2, 0.7)*c.w, c.between(0.08, 0.3)*c.h
		var p path
		p.move(x, y).line(x+90, y+40).line(x+88, y+42).close()
		c.fill(&p, c.across(stop{0, 0, hex("#ffffff")}, stop{1, 0.9, hex("#ffffff")}))
	}
	c.silhouettes(s)
}

// silhouettes are the ground of a night.
func (c *canvas) silhouettes(s sky) {
	for i := range 3 {
		hs := c.jagged(6, 2+c.IntN(2), 0.08)
		base, amp := c.h*(0.84+0.05*float64(i)), c.h*(0.2-0.05*float64(i))
		col := mix(mix(s.colors[1], s.far, 0.35), s.near, 0.45+0.27*float64(i))
		var p, trees path
		p.move(-5, c.h+2)
		for j, h := range hs {
			p.line(-5+(c.w+10)*float64(j)/float64(len(hs)-1), base-amp*(h-0.3))
		}
		p.line(c.w+5, c.h+2).close()
		c.fill(&p, c.down(solid(0, col), solid(1, col.lighter(-0.02))))
		if i < 2 {
			continue
		}
		for j := range len(hs) - 1 {
			if c.chance(0.75) {
				c.spruce(&trees, (c.w+10)*float64(j)/float64(len(hs)-1)+c.between(-6, 6), base-amp*(hs[j]-0.3)+10, c.between(18, 52))
			}
		}
		c.fill(&trees, col.String())
		if c.chance(0.45) { // somebody camps
			x, y := c.w*c.between(0.25, 0.75), c.h*0.955
			lamp := hex("#ffbf69")
			c.circle(x, y, 70, c.glow(stop{0, 0.5, lamp}, stop{1, 0, lamp}))
			var tent, door path
			tent.move(x-24, y+10).line(x, y-20).line(x+26, y+10).close()
			door.move(x-6, y+10).line(x, y-18).line(x+8, y+10).close()
			c.fill(&tent, c.down(solid(0, hex("#ffd79a")), solid(1, hex("#d9772b"))))
			c.fill(&door, hex("#8a3b1a").String())
		}
	}
}

// trails are what stars leave on a long exposure.
func (c *canvas) trails() {
	x, y := c.w*c.between(0.25, 0.75), c.h*c.between(0.3, 0.6)
	tints := []color{hex("#ffffff"), hex("#cfe3ff"), hex("#ffe9c9"), hex("#b9d4ff")}
	sweep := c.between(0.35, 0.75)
	for k, tint := range tints {
		var p path
		for i := range 105 {
			r := 6 + math.Sqrt(c.Float64()*float64(i+20)/125)*math.Hypot(c.w, c.h)*0.72
			a := c.between(0, 2*math.Pi)
			b := a + sweep*c.between(0.6, 1.05)
			p.move(x+r*math.Cos(a), y+r*math.Sin(a)).arc(r, x+r*math.Cos(b), y+r*math.Sin(b), true)
		}
		c.stroke(&p, tint, 0.8+0.25*float64(k%3), 0.35+0.13*float64(k))
	}
	c.circle(x, y, 1.6, "#fff")
}

// aurora draws curtains of light.
func (c *canvas) aurora() {
	c.stars(130, c.h*0.85)
	tints := pick(c, [][]color{{hex("#5ef2b0"), hex("#33c9a0"), hex("#8e6be8")}, {hex("#7dffcb"), hex("#3ad1c1"), hex("#4f8fe8")}, {hex("#a6f77b"), hex("#39d98a"), hex("#c85bd6")}})
	for i := range 3 {
		base := c.h * (0.42 + 0.1*float64(i)) * c.between(0.85, 1.05)
		bend := c.noise()
		fine := c.noise()
		tint := tints[i%2]
		// Strips stand side by side, each with its own height and strength.
		fills := make([]string, 4)
		for k := range fills {
			a := 0.1 + 0.11*float64(k)
			fills[k] = c.down(stop{0, 0, tints[2]}, stop{0.35, a * 0.5, tints[2]}, stop{0.78, a, tint}, stop{0.93, a * 1.15, tint}, stop{1, 0, tint})
		}
		const wide = 9.0
		for x := -10.0; x < c.w; x += wide {
			y := base + 130*(bend(x/190+float64(i)*3)-0.5) + 20*math.Sin(x/60)
			v := fine(x / 26)
			long := c.h * (0.2 + 0.26*v)
			c.rect(x, y-long, wide+0.4, long+18, fills[int(v*3.99)])
		}
	}
}

// milkyWay is a band of many stars.
func (c *canvas) milkyWay(s sky) {
	c.stars(220, c.h*0.95)
	turn := c.between(25, 65)
	if c.chance(0.5) {
		turn = -turn
	}
	x, y := c.w*0.5, c.h*0.4
	c.group(`transform="rotate(` + num(turn) + " " + num(x) + " " + num(y) + `)"`)
	long := math.Hypot(c.w, c.h) * 0.62
	for i, tint := range []color{mix(s.far, hex("#a8c0ff"), 0.5), mix(s.far, hex("#f3c6e8"), 0.5), hex("#fff2d9")} {
		c.ellipse(x+c.between(-50, 50), y+c.between(-14, 14), long*(1.15-0.2*float64(i)), 210-68*float64(i), c.glow(stop{0, 0.3, tint}, stop{0.3, 0.17, tint}, stop{0.65, 0.05, tint}, stop{1, 0, tint}))
	}
	dust := c.glow(stop{0, 0.4, s.colors[0]}, stop{1, 0, s.colors[0]})
	for range 16 {
		c.ellipse(x+c.between(-0.75, 0.75)*long, y+c.NormFloat64()*26, c.between(26, 110), c.between(7, 26), dust)
	}
	var small, large path
	for i := range 620 {
		px, py := x+c.between(-1, 1)*long, y+c.NormFloat64()*62
		if i%6 == 0 {
			large.move(px, py).to("h", 0)
		} else {
			small.move(px, py).to("h", 0)
		}
	}
	c.stroke(&small, hex("#ffffff"), 0.8, 0.6)
	c.stroke(&large, hex("#fff6e0"), 1.5, 0.85)
	c.end()
}
