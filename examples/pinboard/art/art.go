// Package art draws the demo's pictures and avatars. An id alone decides how they look,
// so nothing need be stored, and nothing of the id is in the drawing.
package art

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// width is that of every picture.
const width = 600

// Tags returns the subjects of pictures.
func Tags() []string {
	return []string{"sea", "mountains", "forest", "city", "desert", "night", "flowers", "patterns"}
}

// TagOf returns the subject of a picture.
func TagOf(id string) string { return Tags()[random("tag", id).IntN(len(Tags()))] }

// Size returns the width and height of a picture, in pixels.
func Size(id string) (w, h int) {
	heights := []int{450, 450, 500, 600, 600, 700, 750, 800, 900}
	return width, heights[random("size", id).IntN(len(heights))]
}

// Picture draws the picture of an id as an SVG of at most 30 KB. The tag is one of Tags;
// any other is TagOf(id).
func Picture(id, tag string) []byte {
	w, h := Size(id)
	c := &canvas{Rand: random("picture", id), w: float64(w), h: float64(h)}
	tag = known(id, tag)
	s := skyOf(id, tag)
	switch tag {
	case "flowers":
		c.flowers()
	case "patterns":
		c.patterns()
	default:
		c.landscape(s, tag)
	}
	return c.bytes()
}

func known(id, tag string) string {
	if slices.Contains(Tags(), tag) {
		return tag
	}
	return TagOf(id)
}

// random is a source of its own for each part of a drawing, so that a change to one part
// leaves the others as they are.
func random(part, id string) *rand.Rand {
	sum := sha256.Sum256([]byte(part + "/" + id))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}
