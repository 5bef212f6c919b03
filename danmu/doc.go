// Package danmu keeps comments that fly over a video at a moment of its playing
// time.
//
// A player shows a window of playing time and reads the next one in time; a
// viewer's WindowOptions say what of it to see.
//
//	comments, err := danmu.New(db, "danmu", gen, nil)
//
//	comments.Send(ctx, danmu.Comment{
//		Object: "episode 1", User: "jack", Text: "前方高能", Progress: 20 * time.Second,
//	})
//	window, err := comments.Window(ctx, "episode 1", 0, time.Minute, &danmu.WindowOptions{Cap: 50})
//
// An object, most often a video, needs no setting up. Configure tells its
// Duration and its Owner, and spreads a popular one over more Shards at any
// time. What is read of it is a segment of playing time, six minutes by
// default; a popular one is read once for all who ask at one moment, and for
// Options.Cache after it.
//
// An ID is its comment's place in playing order, as text too. A Send that is
// repeated with its Key or ID is one comment.
//
// Import takes what danmu/format reads of files, Export gives it back;
// danmu/live tells those who watch of what is sent while they do.
package danmu
