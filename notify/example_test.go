package notify_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/ratelimit"
	"github.com/plaza-sdk/plaza/stream"
)

// Five people like chris's picture, and one of them takes it back. He looks at his
// bell, and only what comes then is new.
func Example() {
	ctx := context.Background()
	tables := open(ctx)
	bell := tables.bells(nil)
	picture := feed.Ref{Kind: "picture", ID: "10"}
	like := func(user string) notify.Notification {
		return notify.Notification{
			User:     "chris",
			Activity: tables.happened(feed.Activity{Actor: feed.Ref{ID: user}, Verb: "like", Object: picture}),
			CountBy:  notify.ByActor,
		}
	}
	for _, user := range []string{"ann", "bob", "dora", "eve", "finn", "finn"} {
		if _, _, err := bell.Notify(ctx, like(user)); err != nil {
			log.Fatal(err)
		}
	}
	chris := notify.Reader{User: "chris"}
	page, err := bell.List(ctx, chris, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sentence(page.Items[0]))

	if _, err := bell.Retract(ctx, like("finn")); err != nil {
		log.Fatal(err)
	}
	if page, err = bell.List(ctx, chris, cursor.PageRequest{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sentence(page.Items[0]))

	count, err := bell.Unseen(ctx, chris)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("unseen:", count.N)
	if _, err := bell.MarkSeen(ctx, "chris", notify.See(page.Items)); err != nil {
		log.Fatal(err)
	}
	if count, err = bell.Unseen(ctx, chris); err != nil {
		log.Fatal(err)
	}
	fmt.Println("unseen:", count.N)
	// Output:
	// finn and 4 others liked your picture 10
	// eve and 3 others liked your picture 10
	// unseen: 1
	// unseen: 0
}

// Every event is one call, whatever its verb, its object and its target.
func ExampleRepository_Notify() {
	ctx := context.Background()
	tables := open(ctx)
	bell := tables.bells(nil)
	ref := func(kind, id string) feed.Ref { return feed.Ref{Kind: kind, ID: id} }
	user := func(id string) feed.Ref { return feed.Ref{ID: id} }
	for _, a := range []feed.Activity{
		{Actor: ref("shop", "9"), Verb: "advertise", Object: ref("lens", "4"), Data: []byte(`{"price":"99 €"}`)},
		{Actor: ref("editor", "kim"), Verb: "pick", Object: ref("picture", "10")},
		{Actor: ref("club", "birds"), Verb: "open", Object: ref("contest", "5")},
		{Actor: user("zoe"), Verb: "answer", Object: ref("answer", "71"), Target: ref("question", "7")},
		{Actor: user("bob"), Verb: "comment", Object: ref("comment", "1"), Target: ref("picture", "10")},
		{Actor: user("bob"), Verb: "comment", Object: ref("comment", "2"), Target: ref("picture", "10")},
		{Actor: user("ann"), Verb: "like", Object: ref("picture", "10")},
		{Actor: user("eve"), Verb: "follow", Object: user("chris")},
		{Actor: user("finn"), Verb: "follow", Object: user("chris")},
	} {
		if _, _, err := bell.Notify(ctx, notify.Notification{User: "chris", Activity: tables.happened(a)}); err != nil {
			log.Fatal(err)
		}
	}
	page, err := bell.List(ctx, notify.Reader{User: "chris"}, cursor.PageRequest{Limit: 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range page.Items {
		fmt.Println(sentence(e))
	}
	// Output:
	// finn and another followed you
	// ann liked your picture 10
	// bob commented on your picture 10, 2 times
	// zoe answered question 7
	// birds opened contest 5
	// kim picked your picture 10
	// 9 offers lens 4 {"price":"99 €"}
}

// An actor may poke a user twice at once, and then once an hour.
func ExampleOptions_allow() {
	ctx := context.Background()
	tables := open(ctx)
	pokes, err := ratelimit.NewMemory(ratelimit.Rate{Burst: 2, Every: time.Hour}, nil)
	if err != nil {
		log.Fatal(err)
	}
	bell := tables.bells(&notify.Options{Allow: func(ctx context.Context, n notify.Notification) (bool, error) {
		if n.Activity.Verb != "poke" {
			return true, nil
		}
		wait, err := pokes.Take(ctx, ratelimit.Attempt{Object: n.User, User: n.Activity.Actor.String(), ID: n.Activity.ID.String()})
		return wait == 0, err
	}})
	for i := range 3 {
		id, err := tables.gen.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		res, _, err := bell.Notify(ctx, notify.Notification{User: "chris", Activity: feed.Activity{
			ID: id, Actor: feed.Ref{ID: "ann"}, Verb: "poke", Object: feed.Ref{ID: "chris"},
		}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(i+1, "refused:", res.Refused)
	}
	// Output:
	// 1 refused: false
	// 2 refused: false
	// 3 refused: true
}

// The followers of a question are notified of an answer, but the one who answers is
// not. One write stores the notification; Run or Deliver delivers it.
func ExampleRepository_NotifyWatchers() {
	ctx := context.Background()
	tables := open(ctx)
	question := feed.Ref{Kind: "question", ID: "7"}
	for _, user := range []string{"jack", "zoe"} {
		if _, _, err := tables.follows.Follow(ctx, follow.Edge{Follower: user, Followee: question.String()}); err != nil {
			log.Fatal(err)
		}
	}

	bell := tables.bells(&notify.Options{Watchers: tables.follows, Consistent: true})
	_, err := bell.NotifyWatchers(ctx, question, notify.Notification{Activity: tables.happened(feed.Activity{
		Actor: feed.Ref{ID: "zoe"}, Verb: "answer", Object: feed.Ref{Kind: "answer", ID: "71"}, Target: question,
	})})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := bell.Deliver(ctx); err != nil {
		log.Fatal(err)
	}
	for _, user := range []string{"jack", "zoe"} {
		page, err := bell.List(ctx, notify.Reader{User: user}, cursor.PageRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range page.Items {
			fmt.Println(user, "reads:", sentence(e))
		}
	}
	// Output:
	// jack reads: zoe answered question 7
}

// A handler of the table's stream rings bells on open pages.
func ExampleChanges() {
	ctx := context.Background()
	tables := open(ctx)
	bell := tables.bells(nil)
	like := notify.Notification{User: "chris", Activity: tables.happened(feed.Activity{
		Actor: feed.Ref{ID: "ann"}, Verb: "like", Object: feed.Ref{Kind: "picture", ID: "10"},
	})}
	for range 2 { // the second changes nothing
		if _, _, err := bell.Notify(ctx, like); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := bell.Retract(ctx, like); err != nil {
		log.Fatal(err)
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := notify.Changes(r)
		for _, c := range changes {
			fmt.Println(c.Kind, c.User, c.Actors, c.N)
		}
		return err
	}
	if err := streamtest.Each(ctx, tables.db, tables.table, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// notified chris [ann] 1
	// retracted chris [] 0
}

// sentence is an entry in chris's words.
func sentence(e notify.Entry) string {
	who := e.Actors[0].ID
	others := 0
	if e.N > 1 && len(e.Actors) > 1 {
		others = e.N - 1
	}
	switch others {
	case 0:
	case 1:
		who += " and another"
	default:
		who += fmt.Sprintf(" and %d others", others)
	}
	about := e.Activity.Target
	if about.IsZero() {
		about = e.Activity.Object
	}
	thing := about.Kind + " " + about.ID
	if about.Kind == "picture" {
		thing = "your " + thing
	}
	switch e.Activity.Verb {
	case "follow":
		return who + " followed you"
	case "advertise":
		return fmt.Sprintf("%s offers %s %s", who, thing, e.Activity.Data)
	case "comment":
		if others == 0 && e.N > 1 {
			thing += fmt.Sprintf(", %d times", e.N)
		}
		return who + " commented on " + thing
	}
	return who + " " + map[string]string{"like": "liked", "pick": "picked", "open": "opened", "answer": "answered"}[e.Activity.Verb] + " " + thing
}

// example has new tables.
type example struct {
	db      *dynamo.DB
	gen     *ids.Generator
	follows *follow.Repository
	table   string
	today   time.Time
	order   map[string]int // of what happened
}

func open(ctx context.Context) example {
	e := example{today: time.Now().Truncate(24 * time.Hour), order: map[string]int{}}
	_, followTable, _ := streamtest.Example(ctx, follow.Table)
	e.db, e.table, e.gen = streamtest.Example(ctx, notify.Table)
	var err error
	if e.follows, err = follow.New(e.db, followTable, e.gen, nil); err != nil {
		log.Fatal(err)
	}
	return e
}

func (e example) bells(opts *notify.Options) *notify.Repository {
	bells, err := notify.New(e.db, e.table, e.gen, opts)
	if err != nil {
		log.Fatal(err)
	}
	return bells
}

// happened is the activity with an ID that is the same each time. Where a feed or a
// stream reports what happened, that has an ID.
func (e example) happened(a feed.Activity) feed.Activity {
	key := fmt.Sprint(a.Actor, a.Verb, a.Object)
	if _, ok := e.order[key]; !ok {
		e.order[key] = len(e.order)
	}
	var err error
	if a.ID, err = ids.Backdate(e.today.Add(time.Duration(e.order[key])*time.Millisecond), key); err != nil {
		log.Fatal(err)
	}
	return a
}
