// Package notify keeps users' notifications: a bell with a count, entries such as "ann and 4
// others liked your picture", separate marks for seen and read, an archive, and snooze.
//
//	bell, err := notify.New(db, "notify", gen, &notify.Options{
//		Policy: preferences, Announcements: announcements, // of packages prefs and announce
//	})
//	like := notify.Notification{User: "chris", CountBy: notify.ByActor, Activity: feed.Activity{
//		ID: id, Actor: feed.Ref{ID: "ann"}, Verb: "like", Object: feed.Ref{Kind: "picture", ID: "10"},
//	}}
//	res, created, err := bell.Notify(ctx, like) // res.Channels are for you to deliver
//
//	chris := notify.Reader{User: "chris", Joined: joined, Audiences: []string{"everyone"}}
//	count, err := bell.Unseen(ctx, chris) // UnreadCount counts the unread; Reader.Filter chooses verbs
//	page, err := bell.List(ctx, chris, cursor.PageRequest{})
//	_, err = bell.MarkSeen(ctx, "chris", notify.See(page.Items)) // chris has opened the bell
//
//	changed, err := bell.Retract(ctx, like) // ann takes her like back
//
// Events about one thing, by one verb, on one UTC day form a group, which is one
// row of the list. Options.Group groups by something else. A new event moves its group to the top, unseen and unread.
//
// An activity's ID is the event's identity, and its day is the group's day. So use the ID of the
// edge, reaction or comment, and retract with the same ID. That makes repeats harmless, and
// handlers of follow.Changes, reaction.Changes and comment.Changes need no memory.
//
// An actor is the user with the same text: feed.Ref{ID: "ann"} is "ann". If your actors
// have a kind, set Options.User here and in prefs: otherwise users are notified of
// their own actions, and blocks do not match.
//
// Notify sends no mail. Result.Channels names the channels that the Policy wants
// besides the list. A repeat returns them again, so send with the user and the
// activity's ID as the message's key.
//
// NotifyWatchers notifies everybody who follows an object, RetractWatchers takes that back. To deliver these notifications, call Run
// in the background, or Deliver from a scheduled Lambda. Changes reads the table's stream, for a
// bell that rings by package live.
//
// Create the table with Table and TTL, and call Init once; Verify checks it.
package notify
