// Package hackathon is the domain of examples/pipeline: projects in a table, and a
// board for each hackathon that follows them. Copy the way in which a table's changes
// become scores.
package hackathon

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// Project is an item of the main table.
type Project struct {
	ID       string   `dynamo:"Id,hash"`
	MetaData MetaData `dynamo:"metaData"`
	Score    int64    `dynamo:"projectScore"`
	UserName string   `dynamo:"userName"`
	URL      string   `dynamo:"url,omitempty"` // no board shows it
	Version  uint64   `dynamo:"version"`       // rises with each write, also after a deletion
}

// MetaData is the part of a Project that names its hackathon.
type MetaData struct {
	HackathonName string `dynamo:"hackathonName"`
}

// MainTable is the schema of the main table, whose stream carries both images.
func MainTable(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("Id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("Id"), KeyType: types.KeyTypeHash}},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	}
}

// Board is the definition of a hackathon's board. It must be defined before the
// hackathon's first project is applied.
func Board(hackathon string) leaderboard.Board {
	return leaderboard.Board{Name: hackathon, Operator: leaderboard.Set}
}

// Projection is what a board shows of an item of the main table, for
// leaderboard.Project. The player is the project, since a user may have several.
func Projection(_ context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
	return projection(item, 0)
}

// Of is Projection for the items of a record. An item without a version gets one from
// the record: its second, and the last nine digits of its sequence number. It does not
// order two changes of one second between which those digits begin again, nor an item
// that was read from the table.
func Of(r stream.Record) func(context.Context, map[string]types.AttributeValue) (leaderboard.Projection, error) {
	const digits, bits = 9, 30
	last, _ := strconv.ParseUint(r.Seq[max(0, len(r.Seq)-digits):], 10, bits)
	version := uint64(max(r.At.Unix(), 0))<<bits + last + 1
	return func(_ context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
		return projection(item, version)
	}
}

// keyOf returns the id of a project and the name of its hackathon. In a table whose key
// is (id, metadata), metadata is that name.
func keyOf(item map[string]types.AttributeValue) (id, hackathon *types.AttributeValueMemberS, err error) {
	if id, ok := item["id"].(*types.AttributeValueMemberS); ok {
		if hackathon, ok = item["metadata"].(*types.AttributeValueMemberS); !ok {
			return nil, nil, invalid("metadata", "is no string")
		}
		return id, hackathon, nil
	}
	id, ok := item["Id"].(*types.AttributeValueMemberS)
	if !ok {
		return nil, nil, invalid("Id", "is no string")
	}
	meta, ok := item["metaData"].(*types.AttributeValueMemberM)
	if !ok {
		return nil, nil, invalid("metaData", "is no map")
	}
	if hackathon, ok = meta.Value["hackathonName"].(*types.AttributeValueMemberS); !ok {
		return nil, nil, invalid("metaData.hackathonName", "is no string")
	}
	return id, hackathon, nil
}

// projection uses the version for an item that has none, unless it is 0.
func projection(item map[string]types.AttributeValue, version uint64) (leaderboard.Projection, error) {
	id, name, err := keyOf(item)
	if err != nil {
		return leaderboard.Projection{}, err
	}
	user, ok := item["userName"].(*types.AttributeValueMemberS)
	if !ok {
		return leaderboard.Projection{}, invalid("userName", "is no string")
	}
	score, ok := integer(item["projectScore"], strconv.ParseInt)
	if !ok {
		return leaderboard.Projection{}, invalid("projectScore", "is no integer")
	}
	if own, stored := item["version"]; stored || version == 0 {
		if version, ok = integer(own, strconv.ParseUint); !ok {
			return leaderboard.Projection{}, invalid("version", "is no positive integer")
		}
	}
	return leaderboard.Projection{
		Board: name.Value, Player: id.Value, Name: user.Value, Score: leaderboard.Int(score), Version: version,
	}, nil
}

func invalid(field, reason string) error { return &plaza.InvalidError{Field: field, Reason: reason} }

func integer[I int64 | uint64](v types.AttributeValue, parse func(string, int, int) (I, error)) (I, bool) {
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	i, err := parse(n.Value, 10, 64)
	return i, err == nil
}

// Place is a line of a board.
type Place struct {
	Rank     int64             `json:"rank"` // equal scores share a rank
	ID       string            `json:"id"`
	UserName string            `json:"userName"`
	Score    leaderboard.Score `json:"projectScore"`
}

// Top returns the best n projects of a hackathon, eventually consistent.
//
// Cost: as leaderboard's Top.
func Top(ctx context.Context, boards *leaderboard.Repository, hackathon string, n int) ([]Place, error) {
	page, err := boards.Top(ctx, leaderboard.In{Board: hackathon}, cursor.PageRequest{Limit: n})
	if err != nil {
		return nil, err
	}
	places := make([]Place, len(page.Items))
	for i, row := range page.Items {
		places[i] = Place{Rank: row.Rank, ID: row.Player, UserName: row.Name, Score: row.Score}
	}
	return places, nil
}
