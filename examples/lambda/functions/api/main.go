// Command api is a function of Lambda behind an HTTP API. template.yaml deploys it, and
// lets only those in whom a JWT names.
//
//	PUT, DELETE /following/{user}
//	PUT, DELETE /photos/{photo}
//	GET /home?cursor=…&limit=20
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/lambda/photos"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	a, err := newAPI(context.Background(), log)
	if err != nil {
		log.Error("api does not start", "error", err)
		os.Exit(1)
	}
	lambda.Start(a.handle)
}

func newAPI(ctx context.Context, log *slog.Logger) (*api, error) {
	const least = 32
	secret := os.Getenv("CURSOR_SECRET")
	if len(secret) < least {
		return nil, fmt.Errorf("CURSOR_SECRET needs at least %d bytes", least)
	}
	key := sha256.Sum256([]byte(secret))
	sealed, err := cursor.Sealed(cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: key[:]}})
	if err != nil {
		return nil, err
	}
	feeds, err := photos.Open(ctx, sealed, log)
	if err != nil {
		return nil, err
	}
	return &api{feeds, log}, nil
}
