// Command plaza creates, checks and operates Plaza's tables.
//
//	go run github.com/plaza-sdk/plaza/cmd/plaza --help
//
// It exits with 0 if all is well, with 1 if something failed or was found, and with 2 if its
// arguments are wrong.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	p := program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		config:   func(ctx context.Context) (aws.Config, error) { return config.LoadDefaultConfig(ctx) },
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
