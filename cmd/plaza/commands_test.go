package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/worldtest"
)

// offline runs a command that must not connect.
func offline(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := program{
		stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr,
		config: func(context.Context) (aws.Config, error) {
			t.Error("it connects")
			return aws.Config{}, errors.New("offline")
		},
	}
	code := p.run(t.Context(), args)
	return result{code, stdout.String(), stderr.String()}
}

func TestHelpIsPrintedAndWrongCallsAreUsageErrors(t *testing.T) {
	t.Parallel()
	for _, help := range [][]string{{}, {"--help"}, {"erase", "--help"}, {"export", "-h"}} {
		got := offline(t, "", help...)
		require.Equal(t, exitFine, got.code)
		require.Contains(t, got.stdout, "Usage: plaza")
		require.Empty(t, got.stderr)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for _, args := range [][]string{
		{"frobnicate"},
		{"verify", "--frobnicate"},
		{"verify", "--only", "feeds"},
		{"verify", "--table", "feeds=x"},
		{"verify", "--rate", "-1"},
		{"erase"},
		{"erase", "--user", ""},
		{"erase", "--user", strings.Repeat("x", 257), "--yes"},
		{"export"},
		{"tables", "--format", "yaml"},
		{"tables", "--only", "feeds"},
		{"tables", "--stream", "feeds"},
		{"tables", "--only", "feed", "--stream", "follow"},
		{"tables", "--create", "--point-in-time-recovery"},
		{"tables", "--prefix", "my tables-"},
		{"tables", "--table", "feed="},
		{"tables", "--table", "feed=same", "--table", "follow=same"},
		{"verify", "--prefix", "my/"},
	} {
		got := offline(t, "", args...)
		require.Equal(t, exitUsage, got.code, "%q: %s", args, got.stderr)
		require.Equal(t, 1, strings.Count(got.stderr, "plaza: "), got.stderr)
		require.Empty(t, got.stdout)
	}
	for _, args := range [][]string{
		{"check"},
		{"check", "--all", "--user", "ann"},
		{"check", "--all"}, // without kinds
		{"check", "--user", "ann", "--checkpoint", missing},
		{"check", "--user", "\xff"},
		{"check", "--board", ""},
		{"erase", "--user", "ann", "--yes", "--objects", missing},
		{"erase", "--user", "ann", "--yes", "--only", "message"}, // without machines
	} {
		w := &world{World: &worldtest.World{T: t}, t: t}
		w.ends(exitUsage, args...)
	}
}

func TestAnIDIsReadInBothForms(t *testing.T) {
	t.Parallel()
	id, err := ids.Parse("32SJ70T440001")
	require.NoError(t, err)
	parts := partsOf(id)
	at := time.Date(2026, 11, 22, 15, 41, 53, 0, time.UTC)
	made := ids.At(at) + 5<<machineBits + 9
	require.Equal(t, idParts{Text: made.String(), Number: "3559610648625233929", Time: at, Sequence: 5, Machine: 9}, partsOf(made))

	got := offline(t, parts.Number+"\n\n"+parts.Text+"\n", "id", "--json")
	require.Zero(t, got.code)
	first, second, _ := strings.Cut(strings.TrimSpace(got.stdout), "\n")
	require.Equal(t, first, second)
	var back idParts
	require.NoError(t, json.Unmarshal([]byte(first), &back))
	require.Equal(t, parts, back)

	got = offline(t, "", "id", made.String(), "nonsense", "0", "0000000000000", parts.Number)
	require.Equal(t, exitFailure, got.code)
	require.Equal(t, 2, strings.Count(got.stdout, "\n"))
	require.Contains(t, got.stdout, "2026-11-22T15:41:53.000Z  sequence 5  machine 9\n")
	require.Equal(t, 3, strings.Count(got.stderr, "is no id"))
}

func TestCtrlCEndsWhatWaitsForInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent, typed := io.Pipe()
		for _, args := range [][]string{{"id"}, {"erase", "--user", ann}} {
			var stderr bytes.Buffer
			p := program{
				stdin: silent, stdout: io.Discard, stderr: &stderr,
				config: func(context.Context) (aws.Config, error) { return aws.Config{Region: "nowhere"}, nil },
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			require.Equal(t, exitFailure, p.run(ctx, args))
			require.Contains(t, stderr.String(), "plaza: interrupted\n")
			cancel()
		}
		require.NoError(t, typed.Close())
	})
}

func TestACheckWithoutCredentialsFindsNothingAndFails(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--user", ann}, {"--object", "song"}, {"--board", "b"}, {"--all"}} {
		var stderr bytes.Buffer
		p := program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, config: func(context.Context) (aws.Config, error) {
			return aws.Config{Region: "nowhere", Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{}, errors.New("no credentials here")
			})}, nil
		}}
		require.Equal(t, exitFailure, p.run(t.Context(), append([]string{"check", "--kind", "like"}, args...)))
		require.Contains(t, stderr.String(), "no credentials here")
		require.NotContains(t, stderr.String(), "finding")
	}
}

