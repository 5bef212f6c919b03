// Package tables has every table of Plaza in one list: schemas, expiry and the
// permissions that its callers need.
package tables

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/stream"
)

// Table is one table.
type Table struct {
	Feature string // e.g. "feed"; unique in a list
	Create  *dynamodb.CreateTableInput
	TTL     *dynamodb.UpdateTimeToLiveInput // nil for a table whose items do not expire
}

// Name returns the table's name.
func (t Table) Name() string { return *t.Create.TableName }

// Names are the names of all tables.
type Names struct {
	Machines    string // of ids/lease
	Follow      string
	Feed        string
	Comment     string
	Reaction    string
	Leaderboard string
	Danmu       string
	Notify      string // of announce, prefs and digest too
	Message     string
	Pollers     string // leases of stream.Poller
	Letters     string // dead letters of a stream
}

// NamesOf returns prefix + "follow" and so on.
func NamesOf(prefix string) Names {
	return Names{
		Machines:    prefix + "machines",
		Follow:      prefix + "follow",
		Feed:        prefix + "feed",
		Comment:     prefix + "comment",
		Reaction:    prefix + "reaction",
		Leaderboard: prefix + "leaderboard",
		Danmu:       prefix + "danmu",
		Notify:      prefix + "notify",
		Message:     prefix + "message",
		Pollers:     prefix + "pollers",
		Letters:     prefix + "letters",
	}
}

// All returns every table, each with the name that NamesOf gives it.
func All(prefix string) []Table { return Of(NamesOf(prefix)) }

// Of returns the tables that have a name.
func Of(names Names) []Table {
	var out []Table
	for _, t := range []struct {
		feature, name string
		schema        func(string) *dynamodb.CreateTableInput
		expiry        func(string) *dynamodb.UpdateTimeToLiveInput
	}{
		{"machines", names.Machines, lease.Table, nil},
		{"follow", names.Follow, follow.Table, follow.TTL},
		{"feed", names.Feed, feed.Table, feed.TTL},
		{"comment", names.Comment, comment.Table, comment.TTL},
		{"reaction", names.Reaction, reaction.Table, reaction.TTL},
		{"leaderboard", names.Leaderboard, leaderboard.Table, leaderboard.TTL},
		{"danmu", names.Danmu, danmu.Table, danmu.TTL},
		{"notify", names.Notify, notify.Table, notify.TTL},
		{"message", names.Message, message.Table, message.TTL},
		{"pollers", names.Pollers, stream.Table, nil},
		{"letters", names.Letters, stream.DeadSchema, stream.DeadTTL},
	} {
		if t.name == "" {
			continue
		}
		table := Table{Feature: t.feature, Create: t.schema(t.name)}
		if t.expiry != nil {
			table.TTL = t.expiry(t.name)
		}
		out = append(out, table)
	}
	return out
}
