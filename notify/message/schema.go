package message

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/internal/indexes"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// For the conversation c:
//
//	C#c / ~            the head {n, mver, blocked}; an Unblock before a pair's first message leaves an empty one
//	C#c / M            the members of a group {members, owner, name, picture, mver}
//	C#c#bucket / seq   a message; a bucket has 65,536 of them
//	K#sender#key / K   the message that was sent under a key {c, seq, id, hash, ttl}
//	U#user / C#c       the user's entry {last, lastSeq, read, own, recalled, from, till, muted, unread, marked}
//
// A group's entries are written with its members. A pair's begin with their first message.

// Table returns the schema of a table with that name.
func Table(name string) *dynamodb.CreateTableInput { return recent.Schema(name) }

// TTL returns the request that turns on expiry, of message keys and of what
// Options.SharedRate remembers.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "message", Format: 1, Schema: Table, Expires: true}
}

var recent = indexes.Conversations()

const (
	maxConversation = 1024 - len("C#") // bytes; DynamoDB's longest sort key is 1,024
	bucketSize      = 65_536
	keyDays         = 30
)

const (
	conversations = "C" // the first part of the keys of a conversation's items
	users         = "U"

	conversationPrefix = conversations + "#"
	entryPrefix        = "C#"

	headSK    = "~"
	membersSK = "M"
)

func conversationPK(c string) string { return conversationPrefix + c } // c is joined

func headKey(c string) store.Key { return store.Key{PK: conversationPK(c), SK: headSK} }

func membersKey(c string) store.Key { return store.Key{PK: conversationPK(c), SK: membersSK} }

// messageKey is the key of a message. Its sort key has 16 digits.
func messageKey(c string, seq int64) store.Key {
	return store.Key{PK: conversationPK(c) + "#" + strconv.FormatInt(seq/bucketSize, 10), SK: seqSK(seq)}
}

func sentKey(sender, key string) store.Key {
	return store.Key{PK: keys.Join("K", sender, key), SK: "K"}
}

func userPK(user string) string { return keys.Join(users, user) }

func entryKey(in In) store.Key {
	return store.Key{PK: userPK(in.User), SK: entryPrefix + in.Conversation}
}

const seqDigits = 16

// seqSK is the sort key of a message, in the order of numbers.
func seqSK(seq int64) string {
	text := strconv.FormatInt(seq, 10)
	return "0000000000000000"[min(len(text), seqDigits):] + text
}

// parseSeqSK undoes seqSK.
func parseSeqSK(sk string) (seq int64, ok bool) {
	n, err := strconv.ParseUint(sk, 10, 63)
	return int64(n), err == nil && n > 0 && len(sk) == seqDigits
}

// parseMessageKey undoes messageKey.
func parseMessageKey(key store.Key) (conversation string, seq int64, ok bool) {
	seq, isSeq := parseSeqSK(key.SK)
	conversation, ok = strings.CutPrefix(key.PK, conversationPrefix)
	at := strings.LastIndexByte(conversation, '#')
	if !isSeq || !ok || at < 0 {
		return "", 0, false
	}
	conversation = conversation[:at]
	return conversation, seq, isConversation(conversation) && messageKey(conversation, seq) == key
}

// parseConversationPK undoes conversationPK.
func parseConversationPK(pk string) (conversation string, ok bool) {
	conversation, ok = strings.CutPrefix(pk, conversationPrefix)
	return conversation, ok && isConversation(conversation)
}

// isConversation reports whether a pair or a group can have the name.
func isConversation(name string) bool {
	in := In{Conversation: name, User: "anybody"}
	if p, isPair := in.pair(); isPair {
		in.User = p.User
	}
	return in.check("User") == nil
}