func TestTablesPrintsWhatTheTablesPackageWrites(t *testing.T) {
	t.Parallel()
	got := offline(t, "", "tables", "--prefix", "my-", "--table", "feed=Timeline")
	require.Zero(t, got.code)
	var template struct{ Resources map[string]any }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &template))
	require.Contains(t, got.stdout, `"my-follow"`)
	require.Contains(t, got.stdout, `"Timeline"`)
	require.NotContains(t, got.stdout, `"my-feed"`)
	got = offline(t, "", "tables", "--format", "terraform", "--only", "danmu,follow")
	require.Equal(t, 2, strings.Count(got.stdout, `resource "aws_dynamodb_table"`))
	require.Equal(t, got, offline(t, "", "tables", "-format=terraform", "-only", "danmu,follow"))
	require.Contains(t, offline(t, "", "tables", "--", "-format").stderr, " -format", "what follows -- is no flag")
	got = offline(t, "", "tables", "--format", "terraform", "--only", "danmu,follow", "--stream", "follow")
	require.Equal(t, 1, strings.Count(got.stdout, "stream_view_type"))
	got = offline(t, "", "tables", "--format", "json", "--only", "danmu")
	var requests []struct {
		Feature          string
		CreateTable      dynamodb.CreateTableInput
		UpdateTimeToLive dynamodb.UpdateTimeToLiveInput
	}
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &requests))
	require.Len(t, requests, 1)
	require.Equal(t, "plaza-danmu", *requests[0].CreateTable.TableName)
	require.Len(t, requests[0].CreateTable.GlobalSecondaryIndexes, 1)
	require.True(t, *requests[0].UpdateTimeToLive.TimeToLiveSpecification.Enabled)
	require.NotContains(t, got.stdout, "null")
}

func TestTablesAreCreatedUnlessOneDiffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "follow")
	endpoint := dynamotest.Engine(t).Endpoint
	create := func(more ...string) result {
		return w.run(append([]string{"tables", "--create", "--only", "follow,feed,machines", "--endpoint", endpoint, "--disposable"}, more...)...)
	}
	tablesNow := func() (names []string) {
		out, err := w.Client.ListTables(t.Context(), &dynamodb.ListTablesInput{ExclusiveStartTableName: &w.Prefix})
		require.NoError(t, err)
		return slices.DeleteFunc(out.TableNames, func(name string) bool { return !strings.HasPrefix(name, w.Prefix) })
	}
	for _, differing := range [][]string{{"--table", "feed=" + w.Names.Follow, "--table", "follow=" + w.Names.Danmu}, {"--stream", "follow"}} {
		require.NoError(t, w.Follows().Init(t.Context()))
		got := create(differing...)
		require.Equal(t, exitFailure, got.code, got.stdout)
		require.Contains(t, got.stderr, "nothing was created")
		require.Equal(t, []string{w.Names.Follow}, tablesNow())
	}
	t.Cleanup(func() {
		for _, name := range []string{w.Names.Feed, w.Names.Machines} {
			_, err := w.Client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
			require.NoError(t, err)
		}
	})
	for _, what := range []string{"created", "exists"} {
		got := create("--stream", "feed")
		require.Zero(t, got.code, got.stderr)
		require.Contains(t, got.stdout, "machines "+w.Names.Machines+": "+what)
		require.Contains(t, got.stdout, "feed "+w.Names.Feed+": "+what)
		require.Contains(t, got.stdout, "follow "+w.Names.Follow+": exists")
	}
	w.ends(exitFine, "verify", "--only", "follow,feed,machines")
}

func TestVerifyNamesEveryTableThatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, exitFine, w.run("verify", "--init", "--only", "feed").code)
	got := w.ends(exitFailure, "verify")
	require.Equal(t, 1, strings.Count(got.stdout, ": ok\n"))
	require.Equal(t, 10, strings.Count(got.stdout, errUnmarked.Error()))
	require.Equal(t, exitFine, w.run("verify", "--init").code)
	got = w.ends(exitFine, "verify")
	require.Equal(t, 11, strings.Count(got.stdout, ": ok\n"))

	got = w.ends(exitFailure, "verify", "--table", "follow="+w.Names.Feed, "--table", "letters=none", "--table", "message="+w.Names.Follow)
	require.Equal(t, 8, strings.Count(got.stdout, ": ok\n"), got.stdout)
	for _, wrong := range []string{"follow " + w.Names.Feed, "letters none", "message " + w.Names.Follow} {
		require.Contains(t, got.stdout, wrong+": ")
	}
}

func TestProgressIsALineThatChangesOrALineNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		stop := newProgress(&program{stderr: &out}).watch(func() string { return "half" })
		time.Sleep(11 * time.Second)
		stop()
		stop()
		require.Equal(t, strings.Repeat("half\n", 3), out.String())
		out.Reset()
		stop = newProgress(&program{stderr: &out, terminal: true}).watch(func() string { return "half" })
		time.Sleep(300 * time.Millisecond)
		stop()
		require.Equal(t, "\r\x1b[Khalf\r\x1b[Khalf\n", out.String())
	})
}

func TestACountHasCommasAndItsPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 items", 1: "1 item", 999: "999 items", 1000: "1,000 items", 1234567: "1,234,567 items"} {
		require.Equal(t, want, count(n, "item"))
	}
}
