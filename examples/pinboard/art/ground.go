package art

import "math"

// noise is smooth and random, from 0 to 1.
func (c *canvas) noise() func(x float64) float64 {
	var table [256]float64
	for i := range table {
		table[i] = c.Float64()
	}
	return func(x float64) float64 {
		at := math.Floor(x)
		t := x - at
		t = t * t * (3 - 2*t)
		i := int(at)
		return table[i&255]*(1-t) + table[(i+1)&255]*t
	}
}

// rough is noise of several octaves, from 0 to 1.
func (c *canvas) rough(octaves int) func(x float64) float64 {
	n := c.noise()
	return func(x float64) float64 {
		sum, all, amp := 0.0, 0.0, 1.0
		for i := range octaves {
			sum += amp * n(x+float64(i)*37.7)
			all += amp
			x *= 2.1
			amp *= 0.48
		}
		return sum / all
	}
}

// jagged is the skyline of a mountain range as 2^levels + 1 heights, from about 0 to 1.
// peaks is how many mountains it has.
func (c *canvas) jagged(levels, peaks int, roughness float64) []float64 {
	n := 1 << levels
	hs := make([]float64, n+1)
	// Mountains and valleys alternate, at uneven distances.
	xs, ys := []int{0}, []float64{c.between(0.1, 0.5)}
	for i := range 2 * peaks {
		x := int(float64(n) * (float64(i) + c.between(0.7, 1.3)) / float64(2*peaks+1))
		y := c.between(0.02, 0.32)
		if i%2 == 0 {
			y = c.between(0.55, 1)
		}
		xs, ys = append(xs, min(max(x, xs[len(xs)-1]+1), n-1)), append(ys, y)
	}
	xs, ys = append(xs, n), append(ys, c.between(0.1, 0.5))
	for i := 1; i < len(xs); i++ {
		for x := xs[i-1]; x <= xs[i]; x++ {
			t := float64(x-xs[i-1]) / float64(max(xs[i]-xs[i-1], 1))
			hs[x] = ys[i-1] + (ys[i]-ys[i-1])*math.Pow(t, 1.1)
		}
	}
	fine := make([]float64, n+1)
	amp := roughness
	for step := n / 8; step > 1; step /= 2 {
		for x := step / 2; x < n; x += step {
			fine[x] = (fine[x-step/2]+fine[min(x+step/2, n)])/2 + amp*c.between(-1, 1)
		}
		amp *= 0.55
	}
	for i := range hs {
		hs[i] += fine[i]
	}
	return hs
}

// conifer adds a spruce to a path: its foot, its height.
func (c *canvas) conifer(p *path, x, foot, height float64) {
	const tiers = 4
	half := height * c.between(0.17, 0.24)
	p.move(x, foot-height)
	for i := range tiers { // down the right side
		t := float64(i+1) / tiers
		y := foot - height + height*0.93*t
		out := half * math.Pow(t, 0.85) * c.between(0.85, 1.12)
		p.line(x+out, y)
		if i < tiers-1 {
			p.line(x+out*0.45, y-height*0.035)
		}
	}
	p.line(x+half*0.12, foot-height*0.08).line(x+half*0.12, foot).line(x-half*0.12, foot).line(x-half*0.12, foot-height*0.08)
	for i := tiers - 1; i >= 0; i-- {
		t := float64(i+1) / tiers
		y := foot - height + height*0.93*t
		out := half * math.Pow(t, 0.85) * c.between(0.85, 1.12)
		if i < tiers-1 {
			p.line(x-out*0.45, y-height*0.035)
		}
		p.line(x-out, y)
	}
	p.close()
}

// spruce is a smaller text than conifer, for trees that are far.
func (c *canvas) spruce(p *path, x, foot, height float64) {
	half := height * c.between(0.14, 0.22)
	p.move(x-half, foot).line(x-half*0.35, foot-height*0.52).line(x-half*0.55, foot-height*0.5).line(x, foot-height).
		line(x+half*0.55, foot-height*0.5).line(x+half*0.35, foot-height*0.52).line(x+half, foot).close()
}
