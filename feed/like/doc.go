// Package like keeps what a reaction causes in step with it: what it gives to a board,
// and whom it notifies. A like is all three, and so is taking it back.
//
//	likes, err := like.New(reactions, boards, bell, &like.Options{
//		Notification: func(_ context.Context, a reaction.Reaction) (notify.Notification, bool, error) {
//			return notify.Notification{User: ownerOf(a.Object), CountBy: notify.ByActor, Activity: feed.Activity{
//				Actor: feed.Ref{ID: a.User}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: a.Object},
//			}}, true, nil
//		},
//		Point: func(_ context.Context, a reaction.Reaction) (leaderboard.Submission, bool, error) {
//			return leaderboard.Submission{Board: "week", Player: a.Object, Operator: leaderboard.Increment, Score: leaderboard.Int(1)}, true, nil
//		},
//	})
//
// There are two ways, for one process or a thousand. React and Unreact do all of it before they
// return:
//
//	a, changed, err := likes.React(ctx, reaction.Reaction{User: "ann", Object: "10", Kind: "like"})
//	changed, err = likes.Unreact(ctx, reaction.Reaction{User: "ann", Object: "10", Kind: "like"})
//
// Or call React and Unreact of package reaction, and give likes.Handle to the processor of
// its table's stream. docs/likes.md says which to choose.
//
// Either way, whatever was interrupted and whoever else liked or took back meanwhile, once
// the last call was repeated, or the records were delivered, the notification and the point
// are there if and only if the reaction is. Taking back never rings.
package like
