// Package digest sends summaries of notifications by further channels: a mail of the
// day, a push of the last five minutes. It says when one is due and what is in it; the
// application renders and sends it.
//
//	digests, err := digest.New(db, "notify", &digest.Options{
//		Schedule: func(ctx context.Context, user, channel string) (digest.Schedule, error) {
//			return digest.Schedule{Daily: "08:00", Zone: "Europe/Berlin"}, nil // from your users' settings
//		},
//	})
//	bell, err := notify.New(db, "notify", gen, &notify.Options{Policy: preferences, Scheduler: digests})
//
//	worker, err := digest.NewWorker(digests, bell, sender, &digest.WorkerOptions{Policy: preferences})
//	err = worker.Run(ctx) // in the background, or Deliver from a scheduled Lambda
//
// A schedule divides time into slots. When an event is wanted on a channel, Due stores
// that the user has a digest at the end of the slot. Then the worker reads the user's
// unread groups that were written in the slot, and calls the Sender with them. If
// nothing is unread by then, it sends nothing.
//
// A Sender may be called again for a digest that it has sent, if the worker died or its
// answer was lost. The Key is the same then, so pass it on as the message's identity.
//
// Each group is in one digest of a channel, whatever happens to workers and
// schedules, and in a later one only if it has got newer events. These are the
// exceptions: a write that was acknowledged later than notify.Window may show in two
// digests; a group whose newest event was retracted after a later slot began may be in
// none; and a snoozed group that has come back shows again.
//
// If a schedule changes, a digest that is planned already moves to the next slot of the
// new one at the time at which it would have been sent.
package digest
