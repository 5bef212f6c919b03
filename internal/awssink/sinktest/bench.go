package sinktest

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

// Benchmark sends full requests of 1 KB events through a sink, and through the
// bare client, to a service that answers at once.
func Benchmark(b *testing.B, answer string, open func(aws.Config) (sink stream.Sink, bare func([]stream.Event) error)) {
	script := NewScript(func(Request) Answer { return Answer{Body: answer} })
	sink, bare := open(script.Config())
	made := events(sink.Limit().Events)
	for i := range made {
		made[i].Data = Text(1000)
	}
	for name, send := range map[string]func() error{
		"bare": func() error { return bare(made) },
		"sink": func() error {
			outcomes, err := sink.Put(b.Context(), made)
			for i, o := range outcomes {
				if o.Err != nil {
					return fmt.Errorf("event %d: %w", i, o.Err)
				}
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, send())
				script.forget()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(made)), "ns/event")
		})
	}
}
