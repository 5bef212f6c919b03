// Package format reads and writes danmu files: Bilibili's XML, the JSON of
// DPlayer, ArtPlayer, dandanplay and Niconico, and NDJSON of Plaza's own, which
// holds all of a Comment.
//
//	r, err := format.NewReader(file, format.Bilibili, nil)
//	result, err := comments.Import(ctx, "video-1", r.All(), nil)
//	fmt.Println(r.Stats())
//
// Damaged bytes are tolerated and counted. A record that is none is refused,
// and the next one is read. Memory is bounded, whatever the file says.
//
// Positions are rounded to the millisecond. White, and a size of 25, are what
// files say where nobody chose: they are the zero Color and the zero Size. The
// file's id is the Key, "0" is none; the time of sending is Sent, the sender is
// User if ReadOptions.Senders wants it. JSON has a Key as a number if it is one
// below 2^53, beyond which JavaScript rounds, or was one in the file.
//
// What a format has beyond a Comment stays in Extra, under the format's name,
// and goes into files of that format again:
//
//	bilibili    {"p":["…"],"user":"…"}       fields behind the ninth; other attributes
//	dplayer     ["…"]                        what follows the text
//	artplayer   {"border":true,"style":{}}   other members; a colour that is not "#…"
//	dandanplay  {"p":["…"],"shift":1}        fields behind the fourth; other members; "cid" of 2^53 and more
//	niconico    {"mail":["184"],"no":1}      all commands; other members; "id" of 2^53 and more
//
// What stands beside the comments are Tags.
//
// A file has only what its format has: ArtPlayer neither Key nor User, DPlayer
// no Key, these and dandanplay no Sent, Size, Pool and Weight, Niconico no Pool
// and Weight and three sizes. Bilibili has whole seconds of Sent. A Key or User
// with a comma is left out where commas part the fields, and so are control
// characters in XML.
//
// A line of NDJSON has object, id, key, user, progress (ms), sent (RFC 3339),
// text, mode, color ("#FF0000"), size, pool, weight, likes, reports, protected,
// repeats and extra; only progress and text are always there, and another
// member is refused.
package format
