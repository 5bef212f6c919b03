package art

import "math"

// Avatar draws the face of an animal, 96 by 96, by the id alone.
func Avatar(id string) []byte {
	c := &canvas{Rand: random("avatar", id), w: 96, h: 96}
	back := pick(c, [][2]string{
		{"#ffd6a5", "#ffadad"}, {"#caffbf", "#9bd7c0"}, {"#bde0fe", "#8fb8ed"}, {"#e2cfea", "#b79ced"}, {"#fde2e4", "#f7a9b8"},
		{"#fff1c1", "#f6c667"}, {"#c7e9e5", "#6fb7b0"}, {"#d7e3fc", "#9aa8e0"}, {"#f9dcc4", "#f29e7a"}, {"#d8f3dc", "#74c69d"}, {"#48546d", "#2b3350"}, {"#3f6870", "#1f3d47"},
	})
	c.rect(0, 0, 96, 96, c.down(even(hex(back[0]), hex(back[1]))...))
	f := face{canvas: c, clothes: hex(pick(c, []string{"#e76f51", "#2a9d8f", "#264653", "#f4a261", "#8d6a9f", "#457b9d", "#b5443c", "#5c7c4f", "#f2c14e", "#ef8e9d"}))}
	f.shoulders()
	switch c.IntN(9) {
	case 0:
		f.cat()
	case 1:
		f.fox()
	case 2:
		f.bear()
	case 3:
		f.panda()
	case 4:
		f.rabbit()
	case 5:
		f.owl()
	case 6:
		f.penguin()
	case 7:
		f.koala()
	default:
		f.dog()
	}
	f.extra()
	return c.bytes()
}

// face draws around the middle of an avatar.
type face struct {
	*canvas
	clothes color
}

var ink = hex("#2b2433")

func (f face) shoulders() {
	var p path
	p.move(14, 97).curve(14, 78, 30, 72, 48, 72).curve(66, 72, 82, 78, 82, 97).close()
	f.fill(&p, f.clothes.String())
	if f.chance(0.4) {
		var stripes path
		stripes.move(18, 86).line(78, 86).move(15, 92).line(81, 92)
		f.stroke(&stripes, mix(f.clothes, hex("#ffffff"), 0.6), 2.4, 0.9)
	}
}

// head is wider below its middle where jaw is above 0.
func (f face) head(col color, rx, ry, jaw float64) {
	var p path
	p.move(48-rx, 50+jaw).curve(48-rx, 50-ry*1.25+jaw*0.3, 48+rx, 50-ry*1.25+jaw*0.3, 48+rx, 50+jaw).curve(48+rx, 50+ry*1.2+jaw*0.4, 48-rx, 50+ry*1.2+jaw*0.4, 48-rx, 50+jaw).close()
	f.fill(&p, col.String())
}

// both draws something on the left and its mirror image on the right.
func (f face) both(draw func()) {
	draw()
	f.group(`transform="matrix(-1 0 0 1 96 0)"`)
	draw()
	f.end()
}

func (f face) eyes(apart, y, r float64) {
	closed := f.chance(0.18)
	f.both(func() {
		if closed {
			var p path
			p.move(48-apart-r, y).bend(48-apart, y+r*1.5, 48-apart+r, y)
			f.stroke(&p, ink, 2.2, 1)
			return
		}
		f.circle(48-apart, y, r, ink.String())
	})
	if !closed {
		f.circle(48-apart+r*0.35, y-r*0.35, r*0.34, "#fff")
		f.circle(48+apart+r*0.35, y-r*0.35, r*0.34, "#fff")
	}
}

func (f face) nose(y, w float64, col color) {
	var p path
	p.move(48-w, y).bend(48, y-w*0.5, 48+w, y).bend(48+w*0.5, y+w*1.1, 48, y+w*1.1).bend(48-w*0.5, y+w*1.1, 48-w, y).close()
	f.fill(&p, col.String())
}

func (f face) mouth(y, w float64) {
	var p path
	p.move(48-w, y).bend(48-w*0.5, y+w*0.75, 48, y).bend(48+w*0.5, y+w*0.75, 48+w, y)
	f.stroke(&p, ink, 1.8, 1)
}

func (f face) cheeks(x, y float64) {
	f.both(func() {
		f.add(`<circle cx="`, 48-x, `" cy="`, y, `" r="4.6" fill="#ff8a8a" fill-opacity="0.4"/>`)
	})
}

