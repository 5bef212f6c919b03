package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/tables"
)

// createWithin is the most that DynamoDB may take for a table.
const createWithin = 10 * time.Minute

// create creates and marks the tables that do not exist. It begins only if all that
// exist are as they must be, and changes none of these.
func (c *tablesCommand) create(ctx context.Context, p *program, all []tables.Table) error {
	s, err := c.connect(ctx, p)
	if err != nil {
		return err
	}
	var missing []tables.Table
	differs := false
	for _, t := range all {
		err := s.compare(ctx, t)
		var gone *types.ResourceNotFoundException
		switch {
		case errors.As(err, &gone):
			missing = append(missing, t)
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			differs = differs || err != nil
			fmt.Fprintln(p.stdout, tableLine(t, "exists", err))
		}
	}
	if differs {
		return errors.New("nothing was created")
	}
	for _, t := range missing {
		if err := s.createTable(ctx, t, !c.Disposable); err != nil {
			return stop(ctx, fmt.Errorf("table %s: %w", t.Name(), err), continues)
		}
		fmt.Fprintln(p.stdout, tableLine(t, "created", nil))
	}
	return nil
}

func tableLine(t tables.Table, fine string, err error) string {
	if err != nil {
		fine = err.Error()
	}
	return fmt.Sprintf("%s %s: %s", t.Feature, t.Name(), fine)
}

// compare returns an error if a table does not exist or differs.
func (s *site) compare(ctx context.Context, t tables.Table) error {
	v, err := s.verifier(t.Feature)
	if err == nil {
		err = v.Verify(ctx)
	}
	if err != nil || t.Create.StreamSpecification == nil {
		return err
	}
	out, err := s.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: t.Create.TableName})
	if err != nil {
		return err
	}
	if has := out.Table.StreamSpecification; has == nil || has.StreamViewType != t.Create.StreamSpecification.StreamViewType {
		return errors.New("it has no stream of new and old images")
	}
	return nil
}

// createTable goes on after Ctrl-C until the table is whole.
func (s *site) createTable(ctx context.Context, t tables.Table, protect bool) error {
	in := *t.Create
	in.DeletionProtectionEnabled = aws.Bool(protect)
	if _, err := s.client.CreateTable(ctx, &in); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createWithin)
	defer cancel()
	quickly := func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay, o.MaxDelay = time.Second, 5*time.Second }
	describe := &dynamodb.DescribeTableInput{TableName: in.TableName}
	if err := dynamodb.NewTableExistsWaiter(s.client, quickly).Wait(ctx, describe, createWithin); err != nil {
		return err
	}
	if t.TTL != nil {
		if _, err := s.client.UpdateTimeToLive(ctx, t.TTL); err != nil {
			return err
		}
	}
	v, err := s.verifier(t.Feature)
	if err != nil {
		return err
	}
	return v.Init(ctx)
}
