package digest_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// Ann gets one mail a day, and at most one push every five minutes.
func ExampleNew() {
	ctx := context.Background()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	db, table, _ := streamtest.Example(ctx, notify.Table)

	digests, err := digest.New(db, table, &digest.Options{
		ScheduleOf: func(_ context.Context, user, channel string) (digest.Schedule, error) { // from your users' settings
			if channel == "push" {
				return digest.Schedule{Every: 5 * time.Minute}, nil
			}
			return digest.Schedule{Daily: "18:00", Zone: "Europe/Berlin", Quiet: digest.Quiet{From: "22:00", To: "07:00"}}, nil
		},
		Now: clock,
	})
	if err != nil {
		log.Fatal(err)
	}
	bell, err := notify.New(db, table, source{clock}, &notify.Options{Policy: everywhere{}, Scheduler: digests, Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	worker, err := digest.NewWorker(digests, bell, printer{}, nil)
	if err != nil {
		log.Fatal(err)
	}

	for _, post := range []string{"1", "2"} {
		comment := notify.Notification{User: "ann", Activity: feed.Activity{
			ID: ids.At(now), Actor: feed.Ref{ID: "bob"}, Verb: "comment", Object: feed.Ref{Kind: "post", ID: post},
		}}
		if _, _, err := bell.Notify(ctx, comment); err != nil {
			log.Fatal(err)
		}
		now = now.Add(6 * time.Minute)
		if _, err := worker.Deliver(ctx); err != nil { // or worker.Run, in the background
			log.Fatal(err)
		}
	}
	now = now.Add(6 * time.Hour)
	if _, err := worker.Deliver(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// push to ann of 12:05: 1 new
	//   bob: comment on post:1
	// push to ann of 12:10: 1 new
	//   bob: comment on post:2
	// email to ann of 17:00: 2 new
	//   bob: comment on post:2
	//   bob: comment on post:1
}

// printer is a Sender. A real one renders a mail, and passes Key on as its identity.
type printer struct{}

func (printer) Send(_ context.Context, d digest.Digest) error {
	fmt.Printf("%s to %s of %s: %d new\n", d.Channel, d.User, d.Slot.UTC().Format("15:04"), len(d.Entries))
	for _, e := range d.Entries {
		fmt.Printf("  %s: %s on %s\n", e.Actors[0].ID, e.Activity.Verb, e.Activity.Object)
	}
	return nil
}

// everywhere is a Policy. Package prefs has one that users set.
type everywhere struct{}

func (everywhere) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	return notify.Decision{Channels: []string{"email", "push"}}, nil
}

// source makes ids with the example's clock.
type source struct{ now func() time.Time }

func (s source) Next(context.Context) (ids.ID, error) { return ids.At(s.now()), nil }
