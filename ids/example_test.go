package ids_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// An import gives old posts ids of their own time. Importing them again gives
// the same ids.
func ExampleBackdate() {
	posted := time.Date(2019, 5, 1, 9, 30, 0, 0, time.UTC)
	for _, key := range []string{"jack/post/10", "jack/post/11", "jack/post/10"} {
		id, err := ids.Backdate(posted, key)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, id.Time().Format(time.DateTime))
	}
	// Output:
	// 270FTR9R3RQGS 2019-05-01 09:30:00
	// 270FTR9R37CRZ 2019-05-01 09:30:00
	// 270FTR9R3RQGS 2019-05-01 09:30:00
}

// Ids are unique and rise. No two processes may share a machine number; the
// package lease assigns them.
func ExampleNew() {
	gen, err := ids.New(7, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	older, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	newer, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(older < newer, older.String() < newer.String())
	// Output: true true
}

func ExampleParse() {
	id, err := ids.Parse("270FTR9R3RQGS")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id, id.Time().Format(time.DateTime))

	_, err = ids.Parse("270ftr9r3rqgs")
	fmt.Println(errors.Is(err, ids.ErrInvalid), errors.Is(err, plaza.ErrInvalid))
	// Output:
	// 270FTR9R3RQGS 2019-05-01 09:30:00
	// true true
}

// In JSON an id is text, since the numbers of JavaScript end at 53 bits.
func ExampleID_MarshalText() {
	type post struct {
		ID     ids.ID `json:"id"`
		Parent ids.ID `json:"parent,omitzero"`
	}
	id, err := ids.Parse("270FTR9R3RQGS")
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(post{ID: id})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	var back post
	if err := json.Unmarshal(text, &back); err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.ID == id, back.Parent == 0)
	// Output:
	// {"id":"270FTR9R3RQGS"}
	// true true
}
