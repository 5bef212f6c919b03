package engine

import "context"

// FetchPacked fetches the dynoxide of npm, which tests do not run.
func FetchPacked(ctx context.Context, o Options) error {
	_, err := packedDynoxide.get(ctx, o)
	return err
}
