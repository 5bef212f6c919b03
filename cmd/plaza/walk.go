package main

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/message"
)

// place is how far a walk through all tables has come: the item of the feature's table
// that was read last, or the board and period that were checked last.
type place struct {
	Table   string `json:"table"`
	Feature string `json:"feature"`
	PK      string `json:"pk"`
	SK      string `json:"sk"`
}

// checkpoint is a place and what must be the same to continue there.
type checkpoint struct {
	Command string   `json:"command"`
	Kinds   []string `json:"kinds"`
	place
}

// walk checks all of a feature from a place on.
type walk func(ctx context.Context, at place, keep func(place) error) error

// all checks everything. It keeps its place in the file, if one is given.
func (j *checkJob) all(ctx context.Context, file string) error {
	var kept checkpoint
	if err := readJSON(file, &kept); err != nil {
		return err
	}
	at, own := kept.place, checkpoint{j.command, j.kinds, place{}}
	if at.Feature != "" && (kept.Command != own.Command || !slices.Equal(kept.Kinds, own.Kinds)) {
		return usagef("%s is the place of another command: plaza %s --all --kind %s", file, kept.Command, strings.Join(kept.Kinds, ","))
	}
	for _, step := range []struct {
		feature, table string
		walk           walk
	}{
		{"follow", j.s.names.Follow, j.owners(followSubject)},
		{"reaction", j.s.names.Reaction, j.owners(reactionSubject)},
		{"leaderboard", j.s.names.Leaderboard, j.walkBoards},
		{"feed", j.s.names.Feed, j.items(by(feed.Changes))},
		{"comment", j.s.names.Comment, j.items(by(comment.Changes))},
		{"danmu", j.s.names.Danmu, j.items(by(danmu.Changes))},
		{"notify", j.s.names.Notify, j.items(by(notify.Changes), by(announce.Changes))},
		{"message", j.s.names.Message, j.items(by(message.Changes))},
	} {
		if step.table == "" || at.Feature != "" && at.Feature != step.feature {
			continue
		}
		if at.Feature != "" && at.Table != step.table {
			return usagef("%s is the place in the table %s, which is not yours", file, at.Table)
		}
		j.mu.Lock()
		j.doing, j.read = step.feature+": ", 0
		j.mu.Unlock()
		at.Table, at.Feature = step.table, step.feature
		if err := step.walk(ctx, at, func(at place) error { own.place = at; return writeJSON(file, own) }); err != nil {
			return err
		}
		at = place{}
	}
	if at.Feature != "" {
		return usagef("%s is a place in the feature %s, which is not among yours", file, at.Feature)
	}
	return remove(file)
}

// owner is the user or object to which the items of a partition belong.
type owner struct {
	subject

	// primary is an item that everybody of this kind should have. If it exists, its own partition
	// leads to the check, so that each subject is checked once. It is zero for that partition
	// itself.
	primary store.Key
}

// followSubject reads a partition key of package follow.
func followSubject(pk string, _ map[string]types.AttributeValue) (owner, bool) {
	parts := keys.Split(pk)
	if len(parts) < 2 || parts[1] == "" {
		return owner{}, false
	}
	o := owner{subject: subject{Feature: "follow", User: parts[1]}}
	switch parts[0] {
	case "C":
	case "E", "F", "R":
		o.primary = store.Key{PK: keys.Join("C", parts[1]), SK: "0"}
	default:
		return owner{}, false
	}
	return o, true
}

// reactionSubject reads a partition key of package reaction, and an item of it.
func reactionSubject(pk string, item map[string]types.AttributeValue) (owner, bool) {
	parts := keys.Split(pk)
	if len(parts) < 2 || parts[1] == "" {
		return owner{}, false
	}
	o := owner{subject: subject{Feature: "reaction"}}
	switch parts[0] {
	case "U":
		o.User = parts[1]
	case "M":
		o.User = parts[1]
		o.primary = store.Key{PK: keys.Join("U", parts[1]), SK: textOf(item, "object")}
	case "C", "L":
		o.Object = parts[1]
		o.primary = store.Key{PK: keys.Join("C", parts[1], "0"), SK: "C"}
		if pk == o.primary.PK {
			o.primary = store.Key{}
		}
	default:
		return owner{}, false
	}
	return o, true
}

