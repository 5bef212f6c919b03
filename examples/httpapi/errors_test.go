package main

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
)

func TestSkippedItemsAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	onCorrupt(slog.New(slog.NewTextHandler(&log, nil)))(&plaza.CorruptError{Table: "follow", PK: "F#jack", SK: "0", Reason: "id has 5 bytes"})
	for _, part := range []string{"level=ERROR", "table=follow", "pk=F#jack", "sk=0", `reason="id has 5 bytes"`} {
		require.Contains(t, log.String(), part)
	}
}
