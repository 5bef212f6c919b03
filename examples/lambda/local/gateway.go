package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/plaza-sdk/plaza/examples/internal/local"
)

// gateway is an HTTP API of API Gateway before a function. Whoever comes with
// "Authorization: Bearer ann" is ann.
type gateway struct{ function *local.Function }

// routes are those of template.yaml.
var routes = []string{"PUT /following/{user}", "DELETE /following/{user}", "PUT /photos/{photo}", "DELETE /photos/{photo}", "GET /home"}

func (g gateway) handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, route) })
	}
	return mux
}

const maxBody = 10 << 20 // as API Gateway's

func (g gateway) serve(w http.ResponseWriter, r *http.Request, route string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	user, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		http.Error(w, `{"message":"Unauthorized"}`, http.StatusUnauthorized)
		return
	}
	event, err := json.Marshal(requestOf(r, route, user, string(body)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	ctx, stop := context.WithTimeout(r.Context(), 10*time.Second)
	defer stop()
	text, err := g.function.Invoke(ctx, event)
	var answer events.APIGatewayV2HTTPResponse
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		http.Error(w, `{"message":"Internal Server Error"}`, http.StatusInternalServerError)
		return
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.WriteString(w, answer.Body)
}

// requestOf is the event of a request, in version 2.0 of the format.
func requestOf(r *http.Request, route, user, body string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: route, RawPath: r.URL.Path, RawQueryString: r.URL.RawQuery, Body: body,
		Headers: map[string]string{}, QueryStringParameters: map[string]string{}, PathParameters: map[string]string{},
	}
	for name, values := range r.Header {
		e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	for name, values := range r.URL.Query() {
		e.QueryStringParameters[name] = strings.Join(values, ",")
	}
	for _, name := range []string{"user", "photo"} {
		if value := r.PathValue(name); value != "" {
			e.PathParameters[name] = value
		}
	}
	e.RequestContext.RouteKey, e.RequestContext.Stage, e.RequestContext.RequestID = route, "$default", "local"
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path = r.Method, r.URL.Path
	e.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"sub": user}},
	}
	return e
}
