package firehose_test

import (
	"crypto/rand"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/firehose"
	"github.com/aws/aws-sdk-go-v2/service/firehose/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/firehose"
)

// The archive's objects, one after another, are a line for each event.
func TestTheArchiveIsNDJSON(t *testing.T) {
	moto := sinktest.OpenMoto(t)
	client := sdk.NewFromConfig(moto.Config())
	name := "archive-" + strings.ToLower(rand.Text())
	moto.S3(t, http.MethodPut, "/"+name)
	_, err := client.CreateDeliveryStream(t.Context(), &sdk.CreateDeliveryStreamInput{
		DeliveryStreamName: &name,
		ExtendedS3DestinationConfiguration: &types.ExtendedS3DestinationConfiguration{
			BucketARN: aws.String("arn:aws:s3:::" + name), RoleARN: aws.String("arn:aws:iam::123456789012:role/firehose"),
		},
	})
	require.NoError(t, err)
	sink, err := firehose.New(client, name, nil)
	require.NoError(t, err)

	var want []string
	events := make([]stream.Event, 1201)
	for i := range events {
		events[i] = stream.Event{ID: fmt.Sprint(i), Data: fmt.Appendf(nil, "{\n\"n\":%d}", i)}
		want = append(want, fmt.Sprintf(`{"n":%d}`, i))
	}
	require.Empty(t, sinktest.Deliver(t, sink, events))

	var list struct {
		Contents []struct{ Key string }
	}
	require.NoError(t, xml.Unmarshal([]byte(moto.S3(t, http.MethodGet, "/"+name+"?list-type=2")), &list))
	var got []string
	for _, object := range list.Contents {
		for line := range strings.Lines(moto.S3(t, http.MethodGet, "/"+name+"/"+object.Key)) {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
	}
	require.ElementsMatch(t, want, got)
}
