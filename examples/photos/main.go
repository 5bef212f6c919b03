// Command photos is photo sharing on Lambda: people follow each other, post photos, like and
// comment on them, and a board has the most liked photos of the week. One program is three
// functions, and FUNCTION says which:
//
//   - api answers an HTTP API, behind a JWT authorizer;
//   - deliver, every minute, brings photos to the followers whom Publish did not reach;
//   - board follows the stream of the likes.
//
// template.yaml deploys them. go test ./examples/photos -write writes its tables.json. To try the
// photos on this machine, without Lambda, run the tests: they serve them by net/http.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	ctx, log := context.Background(), slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		exit(log, err)
	}
	handler, err := function(ctx, os.Getenv("FUNCTION"), cfg, names(), os.Getenv("CURSOR_SECRET"), log)
	if err != nil {
		exit(log, err)
	}
	lambda.Start(handler)
}

func exit(log *slog.Logger, err error) {
	log.Error("does not start", "error", err)
	os.Exit(1)
}

// names returns those of the tables that the service uses.
func names() tables.Names {
	all := tables.NamesOf("photos-")
	return tables.Names{
		Machines: all.Machines, Follow: all.Follow, Feed: all.Feed, Comment: all.Comment,
		Reaction: all.Reaction, Leaderboard: all.Leaderboard, Letters: all.Letters,
	}
}

// function returns a handler of Lambda, which serves every event of the process. The secret
// seals cursors: every process needs the same one.
func function(ctx context.Context, name string, cfg aws.Config, in tables.Names, secret string, log *slog.Logger) (handler any, err error) {
	const least = 32
	if len(secret) < least {
		return nil, fmt.Errorf("CURSOR_SECRET needs at least %d bytes", least)
	}
	key := sha256.Sum256([]byte(secret))
	codec, err := cursor.Sealed(cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: key[:]}})
	if err != nil {
		return nil, err
	}
	db := dynamo.New(cfg)
	// Between two events Lambda freezes the process, and with it what would renew the number.
	machine, err := lease.NewSource(db, in.Machines, &lease.Options{Renew: -1})
	if err != nil {
		return nil, err
	}
	album, err := open(ctx, db, in, machine, codec, log)
	if err != nil {
		return nil, err
	}
	switch name {
	case "api":
		return (&api{album, log}).gateway, nil
	case "deliver":
		return album.deliver, nil
	case "board":
		letters, err := stream.NewDeadTable(db, in.Letters, week, nil)
		if err != nil {
			return nil, err
		}
		processor, err := stream.NewProcessor(stream.Each(album.rank, 8), letters, &stream.ProcessorOptions{
			OnDead: func(_ stream.Dead, err error) { log.Error("dead letter", "error", err) },
			OnStop: func(err error) { log.Error("stopped", "error", err) },
		})
		if err != nil {
			return nil, err
		}
		return processor.Lambda, nil
	}
	return nil, fmt.Errorf("FUNCTION is %q", name)
}

// deliver delivers until nothing waits.
func (a *album) deliver(ctx context.Context) error {
	for {
		if n, err := a.feeds.Deliver(ctx); n == 0 || err != nil {
			return err
		}
	}
}
