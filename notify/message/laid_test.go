package message_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
)

type attributes = map[string]any

// bucket is how many messages a partition has.
const bucket = 65_536

// laid is a conversation whose items look as if Send had written them. It can write
// many at once, from any number on.
type laid struct {
	w       world
	name    string
	members []string
	n       int64
}

func (w world) lay(t testing.TB, conversation string, n int64, members ...string) *laid {
	t.Helper()
	l := &laid{w: w, name: conversation, members: members, n: n}
	items := []any{l.head()}
	for _, user := range members {
		items = append(items, attributes{
			"pk": keys.Join("U", user), "sk": "C#" + conversation, "lastSeq": n, "read": n, "from": n, "last": w.id().String(),
		})
	}
	if !strings.Contains(conversation, "#") {
		items = append(items, attributes{"pk": "C#" + conversation, "sk": "M", "mver": 1, "members": members})
	}
	w.put(t, items...)
	return l
}

func (l *laid) head() attributes {
	return attributes{"pk": "C#" + l.name, "sk": "~", "n": l.n, "mver": 1}
}

// entry replaces a user's entry.
func (l *laid) entry(t testing.TB, user string, more attributes) {
	t.Helper()
	item := attributes{"pk": keys.Join("U", user), "sk": "C#" + l.name}
	maps.Copy(item, more)
	l.w.put(t, item)
}

func messageAt(conversation string, seq int64) (pk, sk string) {
	return fmt.Sprint("C#", conversation, "#", seq/bucket), fmt.Sprintf("%016d", seq)
}

// send adds messages of the first member, and moves the entries of all.
func (l *laid) send(t testing.TB, n int) (seqs []int64) {
	t.Helper()
	var items []any
	last := ids.ID(0)
	for range n {
		l.n++
		last = l.w.id()
		pk, sk := messageAt(l.name, l.n)
		items = append(items, attributes{
			"pk": pk, "sk": sk, "id": last.String(), "sender": l.members[0], "key": fmt.Sprint("key ", l.n), "text": fmt.Sprint("text ", l.n),
		})
		seqs = append(seqs, l.n)
	}
	l.w.put(t, append(items, l.head())...)
	for _, user := range l.members {
		u := l.w.raw(t).Update("pk", keys.Join("U", user)).Range("sk", "C#"+l.name).Set("lastSeq", l.n).Set("last", last.String())
		require.NoError(t, u.Run(context.Background()))
	}
	return seqs
}

// history reads a user's history to its end, limit messages a page.
func (w world) history(t testing.TB, in message.In, limit int) (seqs []int64) {
	t.Helper()
	for m := range each(t, limit, w.historyOf(in)) {
		seqs = append(seqs, m.Seq)
	}
	return seqs
}

// downFrom returns the numbers from one down to another.
func downFrom(from, to int64) (seqs []int64) {
	for seq := from; seq >= to; seq-- {
		seqs = append(seqs, seq)
	}
	return seqs
}
