package tables_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/tables"
)

func TestAPolicyHasTheARNsOfItsTables(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	ts := tables.Of(tables.Names{Leaderboard: "scores", Pollers: "leases"})
	ts[0] = ts[0].WithStream()
	opts := &tables.PolicyOptions{Partition: "aws-cn", Region: "cn-north-1", Account: "123456789012"}
	require.NoError(t, tables.Policy(&text, tables.Grants(ts, tables.Reader, tables.Worker), opts))
	var read struct {
		Version   string
		Statement []struct {
			Effect   string
			Action   []string
			Resource string
		}
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &read))
	require.Equal(t, "2012-10-17", read.Version)
	var on []string
	for _, s := range read.Statement {
		require.Equal(t, "Allow", s.Effect)
		require.NotEmpty(t, s.Action)
		on = append(on, s.Resource)
	}
	const arn = "arn:aws-cn:dynamodb:cn-north-1:123456789012:table/"
	require.ElementsMatch(t, []string{arn + "scores", arn + "scores/index/ranking", arn + "leases", arn + "scores/stream/*"}, on)

	text.Reset()
	require.NoError(t, tables.Policy(&text, tables.Grants(ts, tables.Reader), nil))
	require.Contains(t, text.String(), `"arn:aws:dynamodb:*:*:table/scores"`)
}

func TestAPolicyThatWouldBeWiderIsRefused(t *testing.T) {
	t.Parallel()
	of := func(name string) []tables.Grant {
		return tables.Grants(tables.Of(tables.Names{Feed: name}), tables.Reader)
	}
	for name, c := range map[string]struct {
		grants []tables.Grant
		opts   *tables.PolicyOptions
	}{
		"every table":             {of("*"), nil},
		"tables that begin alike": {of("app-*"), nil},
		"a variable of IAM":       {of("${aws:username}"), nil},
		"another resource":        {of("feed/index/other"), nil},
		"nothing":                 {nil, nil},
		"every index":             {[]tables.Grant{{Table: "feed", Index: "*", Actions: []string{"dynamodb:Query"}}}, nil},
		"every action":            {[]tables.Grant{{Table: "feed", Actions: []string{"dynamodb:*"}}}, nil},
		"no action":               {[]tables.Grant{{Table: "feed"}}, nil},
		"another service":         {[]tables.Grant{{Table: "feed", Actions: []string{"iam:PassRole"}}}, nil},
		"a part of a region":      {of("feed"), &tables.PolicyOptions{Region: "eu-*"}},
		"a region with more":      {of("feed"), &tables.PolicyOptions{Region: "eu-west-1:1"}},
		"an account with more":    {of("feed"), &tables.PolicyOptions{Account: "123456789012:table/other"}},
		"a partition with more":   {of("feed"), &tables.PolicyOptions{Partition: "aws:s3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text bytes.Buffer
			require.ErrorIs(t, tables.Policy(&text, c.grants, c.opts), plaza.ErrInvalid)
			require.Empty(t, text.String())
		})
	}
}
