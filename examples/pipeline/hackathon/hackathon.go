// Package hackathon is the domain of examples/pipeline: projects in a table, and a
// board for each hackathon that follows them.
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
	id, ok := item["Id"].(*types.AttributeValueMemberS)
	if !ok {
		return leaderboard.Projection{}, invalid("Id", "is no string")
	}
	meta, ok := item["metaData"].(*types.AttributeValueMemberM)
	if !ok {
		return leaderboard.Projection{}, invalid("metaData", "is no map")
	}
	name, ok := meta.Value["hackathonName"].(*types.AttributeValueMemberS)
	if !ok {
		return leaderboard.Projection{}, invalid("metaData.hackathonName", "is no string")
	}
	user, ok := item["userName"].(*types.AttributeValueMemberS)
	if !ok {
		return leaderboard.Projection{}, invalid("userName", "is no string")
	}
	score, ok := integer(item["projectScore"], strconv.ParseInt)
	if !ok {
		return leaderboard.Projection{}, invalid("projectScore", "is no integer")
	}
	version, ok := integer(item["version"], strconv.ParseUint)
	if !ok {
		return leaderboard.Projection{}, invalid("version", "is no positive integer")
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
		places[i] = Place{Rank: row.Competition, ID: row.Player, UserName: row.Name, Score: row.Score}
	}
	return places, nil
}
