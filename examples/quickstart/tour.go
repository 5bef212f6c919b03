package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/feed"
)

// tour lets people follow, publish and read, and prints each step.
func tour(ctx context.Context, out io.Writer) (err error) {
	s, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	l := ledger.New(out, s.env.Meter)
	for _, part := range []func(context.Context, *service, *ledger.Ledger) error{
		people, publishing, reading, editing, unfollowing, removing, counting,
	} {
		if err := part(ctx, s, l); err != nil {
			return err
		}
	}
	l.Close("the code in examples/quickstart, then go run ./examples/httpapi")
	return nil
}

func people(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("People follow")
	for _, edge := range []struct{ reader, source string }{
		{"jack", "chris"}, {"ann", "chris"}, {"maria", "chris"}, {"jack", "ann"},
	} {
		err := l.Do(edge.reader+" follows "+edge.source, func() error {
			_, err := s.feeds.Home(edge.reader).Follow(ctx, edge.source, nil)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func publishing(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("People publish; each activity goes to the homes of all followers")
	for _, batch := range []struct {
		what, who string
		from, to  int
	}{
		{"chris adds a picture, for 3 followers", "chris", 1, 1},
		{"chris adds 7 more", "chris", 2, 8},
		{"ann adds 4, for 1 follower", "ann", 9, 12},
	} {
		err := l.Do(batch.what, func() error {
			return publishPictures(ctx, s, batch.who, batch.from, batch.to)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// publishPictures gives each activity its picture as a foreign id, so that the
// application need not remember the activity's id.
func publishPictures(ctx context.Context, s *service, who string, from, to int) error {
	for n := from; n <= to; n++ {
		picture := feed.Ref{Kind: "picture", ID: fmt.Sprint(n)}
		_, _, err := s.feeds.Outbox(who).Publish(ctx, feed.Activity{
			Actor:     feed.Ref{Kind: "user", ID: who},
			Verb:      "add",
			Object:    picture,
			ForeignID: picture.String(),
			Data:      json.RawMessage(fmt.Sprintf(`{"title":"Sunset %d over the bay"}`, n)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func reading(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("jack reads his home, 5 at a time")
	return readHome(ctx, s, l)
}

// readHome shows jack's home page by page, as a client does, with the cursor of
// the page before.
func readHome(ctx context.Context, s *service, l *ledger.Ledger) error {
	request := cursor.PageRequest{Limit: 5}
	for n := 1; ; n++ {
		var page cursor.Page[feed.Activity]
		err := l.Do(fmt.Sprintf("page %d", n), func() (err error) {
			page, err = s.feeds.Home("jack").List(ctx, request)
			for _, a := range page.Items {
				l.Show("%-6s %s %-11s %s", a.Actor.ID, a.Verb, a.Object, title(a))
			}
			return err
		})
		if err != nil || page.Next == "" {
			return err
		}
		request.Cursor = page.Next
	}
}

// title reads the application's own data, which Plaza keeps as it is.
func title(a feed.Activity) string {
	var data struct{ Title string }
	if json.Unmarshal(a.Data, &data) != nil {
		return ""
	}
	return data.Title
}

func editing(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("chris edits his last picture: one write, however many follow him")
	chris := s.feeds.Outbox("chris")
	var last feed.Activity
	err := l.Do("chris reads his last", func() error {
		page, err := chris.List(ctx, cursor.PageRequest{Limit: 1})
		if err == nil && len(page.Items) > 0 {
			last = page.Items[0]
		}
		return err
	})
	if err != nil {
		return err
	}
	return l.Do("chris edits "+last.Object.String(), func() error {
		last.Data = json.RawMessage(`{"title":"Moonrise over the bay, edited"}`)
		_, _, err := chris.Update(ctx, last)
		return err
	})
}

func unfollowing(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("jack unfollows ann: what came from her leaves his home")
	err := l.Do("jack unfollows ann", func() error {
		_, err := s.feeds.Home("jack").Unfollow(ctx, "ann", nil)
		return err
	})
	if err != nil {
		return err
	}
	return readHome(ctx, s, l)
}

func removing(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("chris removes a picture by its own name")
	err := l.Do("chris removes picture:7", func() error {
		_, err := s.feeds.Outbox("chris").RemoveForeign(ctx, "picture:7")
		return err
	})
	if err != nil {
		return err
	}
	return readHome(ctx, s, l)
}

func counting(ctx context.Context, s *service, l *ledger.Ledger) error {
	l.Title("Who follows whom")
	err := l.Do("chris's counts", func() error {
		counts, err := s.follows.Counts(ctx, "chris")
		l.Show("%d followers, %d following", counts.Followers, counts.Following)
		return err
	})
	if err != nil {
		return err
	}
	err = l.Do("chris's followers", func() error {
		page, err := s.follows.Followers(ctx, "chris", cursor.PageRequest{})
		for _, edge := range page.Items {
			l.Show("%s", edge.Follower)
		}
		return err
	})
	if err != nil {
		return err
	}
	return l.Do("jack and two others", func() error {
		relations, err := s.follows.Relations(ctx, "jack", []string{"chris", "ann"})
		for _, other := range []string{"chris", "ann"} {
			l.Show("%-6s jack follows: %-5t follows jack: %t", other, relations[other].Follows, relations[other].FollowedBy)
		}
		return err
	})
}
