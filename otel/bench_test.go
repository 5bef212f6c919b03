package otel_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/plaza-sdk/plaza/otel"
)

// What a request costs more. Its transport answers at once.
func BenchmarkRequest(b *testing.B) {
	for name, opts := range map[string]*otel.Options{
		"bare":         nil,
		"no providers": {},
		"metrics":      {MeterProvider: metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))},
		"metrics and traces": {
			MeterProvider:  metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())),
			TracerProvider: trace.NewTracerProvider(),
		},
	} {
		b.Run(name, func(b *testing.B) {
			cfg := scripted()
			if opts != nil {
				o, err := otel.New(opts)
				require.NoError(b, err)
				o.Attach(&cfg)
			}
			client := dynamodb.NewFromConfig(cfg)
			b.ReportAllocs()
			for b.Loop() {
				_, err := client.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: key})
				require.NoError(b, err)
			}
		})
	}
}
