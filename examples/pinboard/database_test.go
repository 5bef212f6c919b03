package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// noCredentials is an environment in which nobody has set up AWS.
func noCredentials(t *testing.T) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"} {
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func TestAnEndpointOnThisMachineNeedsNoCredentials(t *testing.T) {
	noCredentials(t)
	env := plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Machines: "first"}})
	cfg, err := configFor(t.Context(), *env.Config.BaseEndpoint)
	require.NoError(t, err)
	var log bytes.Buffer
	cfg.Logger = logging.NewStandardLogger(&log)
	_, err = dynamodb.NewFromConfig(cfg).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("pinboard-none")})
	require.Error(t, err) // with a wrong checksum
	require.Empty(t, log.String())
	_, err = dynamodb.NewFromConfig(cfg).ListTables(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, log.String())
}

func TestAnEndpointElsewhereNeedsCredentials(t *testing.T) {
	noCredentials(t)
	for _, endpoint := range []string{"http://dynamodb.example:8000", "https://localhost.example", "localhost:8000", "8000"} {
		_, err := configFor(t.Context(), endpoint)
		require.Error(t, err, endpoint)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "mine")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "mine")
	for _, endpoint := range []string{"http://dynamodb.example:8000", "http://127.0.0.1:8000"} {
		cfg, err := configFor(t.Context(), endpoint)
		require.NoError(t, err)
		who, err := cfg.Credentials.Retrieve(t.Context())
		require.NoError(t, err)
		require.Equal(t, "mine", who.AccessKeyID)
	}
}
