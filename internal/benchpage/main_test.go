package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

const out = `goos: linux
cpu: Some CPU @ 2 GHz
BenchmarkFollow-2        	       7	   3435530 ns/op	         0 RCU/op	        10.00 WCU/op	         1.176 allocs-ratio	         1.444 cpu-ratio	         1.000 requests/op	         1.107 time-ratio
BenchmarkFollowersPage/of-25-2   	      12	   1999625 ns/op	         2.505 RCU/op	         0 WCU/op	         1.108 allocs-ratio	         1.106 cpu-ratio	         2.000 requests/op	         1.073 time-ratio
PASS
`

func TestThePageHasEveryFigure(t *testing.T) {
	t.Parallel()
	results, err := parse("follow", out)
	require.NoError(t, err)
	began := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	text := string(render(machine{cpu: cpu(out), commit: "0123456789", engine: "2.6.1", load: "0.10", from: began, until: began.Add(90 * time.Second)}, results))
	for _, part := range []string{
		"DynamoDB Local 2.6.1", "| CPU | Some CPU @ 2 GHz, ", "| date | 2026-11-22 |", "| load at the start | 0.10 |", "| took | 1m30s |",
		"| `follow` Follow | 1 | 0 | 10 | 3.44 ms | 1.11 | 1.44 | 1.18 |\n",
		"| `follow` FollowersPage/of-25 | 2 | 2.5 | 0 | 2.00 ms | 1.07 | 1.11 | 1.11 |\n",
	} {
		require.Contains(t, text, part)
	}
}

func TestAMissingFigureIsAnError(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "PASS\n", strings.ReplaceAll(out, "cpu-ratio", "ratio"), strings.Replace(out, "1.444", "NaN?", 1)} {
		_, err := parse("follow", bad)
		require.Error(t, err, bad)
	}
}

func TestOnlyPairsAreRun(t *testing.T) {
	t.Parallel()
	found, err := pairs(fstest.MapFS{
		"a/bench_test.go": {Data: []byte("package a\n\nfunc BenchmarkOne(b *testing.B) {\n\tdynamotest.Pair(b, nil, nil)\n}\n\nfunc BenchmarkTwo(b *testing.B) {}\n")},
		"a/b/x_test.go":   {Data: []byte("package b\n\nfunc BenchmarkThree(b *testing.B) { dynamotest.Pair(b, nil, nil) }\n")},
		"a/a.go":          {Data: []byte("package a\n\nfunc BenchmarkFour(b *testing.B) { dynamotest.Pair(b, nil, nil) }\n")},
	})
	require.NoError(t, err)
	require.ElementsMatch(t, []pair{{"a", []string{"BenchmarkOne"}}, {"a/b", []string{"BenchmarkThree"}}}, found)
	_, err = pairs(fstest.MapFS{})
	require.Error(t, err)

	found, err = pairs(os.DirFS("../.."))
	require.NoError(t, err)
	var folders []string
	for _, p := range found {
		folders = append(folders, p.folder)
	}
	require.Subset(t, folders, []string{"follow", "feed", "feed/comment", "feed/reaction", "danmu", "leaderboard", "notify", "notify/message"})
}
