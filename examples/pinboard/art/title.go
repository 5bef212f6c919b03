package art

import "strings"

// Title is an English title for the picture of an id. It names the time of day that the
// picture shows.
func Title(id, tag string) string {
	tag = known(id, tag)
	c := &canvas{Rand: random("title", id)}
	s := titles[tag]
	light, ok := hours[skyOf(id, tag).hour]
	if !ok {
		light = hours[day] // flowers and patterns have no sky, and their forms no hour
	}
	title := strings.NewReplacer(
		"{light}", pick(c, light.names), "{at}", pick(c, light.at), "{kind}", pick(c, s.kinds), "{place}", pick(c, s.places), "{thing}", pick(c, s.things),
	).Replace(pick(c, s.forms))
	return strings.ToUpper(title[:1]) + title[1:]
}

// hours are the names of each time of day, and how to say when.
var hours = map[hour]struct{ names, at []string }{
	dawn:  {[]string{"dawn", "first light", "early morning", "daybreak"}, []string{"at dawn", "at first light", "in the early morning", "at daybreak"}},
	day:   {[]string{"noon", "a clear day", "midday", "morning"}, []string{"at noon", "on a clear day", "at midday", "in the morning"}},
	dusk:  {[]string{"dusk", "evening", "last light", "sunset"}, []string{"at dusk", "in the evening", "at last light", "at sunset"}},
	night: {[]string{"night", "moonlight", "midnight"}, []string{"at night", "by moonlight", "at midnight"}},
}

// words are the parts of titles.
type words struct{ forms, kinds, places, things []string }

var titles = map[string]words{
	"sea": {
		[]string{"{light} over the {place}", "{light} on the {place}", "the {kind} {place} {at}", "{thing}, {light}", "a {kind} {place}", "{thing} in the {place}", "{light} and {thing}"},
		[]string{"quiet", "northern", "silver", "wide", "sheltered", "restless", "southern"},
		[]string{"bay", "strait", "coast", "channel", "harbour", "cape", "lagoon", "sound"},
		[]string{"slow water", "the tide going out", "a south wind", "salt air", "long waves", "nothing but water"},
	},
	"mountains": {
		[]string{"{light} over the {kind} {place}", "{light} on the {place}", "{thing} above the {place}", "the {kind} {place} {at}", "{thing}, {light}", "the {place} after rain"},
		[]string{"northern", "high", "old", "blue", "far", "western", "silent"},
		[]string{"range", "ridge", "pass", "summit", "valley", "massif", "plateau"},
		[]string{"mist", "low cloud", "thin air", "first snow", "seven ridges", "a long way down"},
	},
	"forest": {
		[]string{"{light} in the {kind} {place}", "{thing} in the {place}", "the {kind} {place}, {light}", "{thing} {at}", "a path into the {place}", "the {place} after rain"},
		[]string{"old", "northern", "quiet", "deep", "upper", "mossy"},
		[]string{"woods", "pines", "forest", "valley", "clearing", "grove"},
		[]string{"fog", "green silence", "the smell of resin", "rows of firs", "light between trunks", "rain on needles"},
	},
	"city": {
		[]string{"{light} over the {kind} {place}", "{light} in the {place}", "{thing}, {light}", "the {kind} {place} {at}", "{thing} in the {place}", "the {place} from the bridge"},
		[]string{"old", "upper", "eastern", "new", "lower", "quiet"},
		[]string{"quarter", "town", "district", "centre", "side of the river"},
		[]string{"a thousand windows", "the last tram", "lights on the water", "everyone going home", "roofs", "the hum below"},
	},
	"desert": {
		[]string{"{light} over the {kind} {place}", "{thing} in the {place}", "the {kind} {place} {at}", "{thing}, {light}", "crossing the {place}", "the {place} after wind"},
		[]string{"red", "great", "singing", "empty", "southern", "white"},
		[]string{"dunes", "sands", "erg", "basin", "plain", "wadi"},
		[]string{"heat and silence", "wind lines", "long shadows", "a sea of sand", "one set of footprints", "dry light"},
	},
	"night": {
		[]string{"{thing} over the {kind} {place}", "{thing} above the {place}", "the {kind} {place} at midnight", "{thing}, no wind", "awake for {thing}"},
		[]string{"northern", "dark", "frozen", "silent", "high"},
		[]string{"hills", "valley", "camp", "ridge", "forest", "pass"},
		[]string{"ten thousand stars", "a clear sky", "the long night", "a cold sky", "starlight", "the turning sky"},
	},
	"flowers": {
		[]string{"{thing} in {kind} light", "a study of {place}", "{place} in {kind} light", "{place}, {thing}", "the garden in {kind} light", "{place} by the gate"},
		[]string{"soft", "early", "late", "summer", "spring", "morning"},
		[]string{"wild flowers", "petals", "garden flowers", "blossoms", "a summer bed", "late blooms"},
		[]string{"the first of the year", "after the rain", "in full bloom", "from the garden", "what the bees like", "a short season"},
	},
	"patterns": {
		[]string{"{kind} study no. {place}", "{thing}, {kind}", "{kind} tiles, no. {place}", "{thing} no. {place}", "a {kind} order"},
		[]string{"warm", "slow", "folded", "quiet", "woven", "bright", "broken"},
		[]string{"3", "7", "12", "19", "24", "31", "48", "57"},
		[]string{"paper", "rhythm", "a floor in Lisbon", "repeat", "variations", "cut shapes"},
	},
}
