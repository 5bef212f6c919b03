// Package tables has every table of Plaza in one list: schemas, expiry and the
// permissions that its callers need. It writes them as CloudFormation, Terraform and
// IAM policies.
package tables

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/internal/indexes"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table is one table.
type Table struct {
	Feature string // e.g. "feed"; unique in a list
	Create  *dynamodb.CreateTableInput
	TTL     *dynamodb.UpdateTimeToLiveInput // nil for a table whose items do not expire
}

// Name returns the table's name.
func (t Table) Name() string { return aws.ToString(t.Create.TableName) }

// WithStream returns t with a stream of new and old images, which a poller.Poller and
// Lambda read.
func (t Table) WithStream() Table {
	create := *t.Create
	create.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	t.Create = &create
	return t
}

func (t Table) hasStream() bool {
	s := t.Create.StreamSpecification
	return s != nil && aws.ToBool(s.StreamEnabled)
}

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
	Pollers     string // leases of poller.Poller
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
		{"machines", names.Machines, store.Schema, nil},
		{"follow", names.Follow, store.Schema, store.TTL},
		{"feed", names.Feed, store.Schema, store.TTL},
		{"comment", names.Comment, store.Schema, store.TTL},
		{"reaction", names.Reaction, store.Schema, store.TTL},
		{"leaderboard", names.Leaderboard, indexes.Ranking().Schema, store.TTL},
		{"danmu", names.Danmu, indexes.ByUser().Schema, store.TTL},
		{"notify", names.Notify, indexes.Groups().Schema, store.TTL},
		{"message", names.Message, indexes.Conversations().Schema, store.TTL},
		{"pollers", names.Pollers, store.Schema, nil},
		{"letters", names.Letters, store.Schema, store.TTL},
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
