// Package message keeps private conversations of two users, or of a group of up to
// 100: ordered messages, what each member has read, and each user's inbox.
//
//	messages, err := message.New(db, "message", gen, &message.Options{Blocks: preferences}) // of package prefs
//
//	pair := message.Pair{User: "ann", Other: "ben"}.Conversation()
//	m, created, err := messages.Send(ctx, message.Message{
//		Conversation: pair, Sender: "ann", Key: "the client's own id", Text: "Hello",
//	})
//	inbox, err := messages.Inbox(ctx, "ben", cursor.PageRequest{}) // previews and unread counts
//	ben := message.In{Conversation: pair, User: "ben"}
//	page, err := messages.History(ctx, ben, cursor.PageRequest{})
//	err = messages.Read(ctx, ben, m.Seq)
//
// A conversation of two needs no creation: it begins with its first message, however
// many devices send it at once. Create makes a group.
//
// Messages of a conversation are numbered 1, 2, 3 … without gaps. A message is stored
// once under its sender's Key, for 30 days: repeat a Send with the same Key until it is
// answered. The text of a recalled message is gone, and its number stays.
//
// Store first, then show: package live beneath this one has typing and presence, which
// are not stored.
//
// Create the table with Table and TTL, and call Init once; Verify checks it.
package message
