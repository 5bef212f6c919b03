// Package danmu keeps comments that fly over a video at a moment of its playing
// time.
//
// A player reads one window of playing time after another; WindowOptions chooses
// what a viewer sees of it.
//
//	comments, err := danmu.New(db, "danmu", gen, nil)
//
//	comments.Send(ctx, danmu.Comment{
//		Object: "episode 1", User: "jack", Text: "前方高能", Progress: 20 * time.Second,
//	})
//	window, err := comments.Window(ctx, "episode 1", 0, time.Minute, &danmu.WindowOptions{Cap: 50})
//
// An object, most often a video, needs no setting up. Configure sets its Duration
// and its Owner, and spreads a popular one over more Shards at any time. Comments
// are stored and read by segments of playing time, six minutes by default.
// Concurrent reads of a segment share one request, and Options.Cache keeps the
// segment for later reads.
//
// IDs sort in playing order, and so do their texts. A Send that is repeated with
// its Key or ID stores one comment.
//
// Import stores the comments that danmu/format reads from files, and Export returns comments for
// it to write; danmu/live sends new comments to the users who are watching.
package danmu
