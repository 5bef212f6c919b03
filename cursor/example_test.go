package cursor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
)

func ExampleAll() {
	followers := func(_ context.Context, r cursor.PageRequest) (cursor.Page[string], error) {
		if r.Cursor == "" {
			return cursor.Page[string]{Items: []string{"carol", "bob"}, Next: "more"}, nil
		}
		return cursor.Page[string]{Items: []string{"alice"}}, nil
	}
	for name, err := range cursor.All(context.Background(), followers) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name)
	}
	// Output:
	// carol
	// bob
	// alice
}

func ExampleSealed() {
	secret := []byte("32 random bytes, kept as a secret")[:32]
	codec, err := cursor.Sealed(cursor.Keyring{
		Current: 1,
		Keys:    map[byte][]byte{1: secret},
		MaxAge:  30 * 24 * time.Hour,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	followers := cursor.Scope{List: "followers", Partition: "alice"}
	c := codec.Encode(followers, []byte("0123456789ABC"))

	pos, err := codec.Decode(followers, c)
	fmt.Println(string(pos), err)

	_, err = codec.Decode(cursor.Scope{List: "followers", Partition: "bob"}, c)
	fmt.Println(errors.Is(err, cursor.ErrInvalid))
	// Output:
	// 0123456789ABC <nil>
	// true
}
