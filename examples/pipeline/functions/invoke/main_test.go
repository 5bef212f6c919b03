package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/local"
	"github.com/plaza-sdk/plaza/internal/faults"
)

const events = "../../events/"

func TestEventsAreGivenInTurn(t *testing.T) {
	if !faults.Full() {
		t.Skip("it links three programs; CI runs it")
	}
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{
		"consumer", events + "insertEvent.json", "consumer", events + "updateEvent.json", "leaderget", events + "apigw.json",
		"fanout", events + "dynamodbStream.json",
	}, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3+8+1)
	require.Equal(t, []string{"consumer: null", "consumer: null"}, lines[:2])
	require.Contains(t, lines[2], `\"userName\":\"userE\",\"projectScore\":\"95\"`)
	require.Contains(t, lines[3], "bus: update.aws.dynamodb INSERT {")
	require.Equal(t, `fanout: {"batchItemFailures":[]}`, lines[11])
}

func TestAFunctionsErrorIsReported(t *testing.T) {
	custom := filepath.Join(t.TempDir(), "custom.json")
	require.NoError(t, os.WriteFile(custom, []byte(`{"detail":{}}`), 0o600))
	err := run(t.Context(), []string{"consumer", custom}, new(bytes.Buffer))
	var failed *local.FunctionError
	require.ErrorAs(t, err, &failed)

	for _, args := range [][]string{nil, {"fanout"}, {"other", custom}, {"fanout", custom + "x"}} {
		require.Error(t, run(t.Context(), args, new(bytes.Buffer)), args)
	}
}
