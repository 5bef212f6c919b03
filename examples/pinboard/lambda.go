package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/akrylysov/algnhsa"
	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazalog"
	"github.com/plaza-sdk/plaza/tables"
)

// Variables of the functions' environment.
const (
	jobVariable    = "PINBOARD_JOB"    // pages or worker
	tablesVariable = "PINBOARD_TABLES" // the beginning of the tables' names
)

// runOnLambda serves events until Lambda ends the process. It returns only if it cannot
// begin.
func runOnLambda(ctx context.Context) error {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	spent := newCosts()
	meter.Observe(&cfg, spent.observe)
	names := tables.NamesOf(cmp.Or(os.Getenv(tablesVariable), "pinboard-"))
	db := database{cfg, names, spent, func() error { return nil }}
	switch job := os.Getenv(jobVariable); job {
	case "pages":
		a, err := newPages(ctx, db, log)
		if err != nil {
			return err
		}
		lambda.Start(pagesHandler(newAPI(a)))
	case "worker":
		a, err := newWorker(ctx, db, log)
		if err != nil {
			return err
		}
		lambda.Start(a.work)
	default:
		return fmt.Errorf("%s is %q, neither pages nor worker", jobVariable, job)
	}
	return nil
}

// newPages opens the half that answers requests. The worker prepares its tables.
func newPages(ctx context.Context, db database, log *slog.Logger) (*app, error) {
	a := &app{db: db, onLambda: true, costs: db.costs, log: log, failures: plazalog.New(log)}
	conn := dynamo.New(db.config)
	err := a.connect(free(ctx), conn)
	if err == nil {
		err = a.openClips(free(ctx), conn, nil)
	}
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// pagesHandler answers the events of an HTTP API. All bodies are sent as bytes: videos are.
func pagesHandler(s *api) lambda.Handler {
	return answered{algnhsa.New(behindGateway(s), &algnhsa.Options{
		RequestType: algnhsa.RequestTypeAPIGatewayV2, BinaryContentTypes: []string{"*/*"},
	})}
}

// answered also answers events that are no requests, such as one with a malformed path: an
// error would end the invocation.
type answered struct{ lambda.Handler }

func (h answered) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	answer, err := h.Handler.Invoke(ctx, event)
	var e events.APIGatewayV2HTTPRequest
	if err == nil || json.Unmarshal(event, &e) != nil || e.Version != "2.0" {
		return answer, err
	}
	return json.Marshal(events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest})
}

// behindGateway takes from the event what a connection would say: who is there, and which
// name was asked for.
func behindGateway(s *api) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, _ := algnhsa.APIGatewayV2RequestFromContext(r.Context())
		r = guard.Served(r, event.RequestContext.DomainName)
		r.RemoteAddr = net.JoinHostPort(event.RequestContext.HTTP.SourceIP, "0")
		if _, err := base64.StdEncoding.DecodeString(event.Body); event.IsBase64Encoded && err != nil {
			s.refuse(w, r, &guard.RefusedError{Status: http.StatusBadRequest, Field: "body", Reason: "is not base64"})
			return
		}
		s.ServeHTTP(w, r)
	})
}

func newWorker(ctx context.Context, db database, log *slog.Logger) (*app, error) {
	a := &app{db: db, onLambda: true, costs: db.costs, log: log, failures: plazalog.New(log)}
	if err := a.open(free(ctx), nil); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// margin is the time that the workers have to store how far they came.
const margin = 10 * time.Second

// work answers the event of a schedule. It completes the seed and then does the work in the
// background, until shortly before the function's time is up: the next event goes on.
func (a *app) work(ctx context.Context) error {
	if end, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, end.Add(-margin))
		defer stop()
	}
	err := a.seed(ctx, os.Stderr)
	if err == nil {
		err = a.welcome(free(ctx))
	}
	if err == nil {
		err = a.run(ctx)
	}
	if ctx.Err() != nil {
		return nil // that is how it ends
	}
	return err
}
