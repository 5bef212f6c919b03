package plazatest

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/localmeter"
	"github.com/plaza-sdk/plaza/meter"
)

// connect returns an Env without tables.
func connect(local *engine.Engine, opts Options) *Env {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = 64 // as many as parallel requests use
	e := &Env{engine: local, transport: transport, Meter: meter.New(), Config: local.Config()}
	e.Config.HTTPClient = &http.Client{Transport: transport}
	// As in production, but a few milliseconds apart.
	e.Config.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff = 5 * time.Millisecond
			o.RateLimiter = ratelimit.None
		})
	}
	e.client = dynamodb.NewFromConfig(e.Config)

	e.Config.HTTPClient = localmeter.New(e.Meter, transport, &localmeter.Options{Observe: opts.Observe, Price: opts.Price}).Wrap(e.Config.HTTPClient)
	for _, w := range opts.Wrap {
		e.Config.HTTPClient = w(e.Config.HTTPClient)
	}
	e.DB = dynamo.New(e.Config)
	return e
}
