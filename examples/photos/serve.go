package main

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

const maxBody = 64 << 10 // a gateway's events are bounded by Lambda

// mux serves the routes by net/http, in the tests and wherever there is no Lambda. who returns
// the user, or "" if nobody is logged in.
func (a *api) mux(who func(*http.Request) string) *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, f := range a.routes() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			status, body := a.answer(r, who(r), f)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write(body) // the client has gone
		})
	}
	return mux
}

// gateway serves them to API Gateway, whose JWT authorizer says who is logged in.
func (a *api) gateway(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	var user string
	if who := e.RequestContext.Authorizer; who != nil && who.JWT != nil {
		user = who.JWT.Claims["sub"]
	}
	status, answer := http.StatusNotFound, []byte(`{"error":"Not Found"}`)
	if f := a.routes()[e.RouteKey]; f != nil {
		r, err := request(ctx, e)
		if err != nil {
			return events.APIGatewayV2HTTPResponse{}, err
		}
		status, answer = a.answer(r, user, f)
	}
	return events.APIGatewayV2HTTPResponse{
		StatusCode: status, Headers: map[string]string{"Content-Type": "application/json"}, Body: string(answer),
	}, nil
}

// request has the path's values as the gateway read them, so the path itself is not needed.
func request(ctx context.Context, e events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	body := e.Body
	if e.IsBase64Encoded {
		text, err := base64.StdEncoding.DecodeString(e.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	method, _, _ := strings.Cut(e.RouteKey, " ")
	r, err := http.NewRequestWithContext(ctx, method, "/?"+e.RawQueryString, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Pattern = e.RouteKey
	for name, value := range e.PathParameters {
		r.SetPathValue(name, value)
	}
	return r, nil
}
