package plaza

import "context"

type operationKey struct{}

// WithOperation names the call that runs with ctx, such as "feed.Home.List". The
// outermost name stays, so the calls that a call makes count as its own. Plaza's
// calls name themselves.
func WithOperation(ctx context.Context, name string) context.Context {
	if Operation(ctx) != "" {
		return ctx
	}
	return context.WithValue(ctx, operationKey{}, name)
}

// Operation returns the name of the running call, or "" outside of one. The SDK passes
// its context to middleware and to the HTTP client, so meters, spans and logs can use it.
func Operation(ctx context.Context) string {
	name, _ := ctx.Value(operationKey{}).(string)
	return name
}
