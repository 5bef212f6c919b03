// Package digest sends summaries of notifications on further channels, such as a daily
// mail or a push every five minutes. It decides when a digest is due and what is in it.
// Your Sender renders and sends it.
//
//	digests, err := digest.New(db, "notify", &digest.Options{
//		ScheduleOf: func(ctx context.Context, user, channel string) (digest.Schedule, error) {
//			return digest.Schedule{Daily: "08:00", Zone: "Europe/Berlin"}, nil // from your users' settings
//		},
//	})
//	bell, err := notify.New(db, "notify", gen, &notify.Options{Policy: preferences, Scheduler: digests})
//
//	worker, err := digest.NewWorker(digests, bell, sender, &digest.WorkerOptions{Policy: preferences})
//	err = worker.Run(ctx) // in the background, or Deliver from a scheduled Lambda
//
// The Policy names the channels of each event, such as "email": without a Policy there
// are no digests. A schedule divides time into slots. For each channel of an event,
// Schedule stores that the user has a digest at the end of the slot. Then the worker reads the
// user's unread groups that were written in the slot, and calls the Sender with them.
// If nothing is unread by then, it sends nothing.
//
// Schedule.After leaves out what was read in time: a mail only of what stayed unread for an hour.
// If you push what Notify stores at once, a Schedule of Quiet alone holds it back at night:
// Schedule.QuietUntil says when not to push, and a digest brings it at the end.
//
// If a worker died or an answer was lost, the Sender may be called again for a digest
// that it has sent. The Key is the same then, so use it as the identity of the mail or
// push.
//
// Each group is in exactly one digest of a channel, even if workers die or schedules
// change. It is in a later digest only if it got newer events. There are three
// exceptions: an event whose Notify was late or repeated may show in two digests; a
// group whose newest event was retracted after a later slot began may be in none; and a
// snoozed group that has come back shows again.
//
// If a schedule changes, a planned digest keeps its time at first. When that time
// comes, the digest moves to the next slot of the new schedule.
package digest
