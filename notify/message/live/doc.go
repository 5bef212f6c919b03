// Package live shows what happens in private conversations at the moment it happens,
// who is typing, and who is there. It is the package live of the repository's root, for
// messages.
//
// A conversation is a room, which only its members enter. A user is one too, which moves
// an inbox and its badge without entering every conversation. The service stores first,
// then publishes:
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
// In this order no message is missing. A message may come although the page has it: the
// client knows it by its Seq, and an Edited or Recalled one replaces it. A client that was
// away joins after the Pos that it saw last.
//
// Instead of the service, a consumer of the table's stream may publish by OfChange, or both
// may: an event that comes twice is shown once, among the last 1,024 of a room. Only Joined
// and Left of a user who came and went in between may come twice: read the members again.
//
// Nothing here is stored, but a backplane keeps its latest events for some time.
package live
