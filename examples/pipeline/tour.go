package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/tables"
)

// play runs the pipeline and writes the main table. The pipeline may stand still for
// as long as patience.
func play(ctx context.Context, o *outside, projects int, patience time.Duration, out io.Writer) (err error) {
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{
		Leaderboard: "pipeline-leaderboard", Pollers: "pipeline-pollers", Letters: "pipeline-letters",
	}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	p, err := newPipeline(ctx, env, o)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	running := make(chan error, 1)
	go func() {
		err := p.run(ctx)
		stop(err)
		running <- err
	}()
	if err = p.show(ctx, projects, patience, out); errors.Is(err, context.Canceled) {
		err = context.Cause(ctx) // a request that was cut off does not say why
	}
	stop(nil)
	if failed := <-running; failed != nil {
		return failed
	}
	return err
}

// show is the story.
func (p *pipeline) show(ctx context.Context, projects int, patience time.Duration, out io.Writer) error {
	c := &checks{pipeline: p, out: out}
	for _, step := range []struct {
		title string
		work  func(context.Context) error
		then  func(context.Context) error
	}{
		{"Four projects are inserted", p.insert, c.boards},
		{"One is changed, one moves to another hackathon, one is deleted", p.change, c.boards},
		{fmt.Sprintf("%d more projects, each changed about twice", projects), func(ctx context.Context) error {
			return p.source.play(ctx, projects)
		}, nil},
		{"Three projects cannot be shown: two scores are text, and nobody defined the board PacMan", p.poison, c.poisoned},
		{"One of them is written again, as it should be", p.rewrite, nil},
		{"After the fix, the dead letters are driven again", p.fix, nil},
	} {
		fmt.Fprintf(out, "\n%s\n", step.title)
		if err := p.stages.follow(ctx, step.work, patience, out); err != nil {
			return err
		}
		if step.then != nil {
			if err := step.then(ctx); err != nil {
				return err
			}
		}
	}
	return c.summary(ctx)
}

func (p *pipeline) insert(ctx context.Context) error {
	for _, sample := range samples() {
		if err := p.source.put(ctx, sample); err != nil {
			return err
		}
	}
	return nil
}

func (p *pipeline) change(ctx context.Context) error {
	return errors.Join(
		p.source.put(ctx, project("1", starWar, 95, "userA")),
		p.source.put(ctx, project("2", warCraft, 90, "userB")),
		p.source.remove(ctx, "3"),
	)
}

// The projects that cannot be shown at first.
var early, late, unknown = project("5", starWar, 80, "userE"), project("6", starWar, 70, "userF"), project("7", pacMan, 50, "userG")

func (p *pipeline) poison(ctx context.Context) error {
	return errors.Join(p.source.putText(ctx, early), p.source.putText(ctx, late), p.source.put(ctx, unknown))
}

// rewrite writes a newer score of a project whose older one is a dead letter.
func (p *pipeline) rewrite(ctx context.Context) error {
	newer := late
	newer.Score = 75
	return p.source.put(ctx, newer)
}

// fix defines the board that was missing, makes the consumer read text too, and then
// drives the dead letters again. A message that comes twice may have become a letter
// again meanwhile: it goes on until none is left.
func (p *pipeline) fix(ctx context.Context) error {
	if _, err := p.boards.Define(ctx, hackathon.Board(pacMan)); err != nil {
		return err
	}
	after := reader(fixed)
	p.read.Store(&after)
	for {
		redriven, err := stream.Redrive(ctx, p.letters.Source(), p.follow())
		switch {
		case err != nil:
			return err
		case redriven == stream.Redriven{}:
			return nil
		case redriven != stream.Redriven{Handled: redriven.Handled}:
			return fmt.Errorf("the fix did not help: %+v", redriven)
		}
		p.stages.do(func() { p.stages.redriven += redriven.Handled })
	}
}

// fixed reads a score that is text, too.
func fixed(ctx context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
	if text, ok := item["projectScore"].(*types.AttributeValueMemberS); ok {
		item = maps.Clone(item)
		item["projectScore"] = &types.AttributeValueMemberN{Value: text.Value}
	}
	return hackathon.Projection(ctx, item)
}
