package engine

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Control.java switches on a test control that DynamoDB Local has, and that no
// option of its command line reaches.
//
//go:embed Control.java
var controlSource []byte

func controlCommand(ctx context.Context, o Options) (command, error) {
	java, lib, err := findJars(ctx, o)
	if err != nil {
		return command{}, fmt.Errorf("%w\n%w", ErrMissing, err)
	}
	source := filepath.Join(filepath.Dir(lib), "Control-"+Version+".java")
	if err := writeOnce(source, controlSource); err != nil {
		return command{}, fmt.Errorf("engine: %w", err)
	}
	return command{
		what: "DynamoDB Local " + Version + " with its test control",
		args: func(port int) []string {
			return []string{
				java, temporary(), "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(lib, "*"),
				source, strconv.Itoa(port),
			}
		},
	}, nil
}

// Rollover ends the open shards of all streams that db reaches and opens a child
// of each. Start the engine with Options.Control. Each access key has tables and
// streams of its own.
func Rollover(ctx context.Context, db *dynamodb.Client) error {
	return control(ctx, db, map[string]string{"ACTION": "ROLLOVER"})
}

// Age makes all streams and records that db reaches older by some hours. Iterators
// expire, shards roll over after 4 hours, and what is older than 24 hours is gone.
func Age(ctx context.Context, db *dynamodb.Client, hours int) error {
	return control(ctx, db, map[string]string{"ACTION": "DILATE_TIME", "HOURS": strconv.Itoa(hours)})
}

func control(ctx context.Context, db *dynamodb.Client, fields map[string]string) error {
	item := map[string]types.AttributeValue{}
	for name, value := range fields {
		item[name] = &types.AttributeValueMemberS{Value: value}
	}
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("[TEST_CONTROL]"), Item: item})
	return err
}
