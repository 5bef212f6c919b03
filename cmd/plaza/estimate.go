package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"github.com/plaza-sdk/plaza/cmd/plaza/internal/estimate"
	"github.com/plaza-sdk/plaza/meter"
)

type estimateCommand struct {
	File  inputFile `name:"input" placeholder:"FILE" help:"Read numbers from what --json printed, or from its input alone. Flags override them."`
	Edges string    `placeholder:"FILE" help:"A follow graph: follower and followee on each line, perhaps gzipped. It replaces users, follows and zipf."`
	Brief bool      `xor:"format" help:"Print one line for each feature."`
	JSON  bool      `xor:"format" help:"Print JSON."`

	Read  float64 `name:"read-price" default:"0.125" help:"Dollars of a million RCU: those of us-east-1 by default."`
	Write float64 `name:"write-price" default:"0.625" help:"Dollars of a million WCU."`

	estimate.Input
}

// inputFile is the path of a file with defaults of the other flags.
type inputFile string

// BeforeResolve reads the file.
func (f inputFile) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	text, err := os.ReadFile(string(ctx.FlagValue(trace.Flag).(inputFile)))
	if err != nil {
		return err
	}
	var printed struct{ Input json.RawMessage }
	if json.Unmarshal(text, &printed) == nil && printed.Input != nil {
		text = printed.Input
	}
	known := json.NewDecoder(bytes.NewReader(text))
	known.DisallowUnknownFields()
	if err := known.Decode(new(estimate.Input)); err != nil {
		return fmt.Errorf("%s: %w", ctx.FlagValue(trace.Flag), err)
	}
	values, err := kong.JSON(bytes.NewReader(text))
	if err == nil {
		ctx.AddResolver(values)
	}
	return err
}

// Run needs no AWS.
func (c *estimateCommand) Run(stdout io.Writer) error {
	prices := meter.Prices{Read: c.Read, Write: c.Write}
	e, err := c.estimate(prices)
	switch {
	case err != nil:
		return err
	case c.Brief:
		return e.Summary(stdout)
	case !c.JSON:
		return e.Print(stdout, prices)
	}
	out := json.NewEncoder(stdout)
	out.SetIndent("", "  ")
	return out.Encode(e)
}

func (c *estimateCommand) estimate(prices meter.Prices) (estimate.Estimate, error) {
	if c.Edges == "" {
		return estimate.Of(c.Input, prices)
	}
	f, err := os.Open(c.Edges)
	if err != nil {
		return estimate.Estimate{}, err
	}
	defer f.Close()
	return estimate.OfEdges(c.Input, f, prices)
}
