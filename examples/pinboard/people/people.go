// Package people has the persons of the demo. They are the same in every run.
package people

import (
	_ "embed" // the list
	"slices"
	"strings"
)

// Person is a user of Pinboard.
type Person struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Bio   string `json:"bio"`
	Place string `json:"place"`
}

// list has one person a line, in the order of their ids: id, name, place and bio.
//
//go:embed people.txt
var list string

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

// Moderator reports whether a person may hide and remove pictures and comments.
func Moderator(id string) bool { return id == "mia" }

func parse() []Person {
	var ps []Person
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		ps = append(ps, Person{ID: fields[0], Name: fields[1], Place: fields[2], Bio: fields[3]})
	}
	return ps
}

func index() map[string]int {
	at := make(map[string]int, len(all))
	for i, p := range all {
		at[p.ID] = i
	}
	return at
}
