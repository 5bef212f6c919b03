// Package format reads and writes danmu files: the XML of Bilibili and Niconico, the
// JSON of DPlayer, ArtPlayer, dandanplay and Niconico, and Plaza's own NDJSON, which
// has all fields of a Comment.
//
//	r, err := format.NewReader(file, format.Bilibili, nil)
//	result, err := comments.Import(ctx, "video-1", r.All(), nil)
//	fmt.Println(r.Stats())
//
// Damaged bytes are tolerated and counted. So is an unusable style or time of sending,
// which is read as the default. A record that is otherwise invalid, such as one without
// a text or a position, is refused, and reading continues with the next one. Memory is
// bounded, whatever the file holds: a few times MaxRecord, and 1 MiB of Tags.
//
// Positions are rounded to the millisecond. If the sender chose no colour or size, files have white
// and 25: these are read as the zero Color and the zero Size. A size of 0 is read as the zero Size
// too, and written as 25. The file's id is the Key ("0" is none), the time of sending is Sent, and
// the sender is User if ReadOptions.Senders is set. In JSON files a Key is written as a number if
// it is one below 2^53, above which JavaScript rounds, or if it was one in the file that was read.
//
// Fields that a Comment does not have stay in Extra, under the format's name, and
// are written to files of that format again:
//
//	bilibili    {"p":["…"],"user":"…"}       fields after the ninth; other attributes
//	dplayer     ["…"]                        elements after the text
//	artplayer   {"border":true,"style":{}}   other members; a colour that is not "#…"
//	dandanplay  {"p":["…"],"shift":1}        fields after the fourth; other members; "cid" of 2^53 and more
//	niconico    {"mail":["184"],"no":1}      all commands; other members; "id" of 2^53 and more
//	niconicoxml                              as niconico: other attributes
//
// In a Niconico packet, the Key is thread/no or thread/fork/no, since each thread and
// fork has its own numbers. Commands of operators and owners, such as "/vote", have
// the Mode Code. Deleted comments are skipped, and counted in Stats.
//
// Other elements and members of a file are its Tags.
//
// A format may lack fields. ArtPlayer has no Key and no User, DPlayer no Key; neither they nor
// dandanplay have Sent, Size, Pool and Weight; Niconico has no Pool and Weight, and three sizes.
// Bilibili has Sent in whole seconds. Where commas separate fields, a Key or User with a comma is
// left out. XML cannot hold NUL and the other control characters: they are left out of a text, and
// a text that has nothing else is refused.
//
// A line of NDJSON has object, id, key, user, progress (ms), sent (RFC 3339),
// text, mode, color ("#FF0000"), size, pool, weight, likes, reports, protected,
// repeats and extra. Only progress and text are always there. A line with any
// other member is refused.
package format
