// Command benchpage writes docs/benchmarks.md from one run of the benchmarks that
// compare Plaza with the bare SDK, those that call dynamotest.Pair:
//
//	go run ./internal/benchpage             # about five minutes; needs a quiet machine
//	go run ./internal/benchpage -time 100x  # rounds of each, as go test -benchtime
//
// It runs at the root of the repository.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

const page = "docs/benchmarks.md"

func main() {
	benchtime := flag.String("time", "1s", "how long each benchmark runs, as go test -benchtime")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *benchtime); err != nil {
		fmt.Fprintln(os.Stderr, "benchpage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, benchtime string) error {
	found, err := pairs(os.DirFS("."))
	if err != nil {
		return err
	}
	machine, err := describe()
	if err != nil {
		return err
	}
	var results []result
	for _, p := range found {
		fmt.Fprintln(os.Stderr, p.folder, strings.Join(p.names, " "))
		pattern := "^(" + strings.Join(p.names, "|") + ")$"
		command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", benchtime, "-timeout", "30m", "./"+p.folder)
		command.Env = append(os.Environ(), "PLAZA_ENGINE=dynamodb-local")
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", p.folder, err, out)
		}
		measured, err := parse(p.folder, string(out))
		if err != nil {
			return err
		}
		results = append(results, measured...)
		machine.cpu = cpu(string(out))
	}
	machine.until = time.Now()
	return os.WriteFile(page, render(machine, results), 0o644)
}

// pair has a package's benchmarks that call dynamotest.Pair.
type pair struct {
	folder string
	names  []string
}

func pairs(root fs.FS) (found []pair, err error) {
	benchmark := regexp.MustCompile(`^(Benchmark\w+)\(b \*testing\.B\)`)
	err = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		for function := range strings.SplitSeq(string(text), "\nfunc ") {
			name := benchmark.FindStringSubmatch(function)
			if name == nil || !strings.Contains(function, "dynamotest.Pair(") {
				continue
			}
			if n := len(found); n == 0 || found[n-1].folder != folder {
				found = append(found, pair{folder: folder})
			}
			last := &found[len(found)-1]
			last.names = append(last.names, name[1])
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = errors.New("no benchmark compares: run it at the root of the repository")
	}
	return found, err
}

// machine describes where the figures come from, without a host name.
type machine struct {
	cpu         string
	commit      string
	engine      string
	load        string
	from, until time.Time
}

func describe() (machine, error) {
	m := machine{from: time.Now()}
	commit, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return m, fmt.Errorf("git rev-parse: %w", err)
	}
	m.commit = strings.TrimSpace(string(commit))
	pom, err := os.ReadFile("internal/engine/pom.xml")
	if err != nil {
		return m, err
	}
	version := regexp.MustCompile(`(?s)<artifactId>DynamoDBLocal</artifactId>\s*<version>([^<]+)<`).FindSubmatch(pom)
	if version == nil {
		return m, errors.New("internal/engine/pom.xml names no DynamoDB Local")
	}
	m.engine = string(version[1])
	if load, err := os.ReadFile("/proc/loadavg"); err == nil { // only Linux has it
		m.load = strings.Fields(string(load))[0]
	}
	return m, nil
}

// cpu is the CPU's name in the output of go test.
func cpu(out string) string {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "cpu: "); ok {
			return strings.TrimSpace(name)
		}
	}
	return runtime.GOARCH
}

func render(m machine, results []result) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Benchmarks

Each line compares a call of Plaza with the same requests made by hand through the AWS SDK. One run of
`+"`go run ./internal/benchpage`"+` wrote this page; run it on a quiet machine, and do not edit the page.

The engine is DynamoDB Local %s on the same machine. So the times are not those of AWS, where a request takes milliseconds on
the network: only the ratios say something.

- **requests, RCU, WCU**: of one call, as DynamoDB counts them. [costs.md](costs.md) has the stated limits.
- **time**: the median of a call, and its ratio to the same by hand. The two alternate.
- **CPU**: the ratio of this process's CPU time, with recorded answers in the place of the engine.
- **allocations**: their ratio.

| machine | |
|---|---|
| CPU | %s, %d of them |
| system | %s/%s, %s |
| commit | %s |
| date | %s |
`, m.engine, m.cpu, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), m.commit, m.from.UTC().Format(time.DateOnly))
	if m.load != "" {
		fmt.Fprintf(&b, "| load at the start | %s |\n", m.load)
	}
	fmt.Fprintf(&b, "| took | %v |\n", m.until.Sub(m.from).Round(time.Second))
	b.WriteString(`
| benchmark | requests | RCU | WCU | time | time by hand × | CPU by hand × | allocations by hand × |
|---|---|---|---|---|---|---|---|
`)
	slices.SortStableFunc(results, func(a, b result) int { return strings.Compare(a.folder, b.folder) })
	for _, r := range results {
		fmt.Fprintf(&b, "| `%s` %s | %s | %s | %s | %.2f ms | %.2f | %.2f | %.2f |\n", r.folder, r.name,
			number(r.of["requests/op"]), number(r.of["RCU/op"]), number(r.of["WCU/op"]),
			r.of["ns/op"]/1e6, r.of["time-ratio"], r.of["cpu-ratio"], r.of["allocs-ratio"])
	}
	return b.Bytes()
}