func (f face) pointed(x, y, w, h float64, outer, inner color) {
	f.both(func() {
		var p, q path
		p.move(x, y).bend(x+w*0.02, y-h*0.8, x+w*0.12, y-h).bend(x+w*0.75, y-h*0.7, x+w, y-h*0.1).close()
		q.move(x+w*0.16, y-h*0.15).line(x+w*0.22, y-h*0.72).line(x+w*0.72, y-h*0.22).close()
		f.fill(&p, outer.String())
		f.fill(&q, inner.String())
	})
}

func (f face) round(x, y, r float64, outer, inner color) {
	f.both(func() {
		f.circle(x, y, r, outer.String())
		f.circle(x, y, r*0.58, inner.String())
	})
}

func (f face) cat() {
	col := hex(pick(f.canvas, []string{"#f0a35e", "#8d8f9c", "#4a4453", "#e9dcc9", "#c98f5b"}))
	pale := mix(col, hex("#fff6ea"), 0.65)
	f.pointed(20, 44, 24, 30, col, hex("#f2a7a7"))
	f.head(col, 29, 25, 4)
	var marks path
	marks.move(48, 27).line(48, 35).move(41, 28.5).line(42, 35).move(55, 28.5).line(54, 35)
	f.stroke(&marks, col.lighter(-0.14), 3, 0.8)
	f.ellipse(48, 63, 13, 9, pale.String())
	f.eyes(12, 50, 4.3)
	f.nose(57, 3.4, hex("#d97b7b"))
	f.mouth(62, 6)
	f.both(func() {
		var p path
		p.move(30, 60).line(16, 57).move(30, 64).line(17, 66)
		f.stroke(&p, mix(ink, pale, 0.4), 1.1, 0.8)
	})
}

func (f face) fox() {
	col := hex(pick(f.canvas, []string{"#e4733a", "#d9622b", "#e98a4b", "#9aa3ad"}))
	white := hex("#fff4e8")
	f.pointed(17, 46, 25, 36, col, ink)
	f.head(col, 30, 24, 3)
	f.both(func() {
		var p path
		p.move(18, 55).bend(30, 52, 40, 58).bend(46, 61, 48, 70).line(48, 74).bend(28, 74, 18, 55).close()
		f.fill(&p, white.String())
	})
	f.eyes(13, 50, 4)
	f.nose(65, 4, ink)
}

func (f face) bear() {
	col := hex(pick(f.canvas, []string{"#9c6b45", "#7b5138", "#b98355", "#efe6da"}))
	pale := mix(col, hex("#fff1dd"), 0.6)
	f.round(24, 30, 11, col, pale)
	f.head(col, 30, 26, 4)
	f.ellipse(48, 62, 13.5, 11, pale.String())
	f.eyes(12, 49, 3.6)
	f.nose(56, 4.6, ink)
	f.mouth(64, 5)
	f.cheeks(20, 59)
}

func (f face) panda() {
	white := hex("#fbf8f2")
	f.round(24, 29, 11, ink, mix(ink, white, 0.2))
	f.head(white, 31, 26, 4)
	f.both(func() {
		f.add(`<ellipse cx="35" cy="51" rx="8" ry="9.6" fill="`, ink, `" transform="rotate(28 35 51)"/><circle cx="36.4" cy="50" r="3.6" fill="#fff"/>`)
	})
	f.circle(37, 50.4, 2.2, ink.String())
	f.circle(59, 50.4, 2.2, ink.String())
	f.nose(59, 4, ink)
	f.mouth(65, 5)
	f.cheeks(22, 63)
}

func (f face) rabbit() {
	col := hex(pick(f.canvas, []string{"#f7f1ea", "#d9c3ad", "#b7a6a0", "#f3dcd0"}))
	f.both(func() {
		f.add(`<g transform="rotate(`, f.tilt(), ` 36 34)"><ellipse cx="36" cy="20" rx="8" ry="21" fill="`, col, `"/><ellipse cx="36" cy="21" rx="4" ry="15" fill="#f4b6b6"/></g>`)
	})
	f.head(col, 27, 24, 5)
	f.eyes(11, 51, 4)
	f.nose(58, 3.2, hex("#e08f92"))
	f.mouth(62.5, 5)
	f.add(`<path d="M45 65h6v6h-6z" fill="#fff"/><path d="M48 65v6" stroke="`, mix(col, ink, 0.4), `" stroke-width="0.8"/>`)
	f.cheeks(18, 61)
}

// tilt is the lean of ears, the same for both.
func (f face) tilt() float64 { return -10 }

