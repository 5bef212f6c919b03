package seed

import (
	"slices"
	"unicode"

	"github.com/plaza-sdk/plaza/examples/pinboard/slug"
)

type board struct{ owner, name string }

// ID is the board's own id.
func (b board) ID() string { return b.owner + "." + slug.Of(b.name) }

// idea is a board that many people have, by its names.
type idea struct{ name, chinese string }

var ideas = map[string][]idea{
	"sea":       {{"Coast walks", "海边"}, {"Blue", "一片蓝"}, {"By the water", "水边"}},
	"mountains": {{"Above the tree line", "山顶"}, {"Next summer", "明年夏天"}, {"Ridges and passes", "山与路"}},
	"forest":    {{"Into the woods", "林间"}, {"Everything green", "绿"}, {"Fog", "雾"}},
	"city":      {{"City nights", "城市夜色"}, {"Roofs and windows", "屋顶与窗"}, {"Weekend trips", "周末"}},
	"desert":    {{"Sand and light", "沙与光"}, {"Dry places", "旷野"}},
	"night":     {{"Night skies", "星空"}, {"Long exposures", "长曝光"}},
	"flowers":   {{"Garden ideas", "花花草草"}, {"Petals", "花瓣"}, {"Kitchen ideas", "厨房"}},
	"patterns":  {{"Tiles", "花砖"}, {"Textiles", "织物"}, {"Wallpaper", "壁纸"}},
}

// general are boards for whatever has none of its own.
var general = []idea{{"Places to Visit", "想去的地方"}, {"Favourites", "最喜欢的"}, {"Good light", "好看的光"}, {"Ideas for the house", "家的灵感"}}

// boardsOf gives a person a board for each of the two favourite tags, and one for all else.
func (p *plan) boardsOf(m member) []board {
	var all []board
	add := func(i idea) {
		b := board{m.ID, i.name}
		if m.chinese {
			b.name = i.chinese
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
	return all
}

// dropEmptyBoards leaves each person the boards that have pins.
func (p *plan) dropEmptyBoards() error {
	used := map[board]bool{}
	for _, pic := range p.pictures {
		used[pic.board] = true
	}
	for _, r := range p.repins {
		used[r.board] = true
	}
	for i, m := range p.members {
		p.members[i].boards = slices.DeleteFunc(m.boards, func(b board) bool { return !used[b] })
	}
	return nil
}

// boardFor chooses the board for a picture with a tag.
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
