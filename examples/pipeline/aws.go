package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventbridgetypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/firehose"
	firehosetypes "github.com/aws/aws-sdk-go-v2/service/firehose/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	eventbridgesink "github.com/plaza-sdk/plaza/stream/eventbridge"
	firehosesink "github.com/plaza-sdk/plaza/stream/firehose"
)

// account has the services' clients, and makes what a run needs of them, as
// template.yaml does for an application.
type account struct {
	name string // of all that this run makes

	bus     *eventbridge.Client
	queues  *sqs.Client
	streams *firehose.Client
	objects bucket

	undo []func(context.Context) error
}

// remote makes a bus whose rules send to two queues, and an archive in S3.
//
// A moto server cannot send from a rule to Firehose, so the archive's consumer does.
func remote(ctx context.Context, endpoint string) (_ *outside, err error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 64 // as many as requests at once
	cfg := aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: &endpoint,
		Credentials:  credentials.NewStaticCredentialsProvider("plaza", "plaza", ""),
		HTTPClient:   &http.Client{Transport: transport},
	}
	a := &account{
		name: "pipeline-" + strings.ToLower(rand.Text()[:12]),
		bus:  eventbridge.NewFromConfig(cfg), queues: sqs.NewFromConfig(cfg), streams: firehose.NewFromConfig(cfg),
		undo: []func(context.Context) error{func(context.Context) error { transport.CloseIdleConnections(); return nil }},
	}
	a.objects = bucket{&http.Client{Transport: transport}, strings.TrimSuffix(endpoint, "/") + "/" + a.name}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close(context.WithoutCancel(ctx)))
		}
	}()
	if _, err := a.bus.CreateEventBus(ctx, &eventbridge.CreateEventBusInput{Name: &a.name}); err != nil {
		return nil, fmt.Errorf("making the bus: %w", err)
	}
	a.later(func(ctx context.Context) error {
		_, err := a.bus.DeleteEventBus(ctx, &eventbridge.DeleteEventBusInput{Name: &a.name})
		return err
	})
	board, err := a.rule(ctx, "board", hackathon.UpdateSource)
	if err != nil {
		return nil, err
	}
	archive, err := a.rule(ctx, "archive", hackathon.OperationsSource)
	if err != nil {
		return nil, err
	}
	if err := a.archive(ctx); err != nil {
		return nil, err
	}
	bus, err := eventbridgesink.New(a.bus, a.name, nil)
	if err != nil {
		return nil, err
	}
	lines, err := firehosesink.New(a.streams, a.name, nil)
	if err != nil {
		return nil, err
	}
	return &outside{bus: bus, board: board, archive: archive, lines: lines, content: a.objects.content, close: a.close}, nil
}

func (a *account) later(undo func(context.Context) error) { a.undo = append(a.undo, undo) }

// close removes all that was made, the last first.
func (a *account) close(ctx context.Context) error {
	var failed []error
	for _, undo := range slices.Backward(a.undo) {
		failed = append(failed, undo(ctx))
	}
	return errors.Join(failed...)
}

// rule makes a queue, and a rule that sends a source's events there.
func (a *account) rule(ctx context.Context, purpose, source string) (*remoteQueue, error) {
	name := a.name + "-" + purpose
	made, err := a.queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		return nil, fmt.Errorf("making the queue of the %s: %w", purpose, err)
	}
	a.later(func(ctx context.Context) error {
		_, err := a.queues.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: made.QueueUrl})
		return err
	})
	about, err := a.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: made.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn}})
	if err != nil {
		return nil, fmt.Errorf("reading the ARN of a queue: %w", err)
	}
	pattern, err := json.Marshal(map[string][]string{"source": {source}})
	if err != nil {
		return nil, err
	}
	if _, err := a.bus.PutRule(ctx, &eventbridge.PutRuleInput{Name: &name, EventBusName: &a.name, EventPattern: aws.String(string(pattern))}); err != nil {
		return nil, fmt.Errorf("making the rule of the %s: %w", purpose, err)
	}
	a.later(func(ctx context.Context) error {
		_, err := a.bus.DeleteRule(ctx, &eventbridge.DeleteRuleInput{Name: &name, EventBusName: &a.name})
		return err
	})
	target := eventbridgetypes.Target{Id: &name, Arn: aws.String(about.Attributes["QueueArn"])}
	if _, err := a.bus.PutTargets(ctx, &eventbridge.PutTargetsInput{Rule: &name, EventBusName: &a.name, Targets: []eventbridgetypes.Target{target}}); err != nil {
		return nil, fmt.Errorf("making the target of the %s: %w", purpose, err)
	}
	a.later(func(ctx context.Context) error {
		_, err := a.bus.RemoveTargets(ctx, &eventbridge.RemoveTargetsInput{Rule: &name, EventBusName: &a.name, Ids: []string{name}})
		return err
	})
	return &remoteQueue{client: a.queues, url: *made.QueueUrl}, nil
}

// archive makes a bucket, and a delivery stream that writes there.
func (a *account) archive(ctx context.Context) error {
	if err := a.objects.create(ctx); err != nil {
		return fmt.Errorf("making the bucket: %w", err)
	}
	a.later(a.objects.remove)
	_, err := a.streams.CreateDeliveryStream(ctx, &firehose.CreateDeliveryStreamInput{
		DeliveryStreamName: &a.name,
		ExtendedS3DestinationConfiguration: &firehosetypes.ExtendedS3DestinationConfiguration{
			BucketARN: aws.String("arn:aws:s3:::" + a.name), RoleARN: aws.String("arn:aws:iam::123456789012:role/firehose"),
		},
	})
	if err != nil {
		return fmt.Errorf("making the delivery stream: %w", err)
	}
	a.later(func(ctx context.Context) error {
		_, err := a.streams.DeleteDeliveryStream(ctx, &firehose.DeleteDeliveryStreamInput{DeliveryStreamName: &a.name})
		return err
	})
	return nil
}
