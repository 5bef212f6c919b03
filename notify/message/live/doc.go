// Package live shows viewers what happens in private conversations as it happens, who
// is typing, and who is present. It builds on the package plaza/live, which has the
// backplanes that join several processes.
//
// Each conversation is a room that only its members may enter. Each user's inbox is a
// room too, so a client can update the inbox and its badge without entering every
// conversation. The service stores first, then publishes:
//
//	m, _, err := messages.Send(ctx, m)
//	if err != nil {
//		return err
//	}
//	err = hub.Publish(ctx, live.Said(m)) // also after a repeat
//
// A client that opens a conversation joins, then reads what is stored, and takes batches
// from then on:
//
//	viewer, err := hub.Join(ctx, ben, "")
//	if err != nil {
//		return err // message.ErrNotMember, for one
//	}
//	defer viewer.Close()
//	page, err := messages.History(ctx, ben, cursor.PageRequest{})
//	…
//	for {
//		batch, err := viewer.Next(ctx)
//		if err != nil {
//			return err
//		}
//		if batch.Reset || batch.Dropped > 0 {
//			page, err = messages.History(ctx, ben, cursor.PageRequest{}) // and show that instead
//		}
//		write(batch.Pos, batch.Encoded)
//	}
//
// In this order the client misses no message. It may get a message that the page
// already has, and recognizes it by its Seq; an Edited or Recalled message replaces it.
// A client that was away passes the last Pos that it saw to Join.
//
// A consumer of the table's stream may publish with OfChange instead of the service, or
// both may publish: a room shows a repeat of its last 1,024 events only once. The
// exception is Joined and Left of a user who joined and left in between, which may be
// shown twice: read the members again.
//
// This package stores nothing, but a backplane keeps its latest events for some time.
package live
