package cursor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/plaza-sdk/plaza"
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

func ExampleParseQuery() {
	followers := func(_ context.Context, r cursor.PageRequest) (cursor.Page[string], error) {
		return cursor.Page[string]{Items: []string{"carol", "bob", "alice"}[:r.Limit], Next: "more"}, nil
	}
	serve := func(w http.ResponseWriter, r *http.Request) error {
		req, err := cursor.ParseQuery(r.URL.Query(), &cursor.QueryOptions{Default: 3, Most: 3})
		if err != nil {
			return err
		}
		page, err := followers(r.Context(), req)
		if err != nil {
			return err
		}
		return cursor.WritePage(w, page)
	}
	for _, url := range []string{"/followers?limit=2", "/followers?limit=1000"} {
		w := httptest.NewRecorder()
		if err := serve(w, httptest.NewRequest(http.MethodGet, url, nil)); err != nil {
			status, _ := plaza.Status(err)
			http.Error(w, err.Error(), status)
		}
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 200 {"items":["carol","bob"],"next":"more"}
	// 400 plaza: Limit is 1000, 1 to 3 are allowed
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
