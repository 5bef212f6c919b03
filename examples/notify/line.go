package main

import (
	"fmt"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify"
)

// line is an entry in words: what is unseen has a star.
func line(user string, e notify.Entry) string {
	star := "*"
	if e.Seen {
		star = " "
	}
	return fmt.Sprint(star, " ", who(e), " ", phrase(user, e.Activity))
}

// who names the newest actor and counts the others.
func who(e notify.Entry) string {
	switch first := e.Actors[0].ID; {
	case e.N == 1:
		return first
	case e.N == 2:
		return first + " and another"
	case e.More:
		return fmt.Sprintf("%s and more than %d others", first, e.N-1)
	default:
		return fmt.Sprintf("%s and %d others", first, e.N-1)
	}
}

func phrase(user string, a feed.Activity) string {
	about := a.Target
	if about.IsZero() {
		about = a.Object
	}
	thing := about.Kind + " " + about.ID
	if owners[about.String()] == user {
		thing = "your " + thing
	}
	switch a.Verb {
	case "follow":
		return "followed you"
	case like:
		return "liked " + thing
	case "answer":
		return "answered " + thing
	default:
		return "commented on " + thing
	}
}
