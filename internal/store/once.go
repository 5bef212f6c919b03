package store

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plaza-sdk/plaza"
)

// Once is a write that the SDK does not send again. Its request ends after Limit, as one
// whose answer is lost.
type Once struct {
	Write
	Limit time.Duration
}

func (o Once) send(ctx context.Context, t *Table, noting option) error {
	limited, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	err := o.Write.send(limited, t, func(opts *dynamodb.Options) {
		opts.Retryer = aws.NopRetryer{}
		noting(opts)
	})
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = &smithyhttp.RequestSendError{Err: err}
	}
	return err
}

// Again reports whether a write that failed with err may be tried again. It waits before
// that, longer after each attempt.
func Again(ctx context.Context, attempt int, err error) bool {
	for _, passing := range []error{plaza.ErrBusy, plaza.ErrUnavailable, plaza.ErrUnknownOutcome} {
		if errors.Is(err, passing) {
			return sleep(ctx, attempt) == nil
		}
	}
	return false
}
