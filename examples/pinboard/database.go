package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// database is a DynamoDB with Plaza's tables. Every request to it is counted in costs.
type database struct {
	config aws.Config
	tables tables.Names
	costs  *costs
	close  func() error
}

// openDatabase starts a DynamoDB whose tables end with the program, or connects to the
// one at an endpoint and creates the tables that it lacks.
func openDatabase(ctx context.Context, endpoint string) (database, error) {
	spent := newCosts()
	if endpoint == "" {
		// The meter of plazatest knows what AWS would bill. DynamoDB Local reports other units.
		env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.NamesOf("pinboard-"), Observe: spent.observe, Price: priced})
		if err != nil {
			return database{}, err
		}
		return database{env.Config, env.Tables, spent, env.Close}, nil
	}
	cfg, err := configFor(ctx, endpoint)
	if err != nil {
		return database{}, err
	}
	meter.Observe(&cfg, spent.observe)
	db := database{cfg, tables.NamesOf("pinboard-"), spent, func() error { return nil }}
	return db, db.createTables(ctx)
}

// configFor connects to an endpoint with the environment's credentials. A loopback address
// gets made-up ones where there are none: it is not AWS, and DynamoDB Local takes any.
func configFor(ctx context.Context, endpoint string) (aws.Config, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return aws.Config{}, fmt.Errorf("-endpoint %q is no URL such as http://localhost:8000", endpoint)
	}
	var options []func(*config.LoadOptions) error
	here := isLoopback(u.Hostname())
	if here { // nor is a virtual machine asked for its credentials
		options = append(options, config.WithEC2IMDSClientEnableState(imds.ClientDisabled), config.WithDefaultRegion("us-east-1"))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, err
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		if !here {
			return aws.Config{}, fmt.Errorf("-endpoint %s needs credentials: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION: %w", endpoint, err)
		}
		cfg.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}
	cfg.BaseEndpoint = &endpoint
	if u.Scheme == "http" { // AWS is asked by TLS
		cfg.APIOptions = append(cfg.APIOptions, trustChecksums)
	}
	return cfg, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// trustChecksums is dynamodb.Options.DisableValidateResponseChecksum for every client of a
// Config. DynamoDB Local sends wrong checksums, of which the SDK would warn.
func trustChecksums(stack *middleware.Stack) error {
	const validation = "DynamoDB:ResponseChecksumValidation"
	if _, ok := stack.Deserialize.Get(validation); !ok {
		return nil // a client of streams
	}
	_, err := stack.Deserialize.Remove(validation)
	return err
}

func (db database) createTables(ctx context.Context) error {
	client := dynamodb.NewFromConfig(db.config)
	for _, t := range tables.Of(db.tables) {
		_, err := client.CreateTable(ctx, t.Create)
		var there *types.ResourceInUseException
		if errors.As(err, &there) {
			continue
		}
		if err == nil {
			err = dynamodb.NewTableExistsWaiter(client).Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(t.Name())}, 5*time.Minute)
		}
		if err == nil && t.TTL != nil {
			_, err = client.UpdateTimeToLive(ctx, t.TTL)
		}
		if err != nil {
			return fmt.Errorf("creating table %s: %w", t.Name(), err)
		}
	}
	return nil
}

// stream returns the ARN of a table's stream, which it switches on.
func (db database) stream(ctx context.Context, table string) (string, error) {
	client := dynamodb.NewFromConfig(db.config)
	out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return "", err
	}
	if s := out.Table.StreamSpecification; s != nil && aws.ToBool(s.StreamEnabled) {
		return aws.ToString(out.Table.LatestStreamArn), nil
	}
	changed, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: &table,
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		return "", fmt.Errorf("switching on the stream of table %s: %w", table, err)
	}
	return aws.ToString(changed.TableDescription.LatestStreamArn), nil
}
