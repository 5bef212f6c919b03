// Command photos is a small social service over Plaza: people follow each other, publish photos,
// like them and comment on them, write messages, are notified by a bell, and can erase their
// account; a board has the most liked photos of the week. It runs on this machine or on Lambda.
//
//	go run ./examples/photos
//	curl -H 'User: ben' -d '{"key": "1", "data": {"title": "Sea"}}' http://127.0.0.1:8080/photos
//	curl -H 'User: ann' -X PUT http://127.0.0.1:8080/following/ben
//	curl -H 'User: ann' http://127.0.0.1:8080/home
//
// Copy the three files for a service of your own, and template.yaml and tables.json to deploy it:
// main.go runs it, service.go is what it does, routes.go is its HTTP. docs/kit.md explains them.
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/akrylysov/algnhsa"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/plazatest"
)

func main() {
	run := serveLocally
	if os.Getenv("AWS_LAMBDA_FUNCTION_NAME") != "" {
		run = serveLambda
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// serveLocally serves from a database of its own, until a signal or a failure ends it.
func serveLocally(ctx context.Context) (err error) {
	signaled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	env, err := plazatest.Open(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := newService(ctx, env.Config, kit.Options{Names: env.Tables})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }() // last: requests and workers make ids
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: s.routes(headerUser), ReadTimeout: 10 * time.Second}
	slog.Info("photos serves", "address", server.Addr)

	group, running := errgroup.WithContext(signaled)
	group.Go(server.ListenAndServe)
	group.Go(func() error { return s.Run(running) })
	<-running.Done()
	stopped := server.Shutdown(ctx) // after the requests that are running
	if err := group.Wait(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return stopped
}

// headerUser believes what the caller says: it is for this machine alone.
func headerUser(r *http.Request) string { return r.Header.Get("User") }

// serveLambda serves the API, or does the workers' work each time that a schedule calls it.
func serveLambda(ctx context.Context) error {
	cfg, err1 := config.LoadDefaultConfig(ctx)
	key, err2 := hex.DecodeString(os.Getenv("CURSOR_KEY"))
	sealed, err3 := cursor.Sealed(cursor.Keyring{Keys: map[byte][]byte{0: key}})
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	// Between two events Lambda freezes the process, and with it what would renew the number.
	s, err := newService(ctx, cfg, kit.Options{Prefix: os.Getenv("PREFIX"), Codec: sealed, Lease: lease.Options{Renew: -1}})
	if err != nil {
		return err
	}
	if os.Getenv("JOB") == "deliver" {
		lambda.Start(s.Deliver)
	}
	algnhsa.ListenAndServe(s.routes(tokenUser), nil)
	return nil
}

// tokenUser is the subject of the token that API Gateway verified.
func tokenUser(r *http.Request) string {
	event, _ := algnhsa.APIGatewayV2RequestFromContext(r.Context())
	if who := event.RequestContext.Authorizer; who != nil && who.JWT != nil {
		return who.JWT.Claims["sub"]
	}
	return ""
}
