package tables_test

import (
	"fmt"
	"os"

	"github.com/plaza-sdk/plaza/tables"
)

// The permissions of a worker that delivers feeds.
func ExampleGrants() {
	ts := tables.Of(tables.Names{Feed: "prod-feed", Follow: "prod-follow"})
	for _, g := range tables.Grants(ts, tables.Worker) {
		fmt.Println(g.Feature, g.Role, g.Table, g.Actions)
	}
	// Output:
	// feed worker prod-feed [dynamodb:BatchGetItem dynamodb:BatchWriteItem dynamodb:DeleteItem dynamodb:DescribeTable dynamodb:DescribeTimeToLive dynamodb:GetItem dynamodb:Query dynamodb:UpdateItem]
	// feed worker prod-follow [dynamodb:Query]
}

// The IAM policy of a process that only reads.
func ExamplePolicy() {
	ts := tables.Of(tables.Names{Comment: "prod-comment"})
	_ = tables.Policy(os.Stdout, tables.Grants(ts, tables.Reader), &tables.PolicyOptions{Region: "eu-central-1", Account: "123456789012"})
	// Output:
	// {
	//  "Version": "2012-10-17",
	//  "Statement": [
	//   {"Effect": "Allow", "Action": ["dynamodb:BatchGetItem", "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive", "dynamodb:GetItem", "dynamodb:Query"], "Resource": "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-comment"}
	//  ]
	// }
}

// The tables of two features, one of them with a stream, as Terraform.
func ExampleTerraform() {
	ts := tables.Of(tables.Names{Follow: "prod-follow", Feed: "prod-feed"})
	for i, t := range ts {
		if t.Feature == "feed" {
			ts[i] = t.WithStream()
		}
	}
	if err := tables.Terraform(os.Stdout, ts, &tables.Options{PointInTimeRecovery: true}); err != nil {
		fmt.Println(err)
	}
}
