package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// pipeline is all of it.
type pipeline struct {
	*outside
	stages stages
	source *source
	boards *leaderboard.Repository

	// Dead letters of the board's consumer, of the fan-out and of the archive's.
	letters, unsent, unstored *letters.Repository

	poller *poller.Poller

	// The consumers of the board's and of the archive's queue.
	toBoard, toArchive *stream.Processor

	// read is what the board's consumer reads items by, before and after the fix.
	read atomic.Pointer[reader]
}

type reader func(context.Context, map[string]types.AttributeValue) (leaderboard.Projection, error)

func newPipeline(ctx context.Context, env *plazatest.Env, out *outside) (*pipeline, error) {
	p := &pipeline{outside: out}
	gen, err := ids.New(1, nil) // there are no other processes
	if err != nil {
		return nil, err
	}
	if p.boards, err = leaderboard.New(env.DB, env.Tables.Leaderboard, gen, nil); err != nil {
		return nil, err
	}
	for _, name := range []string{starWar, warCraft} {
		if _, err := p.boards.Define(ctx, hackathon.Board(name)); err != nil {
			return nil, err
		}
	}
	if err := p.openLetters(ctx, env); err != nil {
		return nil, err
	}
	if err := p.openConsumers(); err != nil {
		return nil, err
	}
	return p, p.openSource(ctx, env, gen)
}

func (p *pipeline) openLetters(ctx context.Context, env *plazatest.Env) (err error) {
	for consumer, opened := range map[string]**letters.Repository{"board": &p.letters, "fanout": &p.unsent, "archive": &p.unstored} {
		if *opened, err = letters.New(env.DB, env.Tables.Letters, consumer, nil); err != nil {
			return err
		}
	}
	return p.letters.Init(ctx)
}

func (p *pipeline) openConsumers() (err error) {
	before := reader(hackathon.Projection)
	p.read.Store(&before)
	p.toBoard, err = stream.NewProcessor(p.follow(), p.letters, &stream.ProcessorOptions{
		OnDead: func(d stream.Dead, _ error) {
			record, err := stream.DecodeEvent(d.Record)
			p.stages.do(func() {
				if err == nil {
					p.stages.dead.add(record.ID)
				}
			})
		},
	})
	if err != nil {
		return err
	}
	archive := stream.To(p.lines, func(r stream.Record) (stream.Event, bool, error) {
		data, err := stream.Encode(r, 0)
		return stream.Event{Data: data}, true, err
	}, stream.Policy{}, nil)
	p.toArchive, err = stream.NewProcessor(p.stages.counted(&p.stages.archived, archive), p.unstored, nil)
	return err
}

// follow makes the Batch by which boards follow the main table.
func (p *pipeline) follow() stream.Batch {
	read := func(ctx context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
		return (*p.read.Load())(ctx, item)
	}
	return p.stages.counted(&p.stages.applied, stream.Each(leaderboard.Project(p.boards, read), 8))
}

func (p *pipeline) openSource(ctx context.Context, env *plazatest.Env, gen ids.Source) error {
	table, err := env.CreateTable(ctx, hackathon.MainTable("pipeline-main"))
	if err != nil {
		return err
	}
	about, err := env.DB.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return err
	}
	p.source = &source{table: env.DB.Table(table), gen: gen, projects: map[string]hackathon.Project{}, step: func(shown bool) {
		p.stages.do(func() {
			p.stages.written++
			if shown {
				p.stages.shown++
			}
		})
	}}
	fanout := p.stages.counted(&p.stages.fanned, hackathon.Fanout(p.bus, stream.Policy{}, p.unsent))
	processor, err := stream.NewProcessor(fanout, p.unsent, nil)
	if err != nil {
		return err
	}
	group := poller.Group{Table: env.Tables.Pollers, Stream: *about.Table.LatestStreamArn, Name: "fanout"}
	p.poller, err = poller.New(env.DB, dynamodbstreams.NewFromConfig(env.Config), group, processor, &poller.Options{
		Idle:    100 * time.Millisecond,
		OnError: func(err error) { p.stages.do(func() { p.stages.problem = err }) },
	})
	if err != nil {
		return err
	}
	return p.poller.Init(ctx)
}

// run runs the poller and the consumers until ctx ends.
func (p *pipeline) run(ctx context.Context) error {
	g, running := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := p.poller.Run(running); err != nil {
			return err
		}
		return errors.New("the stream of the main table was switched off")
	})
	g.Go(func() error { return consume(running, p.board, p.toBoard) })
	g.Go(func() error { return consume(running, p.archive, p.toArchive) })
	err := g.Wait()
	if ctx.Err() != nil {
		err = nil
	}
	return err
}