func (f face) owl() {
	col := hex(pick(f.canvas, []string{"#8c6f56", "#6d6a8a", "#a9815a", "#5d7f78"}))
	pale := mix(col, hex("#fff3df"), 0.7)
	f.pointed(21, 40, 18, 20, col, col.lighter(-0.08))
	f.head(col, 29, 27, 4)
	f.both(func() {
		f.circle(36, 49, 13, pale.String())
		f.circle(36, 49, 9, "#fff")
	})
	f.eyes(11, 49, 5.4)
	beak := hex("#f2a541")
	var p path
	p.move(43.5, 56).bend(48, 53, 52.5, 56).line(48, 65).close()
	f.fill(&p, beak.String())
	var chest path
	for i := range 3 {
		chest.move(37+float64(i)*9, 69).bend(39.5+float64(i)*9, 73, 42+float64(i)*9, 69)
	}
	f.stroke(&chest, pale, 1.8, 0.9)
}

func (f face) penguin() {
	col := hex(pick(f.canvas, []string{"#2f3a56", "#33333f", "#3d5a80"}))
	f.head(col, 29, 28, 3)
	white := hex("#fdfaf3")
	f.both(func() { f.ellipse(38, 54, 13, 15, white.String()) })
	f.ellipse(48, 63, 16, 11, white.String())
	f.eyes(10.5, 49, 3.8)
	var p path
	p.move(41, 57).bend(48, 52.5, 55, 57).bend(48, 66, 41, 57).close()
	f.fill(&p, hex("#f4a13a").String())
	f.cheeks(17, 60)
}

func (f face) koala() {
	col := hex(pick(f.canvas, []string{"#a3a9b5", "#8e96a6", "#b9b3ad"}))
	f.round(19, 39, 14, col, hex("#f0c9c9"))
	f.head(col, 28, 25, 4)
	f.eyes(13, 49, 3.8)
	f.ellipse(48, 57, 6.4, 9.4, mix(ink, col, 0.12).String())
	f.add(`<ellipse cx="46.4" cy="52.6" rx="2" ry="2.8" fill="#fff" fill-opacity="0.35"/>`)
	f.mouth(68, 4)
	f.cheeks(19, 60)
}

func (f face) dog() {
	col := hex(pick(f.canvas, []string{"#e8c79b", "#c89663", "#f6efe4", "#9b7a5d"}))
	dark := col.lighter(-0.2)
	f.head(col, 28, 26, 4)
	f.both(func() {
		var p path
		p.move(29, 30).curve(10, 28, 10, 56, 18, 62).curve(26, 64, 28, 46, 33, 36).close()
		f.fill(&p, dark.String())
	})
	if f.chance(0.5) {
		f.ellipse(60, 48, 9, 10.5, mix(col, dark, 0.7).String())
	}
	f.ellipse(48, 63, 13, 10, mix(col, hex("#fffaf0"), 0.7).String())
	f.eyes(12, 49, 4)
	f.nose(57, 5, ink)
	f.mouth(65, 5.5)
	if f.chance(0.5) {
		f.add(`<path d="M45 68c0 6 6 6 6 0z" fill="#ef8a8a"/>`)
	}
}

// extra gives some of them glasses, a hat or a flower.
func (f face) extra() {
	switch f.IntN(9) {
	case 0:
		frame := pick(f.canvas, []color{ink, hex("#8a5a2b"), hex("#c23b52")})
		f.both(func() {
			f.add(`<circle cx="36" cy="50" r="9.5" fill="#fff" fill-opacity="0.18" stroke="`, frame, `" stroke-width="2.2"/>`)
		})
		var p path
		p.move(45.5, 49).bend(48, 47, 50.5, 49)
		f.stroke(&p, frame, 2.2, 1)
	case 1: // a knitted hat
		var p path
		p.move(23, 36).curve(24, 8, 72, 8, 73, 36).close()
		f.fill(&p, f.clothes.String())
		f.add(`<rect x="20" y="31" width="56" height="9" rx="4.5" fill="`, mix(f.clothes, hex("#ffffff"), 0.55), `"/>`)
		f.circle(48, 13, 6, mix(f.clothes, hex("#ffffff"), 0.55).String())
	case 2: // a flower
		col := hex(pick(f.canvas, []string{"#ff8fab", "#ffd166", "#ffffff", "#c77dff"}))
		for i := range 5 {
			a := 2 * math.Pi * float64(i) / 5
			f.circle(69+5*math.Cos(a), 32+5*math.Sin(a), 4.2, col.String())
		}
		f.circle(69, 32, 3.4, "#f4a13a")
	case 3: // a scarf
		f.add(`<path d="M24 73c14 9 34 9 48 0l2 8c-15 9-37 9-52 0z" fill="`, f.clothes.lighter(-0.12), `"/><path d="M60 79l9-2 3 18h-9z" fill="`, f.clothes.lighter(-0.17), `"/>`)
	}
}
