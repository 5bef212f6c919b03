package announce_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// A contest is announced to everybody by one write. It shows among each user's
// notifications 50 s later; those who join after that do not see it.
func Example() {
	ctx := context.Background()
	now := time.Now() // in a service leave Options.Now empty
	clock := func() time.Time { return now }
	db, table, gen := streamtest.Example(ctx, notify.Table)
	announcements, err := announce.New(db, table, gen, &announce.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	notifications, err := notify.New(db, table, gen, &notify.Options{Announcements: announcements, Now: clock})
	if err != nil {
		log.Fatal(err)
	}

	contest, _, err := announcements.Announce(ctx, notify.Announcement{
		Audience: "everyone", Title: "Show us your kingfisher",
		Refs:  []feed.Ref{{Kind: "contest", ID: "7"}},
		Until: now.Add(14 * 24 * time.Hour),
	})
	if err != nil {
		log.Fatal(err)
	}
	show := func(user string, joined time.Time) {
		page, err := notifications.List(ctx, notify.Reader{
			User: user, Joined: joined, Audiences: []string{"everyone", "photographers"},
		}, cursor.PageRequest{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s sees %d\n", user, len(page.Items))
		for _, e := range page.Items {
			fmt.Println(" ", e.Announcement.Title, e.Announcement.Refs[0])
		}
	}
	yesterday := now.Add(-24 * time.Hour)
	show("ann", yesterday)
	now = now.Add(time.Minute)
	show("ann", yesterday)
	show("bob", now)

	if _, err := announcements.Withdraw(ctx, "everyone", contest.ID); err != nil {
		log.Fatal(err)
	}
	now = now.Add(announce.CacheTTL)
	show("ann", yesterday)
	// Output:
	// ann sees 0
	// ann sees 1
	//   Show us your kingfisher contest:7
	// bob sees 0
	// ann sees 0
}
