package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// ErrKilled is returned for every request of a killed process. The SDK does not
// repeat such a request.
var ErrKilled error = killed{}

type killed struct{}

func (killed) Error() string        { return "faults: process killed" }
func (killed) RetryableError() bool { return false }

const maxDelay = 5 * time.Millisecond

type client struct {
	in   *Injector
	next aws.HTTPClient
}

func (c client) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	d := c.in.decide(req)
	switch d.Kind {
	case LostBefore:
		return nil, reset(req)
	case LostAfter:
		if err := c.sendAndForget(req); err != nil {
			return nil, err
		}
		return nil, reset(req)
	case Twice:
		if err := c.sendAndForget(req); err != nil {
			return nil, err
		}
	case Throttled:
		return throttled(req, d.chance), nil
	case Conflict:
		return conflict(req, d)
	case Refused:
		return nil, broken(req, "dial", "connect", syscall.ECONNREFUSED)
	case InProgress:
		return refuse(req, map[string]any{
			"__type":  errorSpace + "TransactionInProgressException",
			"Message": "The transaction with the given request token is already in progress.",
		}), nil
	case Unprocessed:
		return c.unprocessed(req, d)
	case Stale:
		return c.stale(req, d)
	case Delayed:
		delay := time.Duration(1 + d.chance%uint64(maxDelay))
		select {
		case <-r.Context().Done():
		case <-time.After(delay):
		}
	case Hung:
		if err := c.sendAndForget(req); err != nil {
			return nil, err
		}
		if r.Context().Done() == nil {
			return nil, errors.New("faults: the context of a hung request never ends")
		}
		<-r.Context().Done()
		return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: r.Context().Err()}
	case KilledBefore:
		return nil, ErrKilled
	case KilledAfter:
		if err := c.sendAndForget(req); err != nil {
			return nil, err
		}
		return nil, ErrKilled
	}
	res, err := c.next.Do(req.Again())
	if err != nil || !stalable(req) {
		return res, err
	}
	return c.in.record(req, res)
}

func (c client) sendAndForget(req wire.Request) error {
	again := req.Again()
	res, err := c.next.Do(again.WithContext(context.WithoutCancel(again.Context()))) // applied, though the caller gave up
	if err != nil {
		return err
	}
	_, err = wire.Body(res)
	return err
}

func reset(req wire.Request) error { return broken(req, "read", "read", syscall.ECONNRESET) }

func broken(req wire.Request, op, call string, err syscall.Errno) error {
	return &url.Error{Op: "Post", URL: req.HTTP.URL.String(), Err: &net.OpError{
		Op: op, Net: "tcp", Err: os.NewSyscallError(call, err),
	}}
}

const errorSpace = "com.amazonaws.dynamodb.v20120810#"

func refuse(req wire.Request, fields map[string]any) *http.Response {
	body, _ := json.Marshal(fields)
	return req.Answer(http.StatusBadRequest, body)
}

func throttled(req wire.Request, chance uint64) *http.Response {
	n := transactionSize(req)
	switch {
	case n > 0 && chance%2 == 0:
		return cancelled(req, reasons(n, chance/2, "ThrottlingError"))
	case chance%4 < 2:
		return refuse(req, map[string]any{
			"__type":  "com.amazon.coral.availability#ThrottlingException",
			"message": "Rate of requests exceeds the allowed throughput.",
		})
	}
	return refuse(req, map[string]any{
		"__type":  errorSpace + "ProvisionedThroughputExceededException",
		"message": "The level of configured provisioned throughput for the table was exceeded.",
	})
}

func conflict(req wire.Request, d decision) (*http.Response, error) {
	n := transactionSize(req)
	if n == 0 {
		return refuse(req, map[string]any{
			"__type":  errorSpace + "TransactionConflictException",
			"message": "Transaction is ongoing for the item",
		}), nil
	}
	codes := d.Reasons
	if codes == nil {
		codes = reasons(n, d.chance, "TransactionConflict")
	}
	if len(codes) != n {
		return nil, fmt.Errorf("faults: %d scripted reasons for a transaction of %d", len(codes), n)
	}
	return cancelled(req, codes), nil
}

// transactionSize returns 0 for a request that is not a transaction.
func transactionSize(req wire.Request) int {
	var in struct{ TransactItems []json.RawMessage }
	_ = json.Unmarshal(req.Body, &in)
	return len(in.TransactItems)
}

func reasons(n int, chance uint64, code string) []string {
	codes := make([]string, n)
	for i := range codes {
		codes[i] = "None"
	}
	codes[chance%uint64(n)] = code
	return codes
}

func cancelled(req wire.Request, codes []string) *http.Response {
	list := make([]map[string]string, len(codes))
	for i, code := range codes {
		list[i] = map[string]string{"Code": code}
		if code != "None" {
			list[i]["Message"] = "injected"
		}
	}
	return refuse(req, map[string]any{
		"__type":              errorSpace + "TransactionCanceledException",
		"Message":             fmt.Sprintf("Transaction cancelled, please refer cancellation reasons for specific reasons %v", codes),
		"CancellationReasons": list,
	})
}

// chosen returns a random set of k of n indexes.
func chosen(n, k int, chance uint64) map[int]bool {
	set := make(map[int]bool, k)
	for _, i := range rand.New(rand.NewPCG(chance, 0)).Perm(n)[:min(k, n)] {
		set[i] = true
	}
	return set
}
