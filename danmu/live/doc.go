// Package live shows danmu to the viewers of a video at the moment they are
// sent. It is the package live of the repository's root, for danmu.
//
// A Hub stands before a danmu.Repository: it stores what is sent, recalled,
// removed or liked, and then publishes it in the room of that video, to viewers
// of this process and, by a live.Backplane, of others. A viewer joins, reads
// the stored comments, and then takes batch after batch:
//
//	viewer, err := hub.Join(ctx, video, "")
//	if err != nil {
//		return err
//	}
//	defer viewer.Close()
//	window, err := viewer.CatchUp(ctx, 0, time.Minute, nil)
//	…
//	for {
//		batch, err := viewer.Next(ctx)
//		if err != nil {
//			return err
//		}
//		if batch.Reset {
//			window, err = viewer.CatchUp(ctx, …) // and show that instead
//		}
//		write(batch.Pos, batch.Encoded)
//	}
//
// In this order no comment is missing and none comes twice. A client that was
// away joins after the Pos that it saw last. It must then drop comments by ID
// that it shows already: those that CatchUp returned just before it went may
// come again. It must do so in any case for repeats of a Send: a room recognizes
// the comments of the last two minutes, the latest 16,384 at least, and after it
// opens none from before.
package live
