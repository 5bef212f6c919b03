// Package people has the persons of the demo. They are the same in every run.
package people

import (
	"slices"
	"strings"
)

// Person is somebody who uses the pinboard.
type Person struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Bio   string `json:"bio"`
	Place string `json:"place"`
}

var (
	all  = parse()
	byID = index()
)

// All returns everybody, by ID.
func All() []Person { return slices.Clone(all) }

// Get returns the person of an ID, and whether there is one.
func Get(id string) (Person, bool) {
	i, ok := byID[id]
	if !ok {
		return Person{}, false
	}
	return all[i], true
}

// Moderator reports whether a person may hide and remove what others wrote.
func Moderator(id string) bool { return id == "mia" }

func parse() []Person {
	var ps []Person
	for i, line := range strings.Split(strings.TrimSpace(list), "\n") {
		fields := strings.Split(line, "|")
		p := Person{ID: fields[0], Name: fields[1], Place: fields[2], Bio: bios[fields[0]]}
		if p.Bio == "" {
			// 7 and 40, and 11 and 37, have no common divisor, so no two of 200 bios are equal.
			p.Bio = crafts[i*7%len(crafts)] + ". " + habits[i*11%len(habits)]
		}
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b Person) int { return strings.Compare(a.ID, b.ID) })
	return ps
}

func index() map[string]int {
	at := make(map[string]int, len(all))
	for i, p := range all {
		at[p.ID] = i
	}
	return at
}
