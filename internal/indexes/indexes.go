// Package indexes has the indexes of all features' tables. It imports no feature, so that what
// creates tables links none.
package indexes

import "github.com/plaza-sdk/plaza/internal/store"

// An index may not change once its table exists.

// Ranking has a board's entries in the order of their keys.
func Ranking() store.Index {
	return store.Index{Name: "ranking", Partition: "part", Sort: "key", Include: []string{"name", "meta"}}
}

// ByUser lists the comments of a user on videos in the order of sending. It has only keys,
// because otherwise each like would be written to it too.
func ByUser() store.Index {
	return store.Index{Name: "byUser", Partition: "userId", Sort: "sent", Text: true}
}

// Groups is the order of a user's groups of notifications by place. It includes the user's
// state, s, an attribute of an item that is read with the first page.
func Groups() store.Index {
	return store.Index{Name: "recent", Sort: "last", Text: true, Include: []string{
		"lv", "n", "more", "a1", "a2", "a3", "a4", "a5", "rev", "read", "unread", "was", "past", "ttl", "data", "s",
	}}
}

// Conversations is the order of a user's inbox of messages.
func Conversations() store.Index {
	return store.Index{
		Name: "recent", Sort: "last", Text: true,
		Include: []string{"lastSeq", "read", "own", "recalled", "from", "till", "muted", "unread"},
	}
}
