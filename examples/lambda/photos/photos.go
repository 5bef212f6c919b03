// Package photos opens what the functions of examples/lambda share.
package photos

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
)

// Open connects to the tables that the environment names. Call it once, before the first
// event: what it returns serves every event of the process.
func Open(ctx context.Context, codec cursor.Codec, log *slog.Logger) (*feed.Repository, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	db := dynamo.New(cfg)
	// Between two events Lambda freezes the process, and with it what would renew the number.
	machine, err := lease.NewSource(db, os.Getenv("MACHINES_TABLE"), &lease.Options{Renew: -1})
	if err != nil {
		return nil, err
	}
	follows, err := follow.New(db, os.Getenv("FOLLOW_TABLE"), machine, nil)
	if err != nil {
		return nil, err
	}
	return feed.New(db, os.Getenv("FEED_TABLE"), machine, follows, &feed.Options{
		Codec:     codec,
		OnAttempt: func(a feed.Attempt) { logAttempt(log, a) },
		OnCorrupt: func(err *plaza.CorruptError) { log.Error("damaged item", "error", err) },
	})
}

func logAttempt(log *slog.Logger, a feed.Attempt) {
	if a.Err != nil {
		log.Error("not delivered yet", "owner", a.Owner, "activity", a.ID, "error", a.Err)
	}
}
