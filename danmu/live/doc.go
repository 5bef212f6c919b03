// Package live shows danmu to the viewers of a video at the moment they are
// sent. It is package plaza/live, for danmu.
//
// A Hub goes before a danmu.Repository: it stores what is sent, recalled,
// removed or liked, and then publishes it in the video's room, to viewers of this
// process and, through a live.Backplane, of others. A viewer joins, reads the
// stored comments, and then takes batch after batch:
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
// away passes the last Pos that it saw to Join. It must then drop comments, by
// ID, that it already shows: those that CatchUp returned just before it left may
// come again. It must drop repeats of a Send in any case: a room recognizes the
// comments of the last two minutes, at least the latest 16,384, and none from
// before it opened.
package live
