package main

// followed, removal and change say whether this call did it: false for a
// repeat.
type followed struct {
	Created bool `json:"created"`
}

type removal struct {
	Removed bool `json:"removed"`
}

type change struct {
	Changed bool `json:"changed"`
}
