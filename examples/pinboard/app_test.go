package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestAWorkerThatFailsBeginsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a, runs := &app{log: slog.New(slog.DiscardHandler)}, 0
		require.NoError(t, a.keep(ctx, "worker", func(context.Context) error {
			if runs++; runs == 3 {
				cancel()
			}
			return errors.New("broken")
		}))
		require.Equal(t, 3, runs)
	})
}