// owners checks every owner of a partition of a table.
func (j *checkJob) owners(of func(string, map[string]types.AttributeValue) (owner, bool)) walk {
	return func(ctx context.Context, at place, keep func(place) error) error {
		keysAlone := dynamodb.ScanInput{
			ProjectionExpression:     aws.String("pk, sk, #o"),
			ExpressionAttributeNames: map[string]string{"#o": "object"},
		}
		return j.walkTable(ctx, at, keysAlone, keep, func(at place, items []map[string]types.AttributeValue) error {
			return j.checkOwners(ctx, at, items, of)
		})
	}
}

// walkTable calls check with each page of a table. It keeps a place only once the next
// page is read: if DynamoDB cannot be reached, unchecked subjects come again.
func (j *checkJob) walkTable(ctx context.Context, at place, in dynamodb.ScanInput, keep func(place) error, check func(place, []map[string]types.AttributeValue) error) error {
	in.TableName, in.ConsistentRead, in.Limit = aws.String(at.Table), aws.Bool(true), aws.Int32(int32(j.s.page))
	for began := at; ; {
		if at.PK != "" {
			in.ExclusiveStartKey = keyOf(store.Key{PK: at.PK, SK: at.SK})
		}
		out, err := j.s.client.Scan(ctx, &in)
		if err != nil {
			return err
		}
		if at != began {
			if err := keep(at); err != nil {
				return err
			}
		}
		j.mu.Lock()
		j.read += int64(out.ScannedCount)
		j.mu.Unlock()
		if err := check(at, out.Items); err != nil {
			return err
		}
		if out.LastEvaluatedKey == nil {
			return nil
		}
		at.PK, at.SK = textOf(out.LastEvaluatedKey, "pk"), textOf(out.LastEvaluatedKey, "sk")
	}
}

// checkOwners checks the owners of some items. A Scan reads partition after partition, so a
// partition that began on the page before has been checked.
func (j *checkJob) checkOwners(ctx context.Context, at place, items []map[string]types.AttributeValue, of func(string, map[string]types.AttributeValue) (owner, bool)) error {
	t, err := store.Open(j.s.db, at.Table, nil, true)
	if err != nil {
		return err
	}
	var owners []owner
	var probes []store.Key
	before := at.PK
	for _, item := range items {
		pk := textOf(item, "pk")
		if pk == before {
			continue
		}
		before = pk
		o, ok := of(pk, item)
		if !ok {
			continue
		}
		owners = append(owners, o)
		if o.primary.SK != "" {
			probes = append(probes, o.primary)
		}
	}
	found, err := t.GetAll(ctx, probes, true, 1)
	if err != nil {
		return err
	}
	var due []subject
	seen := map[subject]bool{}
	for _, o := range owners {
		if (o.primary.SK == "" || found[o.primary] == nil) && !seen[o.subject] {
			seen[o.subject] = true
			due = append(due, o.subject)
		}
	}
	return j.each(ctx, due)
}

// walkBoards checks every kept period of every board.
func (j *checkJob) walkBoards(ctx context.Context, at place, keep func(place) error) error {
	for board, err := range cursor.All(ctx, j.boards.Definitions) {
		if err != nil {
			return err
		}
		if board.Name < at.PK {
			continue
		}
		periods, err := j.periods(ctx, board.Name)
		if err != nil {
			return err
		}
		for _, period := range periods {
			if board.Name == at.PK && period.Period <= at.SK {
				continue
			}
			if err := j.one(ctx, period); err != nil {
				return err
			}
			if err := keep(place{at.Table, at.Feature, board.Name, period.Period}); err != nil {
				return err
			}
		}
	}
	return nil
}

func keyOf(key store.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: key.PK}, "sk": &types.AttributeValueMemberS{Value: key.SK},
	}
}

// textOf is a text attribute, or "".
func textOf(item map[string]types.AttributeValue, name string) string {
	if text, ok := item[name].(*types.AttributeValueMemberS); ok {
		return text.Value
	}
	return ""
}
