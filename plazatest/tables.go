package plazatest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/tables"
)

// atOnce is the number of tables that are created or deleted in parallel.
const atOnce = 4

// timeout is for requests that outlive their caller's context.
const timeout = time.Minute

func (e *Env) createTables(ctx context.Context, o Options) error {
	if o.Tables == (tables.Names{}) {
		o.Tables = tables.NamesOf("plaza-")
	}
	e.Tables = unique(o.Tables)
	all := tables.Of(e.Tables)
	return parallel.ForEach(ctx, len(all), atOnce, func(ctx context.Context, i int) error {
		if err := e.create(ctx, all[i].Create); err != nil {
			return err
		}
		if all[i].TTL == nil || o.KeepExpired {
			return nil
		}
		if _, err := e.client.UpdateTimeToLive(ctx, all[i].TTL); err != nil {
			return fmt.Errorf("plazatest: setting the expiry of table %s: %w", all[i].Name(), err)
		}
		return nil
	})
}

// unique gives each table a name that no other Env has: DynamoDB may have been running
// before, and may stay.
func unique(names tables.Names) tables.Names {
	suffix := newSuffix()
	all := reflect.ValueOf(&names).Elem()
	for i := range all.NumField() {
		if name := all.Field(i); name.String() != "" {
			name.SetString(name.String() + suffix)
		}
	}
	return names
}

func newSuffix() string { return "-" + strings.ToLower(rand.Text()[:10]) }

// CreateTable creates another table, such as one of the application's own. Its name
// begins with in.TableName. It is deleted with the others.
func (e *Env) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput) (name string, err error) {
	table := *in
	table.TableName = aws.String(aws.ToString(in.TableName) + newSuffix())
	return *table.TableName, e.create(ctx, &table)
}

// create does not end with ctx: a request that was given up might be applied after the
// table was deleted.
func (e *Env) create(ctx context.Context, in *dynamodb.CreateTableInput) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	e.mu.Lock() // before the table exists: the answer may be lost
	e.made = append(e.made, *in.TableName)
	e.mu.Unlock()
	if _, err := e.client.CreateTable(ctx, in); err != nil {
		return fmt.Errorf("plazatest: creating table %s: %w", *in.TableName, err)
	}
	return nil
}

// Stream switches on a table's stream of new and old images. dynamodbstreams.NewFromConfig
// with Config reads it.
func (e *Env) Stream(ctx context.Context, table string) (arn string, err error) {
	out, err := e.client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: &table,
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		return "", fmt.Errorf("plazatest: switching on the stream of table %s: %w", table, err)
	}
	return aws.ToString(out.TableDescription.LatestStreamArn), nil
}

// deleteTables also deletes tables of an interrupted start.
func (e *Env) deleteTables() error {
	e.mu.Lock()
	names := e.made
	e.made = nil
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	failed := make([]error, len(names))
	err := parallel.ForEach(ctx, len(names), atOnce, func(ctx context.Context, i int) error {
		_, err := e.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &names[i]})
		var gone *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &gone) {
			failed[i] = fmt.Errorf("plazatest: deleting table %s: %w", names[i], err)
		}
		return nil
	})
	return errors.Join(errors.Join(failed...), err)
}
