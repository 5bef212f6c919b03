// Command leaderget is a function of Lambda that answers GET /leaderBoard with the
// best of a hackathon's board. Copy it with its part of template.yaml.
//
//	GET /leaderBoard?hackathonName=StarWar&limit=10
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	g, err := newGetter(context.Background(), log)
	if err != nil {
		log.Error("leaderget does not start", "error", err)
		os.Exit(1)
	}
	lambda.Start(g.handle)
}

type getter struct {
	boards *leaderboard.Repository
	log    *slog.Logger
}

func newGetter(ctx context.Context, log *slog.Logger) (*getter, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	gen, err := ids.New(0, nil) // every process has the same number: reads make no ids
	if err != nil {
		return nil, err
	}
	boards, err := leaderboard.New(dynamo.New(cfg), os.Getenv("LEADERBOARD_TABLE"), gen, nil)
	if err != nil {
		return nil, err
	}
	return &getter{boards, log}, nil
}

func (g *getter) handle(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	req, err := cursor.ParseQuery(url.Values{"limit": {r.QueryStringParameters["limit"]}}, &cursor.QueryOptions{Default: 10})
	if err != nil {
		return refuse(http.StatusBadRequest, "limit is a number from 1 to "+strconv.Itoa(cursor.MaxLimit))
	}
	name := r.QueryStringParameters["hackathonName"]
	if name == "" {
		return refuse(http.StatusBadRequest, "hackathonName is missing")
	}
	places, err := hackathon.Top(ctx, g.boards, name, req.Limit)
	switch {
	case errors.Is(err, plaza.ErrNotFound):
		return refuse(http.StatusNotFound, "there is no such hackathon")
	case errors.Is(err, plaza.ErrInvalid):
		return refuse(http.StatusBadRequest, "hackathonName is not valid")
	case err != nil:
		g.log.Error("no answer", "error", err)
		return refuse(http.StatusServiceUnavailable, "try again later")
	}
	return answer(http.StatusOK, places)
}

func refuse(status int, reason string) (events.APIGatewayV2HTTPResponse, error) {
	return answer(status, map[string]string{"error": reason})
}

func answer(status int, body any) (events.APIGatewayV2HTTPResponse, error) {
	text, err := json.Marshal(body)
	return events.APIGatewayV2HTTPResponse{
		StatusCode: status, Headers: map[string]string{"content-type": "application/json"}, Body: string(text),
	}, err
}
