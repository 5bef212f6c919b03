// Package feed keeps what people did and what they read.
//
// Everyone has an outbox, the activities they published, and a home, what
// those they follow published. Any opaque id may have them: a user, a topic,
// a board.
//
//	feeds, err := feed.New(db, "feed", gen, follows, nil)
//	chris, jack := feeds.Outbox("chris"), feeds.Home("jack")
//
//	jack.Follow(ctx, "chris", nil)
//	chris.Publish(ctx, feed.Activity{
//		Actor: feed.Ref{ID: "chris"}, Verb: "add", Object: feed.Ref{Kind: "picture", ID: "10"},
//	})
//	page, err := jack.List(ctx, cursor.PageRequest{Limit: 10})
//
// A home holds references, not copies: an edit or a removal is one write,
// whatever the number of followers, and shows at their next read.
//
// A publish is safe once Publish returns: the activity and the job that
// delivers it are one transaction. A service runs Run in the background (or
// Deliver from a scheduled Lambda), which finishes what a crash left behind
// and what is too large to deliver inline.
//
// Home.Follow and Home.Unfollow are what a service calls, not those of the
// follow graph: they copy and hide what the edge brings. Where the graph's were
// called, a Home.Unfollow still clears the home of that source.
//
// What happened long ago is imported under ids.Backdate. Activities older than
// Options.Retention are history: they lie in outboxes, and in no home.
//
// Create the table with Table and TTL; Verify says whether a table is fit.
//
// Package as2 exchanges activities with other services.
//
// What a home hides beyond that is Options' choice: a Filter for blocks and
// mutes, About for reposts, HomeCap for its depth; Trim is the reader's own.
package feed
