package art

import (
	"math"
	"strconv"
)

// color is a point of OKLab, where the middle of two colors looks like their middle.
type color struct{ l, a, b float64 }

// hex reads "#rrggbb".
func hex(s string) color {
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		panic(err) // only the palettes of this package come here
	}
	r, g, b := linear(n>>16), linear(n>>8), linear(n)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s2 := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return color{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s2,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s2,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s2,
	}
}

func (c color) String() string {
	l := c.l + 0.3963377774*c.a + 0.2158037573*c.b
	m := c.l - 0.1055613458*c.a - 0.0638541728*c.b
	s := c.l - 0.0894841775*c.a - 1.2914855480*c.b
	l, m, s = l*l*l, m*m*m, s*s*s
	const digits = "0123456789abcdef"
	out := []byte("#000000")
	for i, v := range []float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	} {
		n := encoded(v)
		out[1+2*i], out[2+2*i] = digits[n>>4], digits[n&15]
	}
	return string(out)
}

// mix is a where t is 0 and b where t is 1.
func mix(a, b color, t float64) color {
	return color{a.l + (b.l-a.l)*t, a.a + (b.a-a.a)*t, a.b + (b.b-a.b)*t}
}

// lighter makes a color lighter, or darker where by is below 0.
func (c color) lighter(by float64) color { return color{min(max(c.l+by, 0), 1), c.a, c.b} }

func linear(n uint64) float64 {
	v := float64(n&255) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func encoded(v float64) int {
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return int(math.Round(255 * min(max(v, 0), 1)))
}
