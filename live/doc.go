// Package live shows everybody who watches a room what happens in it, at the
// moment it happens. A room is anything with a name: a video, a conversation,
// one user's bell.
//
// An event is published through any Hub, and reaches the room's viewers in this
// process and, through a Backplane, in the others:
//
//	hub, err := live.New(&live.Options[Event]{Backplane: backplane})
//	…
//	viewer, err := hub.Join(ctx, room, "")
//	if err != nil {
//		return err
//	}
//	defer viewer.Close()
//	for {
//		batch, err := viewer.Next(ctx)
//		if err != nil {
//			return err
//		}
//		write(batch.Pos, batch.Encoded)
//	}
//
// A room is no storage: store first, then publish. A client that shows stored
// data joins, then reads it, and takes batches from then on: in this order it
// misses nothing. After a Reset it reads again. A client that was away passes the
// last Pos that it saw to Join.
//
// A room is one log of batches, each encoded once; a viewer is a place in it. A slow viewer delays
// nobody else. If the log drops batches before the viewer reads them, Batch.Dropped counts their
// events.
//
// After a quiet moment an event goes out at once. In a busy room events wait and go out together:
// they wait up to 10 ms with few viewers and up to 100 ms with thousands, unless Options.Every says
// otherwise. With Options.PresentEvery viewers also learn how many viewers there are.
//
// A client may name any room. Options.Known keeps rooms from opening for videos
// or users that do not exist: otherwise each costs memory, and a key in Redis,
// until it expires.
//
// A room costs about a kilobyte and no goroutine. If you have many rooms with a
// viewer each, set Options.Batches low, and over Redis let rooms share streams:
// redisstream.Options.Shared.
package live
