package seed

import "unicode"

// board is where somebody collects pictures.
type board struct{ owner, slug, name string }

// ID is the board's own id.
func (b board) ID() string { return b.owner + "." + b.slug }

// idea is a board that many people have: its slug and its names.
type idea struct{ slug, name, chinese string }

var ideas = map[string][]idea{
	"sea":       {{"coast", "Coast walks", "海边"}, {"blue", "Blue", "一片蓝"}, {"water", "By the water", "水边"}},
	"mountains": {{"summits", "Above the tree line", "山顶"}, {"next-summer", "Next summer", "明年夏天"}, {"ridges", "Ridges and passes", "山与路"}},
	"forest":    {{"woods", "Into the woods", "林间"}, {"green", "Everything green", "绿"}, {"fog", "Fog", "雾"}},
	"city":      {{"city-nights", "City nights", "城市夜色"}, {"roofs", "Roofs and windows", "屋顶与窗"}, {"weekends", "Weekend trips", "周末"}},
	"desert":    {{"sand", "Sand and light", "沙与光"}, {"dry-places", "Dry places", "旷野"}},
	"night":     {{"skies", "Night skies", "星空"}, {"long-exposures", "Long exposures", "长曝光"}},
	"flowers":   {{"garden", "Garden ideas", "花花草草"}, {"petals", "Petals", "花瓣"}, {"kitchen", "Kitchen ideas", "厨房"}},
	"patterns":  {{"tiles", "Tiles", "花砖"}, {"textiles", "Textiles", "织物"}, {"wallpaper", "Wallpaper", "壁纸"}},
}

// general are boards for whatever has none of its own.
var general = []idea{{"places", "Places to Visit", "想去的地方"}, {"favourites", "Favourites", "最喜欢的"}, {"light", "Good light", "好看的光"}, {"house", "Ideas for the house", "家的灵感"}}

// boardsOf gives a person a board for each of the two favourite tags, one for all else, and
// up to two more.
func (p *plan) boardsOf(m member) []board {
	var all []board
	add := func(i idea) {
		b := board{m.ID, i.slug, i.name}
		if m.chinese {
			b.name = i.chinese
		}
		for _, o := range all {
			if o.slug == b.slug {
				return
			}
		}
		all = append(all, b)
	}
	for _, tag := range m.likes {
		add(ideas[tag][p.rand.IntN(len(ideas[tag]))])
	}
	if p.rand.IntN(2) == 0 || m.ID == "eric" {
		add(general[0])
	} else {
		add(general[1+p.rand.IntN(len(general)-1)])
	}
	for range p.rand.IntN(3) {
		add(general[p.rand.IntN(len(general))])
	}
	return all
}

// boardFor is where a person pins pictures of a tag.
func (m member) boardFor(tag string) board {
	for i, liked := range m.likes {
		if liked == tag && !(m.ID == "eric" && tag == "sea") { // eric's are places to visit
			return m.boards[i]
		}
	}
	return m.boards[2]
}

func isChinese(name string) bool {
	for _, r := range name {
		return unicode.Is(unicode.Han, r)
	}
	return false
}
