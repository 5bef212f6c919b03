package as2_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/as2"
)

// Parse reads an activity of another service. Format writes it again, including
// the properties that Plaza does not know.
func ExampleParse() {
	a, err := as2.Parse([]byte(`{
		"@context": ["https://www.w3.org/ns/activitystreams", {"mood": "https://example.org/ns#mood"}],
		"id": "https://example.org/activities/1",
		"type": "Like",
		"actor": {"type": "Person", "id": "https://example.org/~john", "name": "John"},
		"object": "https://example.com/notes/1",
		"published": "2026-01-02T03:04:05Z",
		"summaryMap": {"en": "John liked a note", "de": "John gefällt eine Notiz"},
		"mood": 0.80
	}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Actor, a.Verb, a.Object)
	fmt.Println(a.ForeignID, a.Time)

	doc, err := as2.Format(a)
	if err != nil {
		log.Fatal(err)
	}
	again, err := as2.Parse(doc)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(again.Data) == string(a.Data), string(a.Data)[len(`{"as2":{"@context":["https://www.w3.org/ns/activitystreams",{"mood":"https://example.org/ns#mood"}],`):])

	_, err = as2.Parse([]byte(`{"type": "Note", "content": "Hello"}`))
	fmt.Println(errors.Is(err, as2.ErrNotActivity))
	// Output:
	// https://example.org/~john Like https://example.com/notes/1
	// https://example.org/activities/1 2026-01-02 03:04:05 +0000 UTC
	// true "actor":{"type":"Person","id":"https://example.org/~john","name":"John"},"summaryMap":{"en":"John liked a note","de":"John gefällt eine Notiz"},"mood":0.80}}
	// true
}

// Format writes a published activity as a document.
func ExampleFormat() {
	doc, err := as2.Format(feed.Activity{
		Actor: feed.Ref{ID: "chris"}, Verb: "add", Object: feed.Ref{Kind: "picture", ID: "10"},
		Data: []byte(`{"message":"Beautiful bird!"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(doc))
	// Output:
	// {"@context":["https://www.w3.org/ns/activitystreams",{"plaza":"https://github.com/plaza-sdk/plaza#"}],"type":"Add","plaza:verb":"add","actor":"chris","object":"picture:10","plaza:data":{"message":"Beautiful bird!"}}
}
