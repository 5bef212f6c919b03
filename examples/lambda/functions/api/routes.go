package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/feed"
)

type api struct {
	feeds *feed.Repository
	log   *slog.Logger
}

// request is one that API Gateway let in.
type request struct {
	events.APIGatewayV2HTTPRequest
	user string // whom the JWT names
}

func (a *api) handle(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	var user string
	if who := r.RequestContext.Authorizer; who != nil && who.JWT != nil {
		user = who.JWT.Claims["sub"]
	}
	if user == "" {
		return answer(http.StatusUnauthorized, problem{Error: "log in first"})
	}
	route := map[string]func(context.Context, request) (status int, body any, err error){
		"PUT /following/{user}":    a.follow,
		"DELETE /following/{user}": a.unfollow,
		"PUT /photos/{photo}":      a.post,
		"DELETE /photos/{photo}":   a.remove,
		"GET /home":                a.home,
	}[r.RouteKey]
	if route == nil {
		return answer(http.StatusNotFound, problem{Error: "there is no such route"})
	}
	status, body, err := route(ctx, request{r, user})
	if err != nil {
		p := problemOf(err)
		if p.status == http.StatusInternalServerError {
			a.log.Error("no answer", "route", r.RouteKey, "request", r.RequestContext.RequestID, "error", err)
		}
		return answer(p.status, p)
	}
	return answer(status, body)
}

func answer(status int, body any) (events.APIGatewayV2HTTPResponse, error) {
	text, err := json.Marshal(body)
	return events.APIGatewayV2HTTPResponse{
		StatusCode: status, Headers: map[string]string{"content-type": "application/json"}, Body: string(text),
	}, err
}

type changed struct {
	Changed bool `json:"changed"`
}

func (a *api) follow(ctx context.Context, r request) (int, any, error) {
	created, err := a.feeds.Home(r.user).Follow(ctx, r.PathParameters["user"], nil)
	return http.StatusOK, changed{created}, err
}

func (a *api) unfollow(ctx context.Context, r request) (int, any, error) {
	gone, err := a.feeds.Home(r.user).Unfollow(ctx, r.PathParameters["user"], nil)
	return http.StatusOK, changed{gone}, err
}

const maxTitle = 100 // characters

// photo is what a client says about its photo.
type photo struct {
	Title string `json:"title"`
}

// post publishes a photo, whose name the client chose: repeating it is harmless.
func (a *api) post(ctx context.Context, r request) (int, any, error) {
	body := []byte(r.Body)
	if r.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(r.Body); err != nil {
			return 0, nil, &plaza.InvalidError{Field: "body", Reason: "is not base64"}
		}
	}
	var p photo
	if err := guard.Unmarshal(body, &p); err != nil {
		return 0, nil, err
	}
	if n := utf8.RuneCountInString(p.Title); strings.TrimSpace(p.Title) == "" || n > maxTitle {
		return 0, nil, &plaza.InvalidError{Field: "title", Reason: fmt.Sprintf("has %d characters, 1 to %d are allowed", n, maxTitle)}
	}
	data, err := json.Marshal(p)
	if err != nil {
		return 0, nil, err
	}
	name := r.PathParameters["photo"]
	stored, created, err := a.feeds.Outbox(r.user).Publish(ctx, feed.Activity{
		Actor: feed.Ref{Kind: "user", ID: r.user}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: name}, ForeignID: name, Data: data,
	})
	if created {
		return http.StatusCreated, stored, err
	}
	return http.StatusOK, stored, err
}

func (a *api) remove(ctx context.Context, r request) (int, any, error) {
	gone, err := a.feeds.Outbox(r.user).RemoveForeign(ctx, r.PathParameters["photo"])
	return http.StatusOK, changed{gone}, err
}

// maxAnswer is half of the 6 MB that Lambda may answer: the event has the answer as a text in
// JSON, which writes some characters as two.
const maxAnswer = 3 << 20

// home answers with fewer photos than the limit if they would be too large.
func (a *api) home(ctx context.Context, r request) (int, any, error) {
	page := cursor.PageRequest{Cursor: cursor.Cursor(r.QueryStringParameters["cursor"])}
	if limit := r.QueryStringParameters["limit"]; limit != "" {
		var err error
		if page.Limit, err = strconv.Atoi(limit); err != nil {
			return 0, nil, &plaza.InvalidError{Field: "limit", Reason: "is not a number"}
		}
	}
	for {
		found, err := a.feeds.Home(r.user).List(ctx, page)
		if err != nil {
			return 0, nil, err
		}
		text, err := json.Marshal(found)
		if n := len(found.Items); err == nil && len(text) > maxAnswer && n > 1 {
			page.Limit = n / 2
			continue
		}
		return http.StatusOK, json.RawMessage(text), err
	}
}
