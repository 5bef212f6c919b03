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
//	changed, err := messages.MarkRead(ctx, ben, m.Seq)
//
// A conversation of two begins with its first message, even if several devices send it
// at once. Create makes a group.
//
// Messages of a conversation are numbered 1, 2, 3 … without gaps. If the answer to a
// Send is lost, repeat it with the same Key: for 30 days, a sender's Key stores one
// message only. A recalled message loses its text and keeps its number.
//
// The package checks that a user is a member of the conversation, and that only a group's owner
// removes others or describes it. Your service decides who may create and join a group. Package
// notify/message/live shows viewers what was stored, who is typing and who is present.
//
// Create the table with Table and TTL, and call Init once; Verify checks it.
package message
