// Command invoke runs the functions of examples/pipeline on this machine, without
// Docker and without an account, and gives them events in turn. It prints each
// answer, and what went to the bus and to the queue of dead letters.
//
//	cd examples/pipeline
//	go run ./functions/invoke fanout events/dynamodbStream.json
//	go run ./functions/invoke consumer events/insertEvent.json leaderget events/apigw.json
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/plaza-sdk/plaza/examples/internal/local"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "invoke:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return errors.New("give it pairs: a function, fanout, consumer or leaderget, and the file of its event")
	}
	for pair := range slices.Chunk(args, 2) {
		if !slices.Contains([]string{"fanout", "consumer", "leaderget"}, pair[0]) {
			return fmt.Errorf("there is no function %q", pair[0])
		}
	}
	programs, err := os.MkdirTemp("", "functions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	env, err := plazatest.Open(ctx, &plazatest.Options{
		Tables: tables.Names{Machines: "invoke-machines", Leaderboard: "invoke-leaderboard"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	services, err := local.Serve(ctx, env.Config, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, services.Close()) }()

	started := map[string]*local.Function{}
	defer func() {
		for _, f := range started {
			err = errors.Join(err, f.Close())
		}
	}()
	for pair := range slices.Chunk(args, 2) {
		name, file := pair[0], pair[1]
		payload, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if started[name] == nil {
			program, err := build(ctx, programs, name)
			if err != nil {
				return err
			}
			variables := append(services.Env(),
				"LEADERBOARD_TABLE="+env.Tables.Leaderboard, "MACHINES_TABLE="+env.Tables.Machines,
				"STREAM_ARN=arn:aws:dynamodb:us-east-1:123456789012:table/main/stream/2026-01-02T03:04:05.678", // the events' own
				"EVENT_BUS_NAME=fanoutBus", "EVENT_BRIDGE_MAX_ATTEMPT=3", "DEAD_LETTER_QUEUE_URL="+services.QueueURL())
			if started[name], err = local.Start(program, variables, os.Stderr); err != nil {
				delete(started, name)
				return err
			}
		}
		if err := invoke(ctx, out, started[name], services, name, payload); err != nil {
			return fmt.Errorf("%s with %s: %w", name, file, err)
		}
	}
	return nil
}

func build(ctx context.Context, folder, name string) (program string, err error) {
	program = filepath.Join(folder, name+".exe") // Windows starts nothing without it
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", program, "github.com/plaza-sdk/plaza/examples/pipeline/functions/"+name)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w: %s", name, err, text)
	}
	return program, nil
}

func invoke(ctx context.Context, out io.Writer, f *local.Function, services *local.Services, name string, payload []byte) error {
	events, messages := len(services.Events()), len(services.Messages())
	answer, err := f.Invoke(ctx, payload)
	for _, e := range services.Events()[events:] {
		fmt.Fprintf(out, "bus: %s %s %s\n", e.Source, e.DetailType, e.Detail)
	}
	for _, m := range services.Messages()[messages:] {
		fmt.Fprintf(out, "dead letter: %s\n", m)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", name, answer)
	return nil
}
