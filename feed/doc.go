// Package feed keeps activities and shows them to followers.
//
// Everyone has an outbox, which holds the activities they published, and a home,
// which shows the activities of those whom they follow. Any opaque id may have them:
// a user, a topic, a board.
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
// A home holds references, not copies. An edit or a removal is one write,
// however many followers there are, and shows at their next read.
//
// A publish is safe once Publish returns, because one transaction stores the
// activity and the job that delivers it. Call Run in the background, or Deliver
// from a scheduled Lambda: they finish deliveries that a crash interrupted or
// that are too large to be made inline.
//
// Call Home.Follow and Home.Unfollow, not those of the follow graph: they also
// copy and hide the source's activities. If the graph's Unfollow was called,
// Home.Unfollow still clears the home of that source.
//
// If a source has very many followers, its activities need not be delivered to
// each home: after Outbox.SetPulled, the followers' homes read its outbox
// instead. A home reads at most 500 outboxes. The graph's Unfollow does not stop
// a home from reading a Pulled source, so you must call Home.Unfollow. After the
// graph's Follow or Import, call SetPulled(true) again.
//
// Import old activities under ids.Backdate. Activities older than
// Options.Retention are history: they are in outboxes, but in no home.
//
// Options decide what else a home hides: Filter for blocks and mutes, About for
// reposts, HomeCap for its depth. Readers hide old activities with Trim.
//
// A home shows only activities of outboxes. To reach everybody, publish to a
// Pulled outbox that everybody follows, or use package notify/announce.
//
// Create the table with Table and TTL; Verify checks it. Package as2 exchanges
// activities with other services.
package feed
