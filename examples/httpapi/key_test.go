package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestProcessesWithOneKeyReadEachOthersCursors(t *testing.T) {
	t.Parallel()
	scope := cursor.Scope{List: "a"}
	made := func(key string) cursor.Codec {
		codec, err := newCodec(environment(map[string]string{keyVariable: key}), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		return codec
	}
	one, same := made(strings.Repeat("0f", 32)), made(strings.Repeat("0F", 32))
	pos, err := same.Decode(scope, one.Encode(scope, []byte("x")))
	require.NoError(t, err)
	require.Equal(t, "x", string(pos))
	_, err = made("").Decode(scope, made("").Encode(scope, []byte("x")))
	require.ErrorIs(t, err, cursor.ErrInvalid)
}

func TestABadKeyIsRefusedAndNotShown(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"secret", strings.Repeat("0f", 31), strings.Repeat("0f", 33), strings.Repeat("0g", 32)} {
		_, err := newCodec(environment(map[string]string{keyVariable: key}), slog.New(slog.DiscardHandler))
		require.ErrorIs(t, err, plaza.ErrInvalid)
		require.NotContains(t, err.Error(), key)
	}
}
