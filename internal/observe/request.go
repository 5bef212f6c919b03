package observe

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plaza-sdk/plaza/internal/store"
)

// Kind says what a failed request means.
type Kind int

const (
	Refused   Kind = iota // a condition did not hold, which is an answer
	Canceled              // nobody waits for it any more
	Passing               // throttled, in conflict or without an answer: it may succeed later
	Permanent             // it fails each time
)

// conflicts are the codes of contention.
var conflicts = []string{"TransactionConflict", "TransactionConflictException", "TransactionInProgressException", "ReplicatedWriteConflictException"}

// shortages are the codes of throttling within a transaction. Others are the SDK's.
var shortages = []string{"ThrottlingError", "ProvisionedThroughputExceeded"}

// Failure names what failed a request: DynamoDB's code, which for a cancelled transaction
// is that of its first reason apart from conditions; or canceled, timeout, unsent or
// no_answer. Sent says that an attempt got as far as to be sent.
func Failure(err error, sent bool) (name string, kind Kind) {
	var api smithy.APIError
	var garbled *smithy.DeserializationError
	switch {
	case errors.As(err, &api) && !errors.As(err, &garbled):
		name = codeOf(api)
		return name, kindOf(name, err)
	case errors.Is(err, context.Canceled):
		return "canceled", Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout", Passing
	case !sent, store.Unsent(err):
		return "unsent", Passing
	}
	return "no_answer", Passing
}

func codeOf(err smithy.APIError) string {
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return err.ErrorCode()
	}
	name := err.ErrorCode()
	for _, reason := range canceled.CancellationReasons {
		switch code := aws.ToString(reason.Code); code {
		case "", "None":
		case "ConditionalCheckFailed":
			name = code
		default:
			return code
		}
	}
	return name
}

func kindOf(code string, err error) Kind {
	var response *smithyhttp.ResponseError
	_, throttled := retry.DefaultThrottleErrorCodes[code]
	switch {
	case code == "ConditionalCheckFailed", code == "ConditionalCheckFailedException":
		return Refused
	case throttled, slices.Contains(shortages, code), slices.Contains(conflicts, code):
		return Passing
	case errors.As(err, &response) && response.HTTPStatusCode() >= 500:
		return Passing
	}
	return Permanent
}
