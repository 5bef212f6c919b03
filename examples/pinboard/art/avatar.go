package art

// ears are the shapes of both ears, drawn on the left and mirrored to the right.
var ears = []string{
	`<path d="M20 46 24 16 46 30Z"/>`,                                        // cat and fox
	`<circle cx="25" cy="30" r="12"/>`,                                       // bear
	`<ellipse cx="36" cy="22" rx="8" ry="20" transform="rotate(-8 36 22)"/>`, // rabbit
	`<ellipse cx="20" cy="48" rx="9" ry="20" transform="rotate(18 20 48)"/>`, // dog
}

// Avatar draws the face of an animal, 96 by 96, by the id alone.
func Avatar(id string) []byte {
	c := &canvas{Rand: random("avatar", id), w: 96, h: 96}
	back := palette(pick(c, []string{"#ffd6a5 #ffadad", "#caffbf #9bd7c0", "#bde0fe #8fb8ed", "#e2cfea #b79ced", "#fff1c1 #f6c667", "#c7e9e5 #6fb7b0", "#48546d #2b3350"}))
	fur := hex(pick(c, []string{"#f0a35e", "#8d8f9c", "#4a4453", "#e9dcc9", "#9c6b45", "#e4733a", "#f7f1ea", "#6d6a8a"}))
	clothes := hex(pick(c, []string{"#e76f51", "#2a9d8f", "#264653", "#f4a261", "#8d6a9f", "#457b9d", "#b5443c", "#5c7c4f"}))
	ink, pale := hex("#2b2433"), mix(fur, hex("#fff6ea"), 0.65)

	c.rect(0, 96, 96, c.down(back...))
	c.add(`<ellipse cx="48" cy="98" rx="36" ry="26" fill="%v"/>`, clothes)
	ear := pick(c, ears)
	c.add(`<g fill="%v">%s<g transform="matrix(-1 0 0 1 96 0)">%s</g></g>`, mix(fur, ink, 0.15), ear, ear)
	c.add(`<ellipse cx="48" cy="54" rx="%.1f" ry="25" fill="%v"/><ellipse cx="48" cy="63" rx="14" ry="10" fill="%v"/>`, c.between(27, 32), fur, pale)
	apart, r := c.between(10, 14), c.between(3.4, 4.8)
	for _, x := range []float64{48 - apart, 48 + apart} {
		c.circle(x, 50, r+1.6, pale)
		c.circle(x, 50, r, ink)
		c.circle(x+1.3, 48.6, r*0.34, "#ffffff")
		c.add(`<circle cx="%.1f" cy="61" r="4.6" fill="#ff8a8a" fill-opacity="0.35"/>`, 48+(x-48)*1.75)
	}
	c.add(`<ellipse cx="48" cy="58" rx="4" ry="3" fill="%v"/><path d="M42 64Q45 68 48 64Q51 68 54 64" fill="none" stroke="%v" stroke-width="1.8" stroke-linecap="round"/>`, ink, ink)
	if c.chance(0.25) { // glasses
		c.add(`<g fill="none" stroke="%v" stroke-width="1.8"><circle cx="%.1f" cy="50" r="8"/><circle cx="%.1f" cy="50" r="8"/><path d="M45 49h6"/></g>`, ink, 48-apart, 48+apart)
	}
	return c.bytes()
}
