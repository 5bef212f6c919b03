// Command local runs the functions of examples/lambda on this machine, without Docker and
// without an account: the API behind an HTTP API of its own, and the delivery every ten
// seconds. It builds the functions, or takes those that sam build wrote.
//
//	go run ./examples/lambda/local
//	curl -X PUT -H 'Authorization: Bearer ann' http://127.0.0.1:8080/following/ben
//	curl -X PUT -H 'Authorization: Bearer ben' -d '{"title":"Sea"}' http://127.0.0.1:8080/photos/1
//	curl -H 'Authorization: Bearer ann' http://127.0.0.1:8080/home
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/plaza-sdk/plaza/examples/internal/local"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "serve the API at `ADDRESS`")
	build := flag.String("build", "", "take the functions from `FOLDER`, where sam build wrote them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *address, *build)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "local:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, build string) (err error) {
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: names})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	if build == "" {
		if build, err = os.MkdirTemp("", "photos"); err != nil {
			return err
		}
		defer os.RemoveAll(build)
		if err := buildInto(ctx, build); err != nil {
			return err
		}
	}
	s, err := start(ctx, env, build, os.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: gateway{s.api}.handler(), ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Fprintf(os.Stderr, "http://%s\n", listener.Addr())
	go s.schedule(ctx, 10*time.Second)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// names are the beginnings of the tables' names.
var names = tables.Names{Machines: "machines", Follow: "follow", Feed: "feed"}

// programs are the functions by the template's names of them.
var programs = map[string]string{"ApiFunction": "api", "DeliverFunction": "deliver"}

// buildInto builds the functions into folders as sam build does, but for this machine:
// CGO_ENABLED=0 would compile again what is compiled already.
func buildInto(ctx context.Context, folder string) error {
	for resource, program := range programs {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", programIn(folder, resource),
			"github.com/plaza-sdk/plaza/examples/lambda/functions/"+program)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w: %s", program, err, text)
		}
	}
	return nil
}

// programIn is where sam build writes a function's program. Windows starts none without .exe.
func programIn(folder, resource string) string {
	name := filepath.Join(folder, resource, "bootstrap")
	if filepath.Ext(os.Args[0]) == ".exe" {
		name += ".exe"
	}
	return name
}

// stack is what the template deploys, on this machine.
type stack struct {
	services     *local.Services
	api, deliver *local.Function
}

func start(ctx context.Context, env *plazatest.Env, build string, log io.Writer) (*stack, error) {
	s := &stack{}
	if err := s.start(ctx, env, build, log); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stack) start(ctx context.Context, env *plazatest.Env, build string, log io.Writer) (err error) {
	if s.services, err = local.Serve(ctx, env.Config, nil); err != nil {
		return err
	}
	settings := append(s.services.Env(),
		"MACHINES_TABLE="+env.Tables.Machines, "FOLLOW_TABLE="+env.Tables.Follow, "FEED_TABLE="+env.Tables.Feed)
	if s.deliver, err = local.Start(programIn(build, "DeliverFunction"), settings, log); err != nil {
		return err
	}
	s.api, err = local.Start(programIn(build, "ApiFunction"), append(settings, "CURSOR_SECRET="+rand.Text()+rand.Text()), log)
	return err
}

func (s *stack) close() error {
	var failed []error
	for _, f := range []*local.Function{s.api, s.deliver} {
		if f != nil {
			failed = append(failed, f.Close())
		}
	}
	if s.services != nil {
		failed = append(failed, s.services.Close())
	}
	return errors.Join(failed...)
}

// schedule invokes the delivery until ctx ends. It logs what fails itself.
func (s *stack) schedule(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = s.tick(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// tick gives the delivery the event of a schedule.
func (s *stack) tick(ctx context.Context) error {
	event, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: rand.Text(), DetailType: "Scheduled Event", Source: "aws.events", Time: time.Now().UTC(), Detail: json.RawMessage("{}"),
	})
	if err != nil {
		return err
	}
	_, err = s.deliver.Invoke(ctx, event)
	return err
}
