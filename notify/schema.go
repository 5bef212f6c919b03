package notify

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
)

// N#user / G#target#verb#day, or another name by Options.Group, is a group, see internal/group. N#user / S {last, s,
// rev} is the user's state. J#shard has jobs of watchers, R#object what was taken back for
// all of them. Packages announce and prefs keep their items in the
// same table.

// Table returns the schema of a table with that name. Packages announce, digest and
// prefs use the same table.
func Table(name string) *dynamodb.CreateTableInput { return notifytable.Schema(name) }

// TTL returns the request that turns on expiry, of groups, announcements, jobs,
// digests and the records of ended blocks and mutes.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

// recent is the order of a user's groups, and has the state before them.
var recent = notifytable.Recent()

// The state's sort key, and its place in the index: before the first group.
const (
	stateSK    = "S"
	statePlace = "~"
)

func userPK(user string) string { return notifytable.UserPK(user) }

func stateKey(user string) store.Key { return store.Key{PK: userPK(user), SK: stateSK} }

const groupPrefix = "G#"

func groupKey(in In) store.Key { return store.Key{PK: userPK(in.User), SK: groupPrefix + in.Group} }

// groupOf is the name of the group with the sort key.
func groupOf(sk string) string { return strings.TrimPrefix(sk, groupPrefix) }

const (
	maxSK   = 1024                     // DynamoDB's longest sort key
	maxName = maxSK - len(groupPrefix) // the longest name of a group
)

// aboutSpan is where a user's groups about something lie.
func aboutSpan(user string, about feed.Ref) (store.Span, error) {
	if err := keys.CheckName("User", user); err != nil {
		return store.Span{}, err
	}
	if parsed, err := feed.ParseRef(about.String()); err != nil || parsed != about {
		return store.Span{}, &plaza.InvalidError{Field: "about", Reason: "is not a valid Ref"}
	}
	prefix := groupPrefix + keys.Join(about.String())
	if err := args.Count("about", len(prefix+"#"), "bytes as a key", maxSK); err != nil {
		return store.Span{}, err
	}
	return store.Span{PK: userPK(user), From: prefix + "#", To: prefix + "$", Ascending: true, Consistent: true}, nil // $ follows #
}

const maxParts = 4 // of a group's name, besides what it is about

// groupName is the name of a group.
func groupName(about feed.Ref, parts []string) string {
	return keys.Join(append([]string{about.String()}, parts...)...)
}

// splitGroup undoes groupName. It refuses what groupName does not make.
func splitGroup(name string) (about feed.Ref, parts []string, err error) {
	if err := args.Count("Group", len(name), "bytes", maxName); err != nil {
		return feed.Ref{}, nil, err
	}
	parts = keys.Split(name)
	if len(parts) >= 2 && len(parts) <= 1+maxParts && keys.Join(parts...) == name &&
		keys.CheckNames("Group", parts[1:]) == nil {
		if about, err = feed.ParseRef(parts[0]); err == nil {
			return about, parts[1:], nil
		}
	}
	return feed.Ref{}, nil, &plaza.InvalidError{Field: "Group", Reason: "is not the name of a group"}
}

func (in In) check() error {
	if err := keys.CheckName("User", in.User); err != nil {
		return err
	}
	_, _, err := splitGroup(in.Group)
	return err
}
