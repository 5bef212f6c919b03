// Package live shows danmu to everybody who watches a video, at the moment
// they are sent.
//
// A Hub stands before a danmu.Repository: what is sent, recalled, removed or
// liked through it is stored first, then told to the room of that video, in
// this process and, by a Backplane, in the others. A viewer joins, reads what
// is stored, and then takes batch after batch:
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
// In this order nothing is missed and nothing comes twice. A viewer who was
// away joins after the Pos that it saw last: then what CatchUp gave it just
// before it went may come again, so it drops by ID what it has shown. It does so
// in any case for the repeats of a Send. A room knows the comments that it was
// told of for two minutes, and the last 16,384 at least where there are more;
// one that has just opened knows none from before.
//
// A room is one log of batches, each encoded once; a viewer is a place in it.
// So a slow viewer holds nobody up: what the log has let go of by the time it
// comes back is counted in Batch.Dropped.
package live
