// Command mutants breaks the code on purpose, one small change at a time, and
// runs the tests that must notice it:
//
//	go run ./internal/mutants              # all mutants
//	go run ./internal/mutants -file feed/  # the mutants in feed's files
//
// The changes are in mutants.txt. The working tree does not change: the compiler
// reads the changed file instead of the real one.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

//go:embed mutants.txt
var list string

func main() {
	file := flag.String("file", "", "run only mutants whose file begins with `PREFIX`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, prefix string) error {
	mutants, err := parse(list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tried, survived := 0, 0
	for _, m := range mutants {
		if !strings.HasPrefix(m.File, prefix) {
			continue
		}
		noticed, err := m.try(ctx, dir)
		if err != nil {
			return fmt.Errorf("%v: %w", m, err)
		}
		tried++
		verdict := "noticed "
		if !noticed {
			survived++
			verdict = "SURVIVED"
		}
		fmt.Println(verdict, m)
	}
	fmt.Printf("%d mutants, %d survived\n", tried, survived)
	if survived > 0 {
		return errors.New("a mutant that survives needs a test; or remove it, and say why no test can notice it")
	}
	return nil
}

// timeout limits the tests of a mutant. A mutant that hangs counts as noticed.
const timeout = "3m"

// errBroken is returned if the changed code does not compile.
var errBroken = errors.New("does not compile")

// try reports whether the tests notice the mutant.
func (m mutant) try(ctx context.Context, dir string) (noticed bool, err error) {
	source, err := os.ReadFile(m.File)
	if err != nil {
		return false, err
	}
	changed, err := m.apply(string(source))
	if err != nil {
		return false, err
	}
	path, err := filepath.Abs(m.File)
	if err != nil {
		return false, err
	}
	mutated, overlay := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		return false, err
	}
	if err := errors.Join(os.WriteFile(mutated, []byte(changed), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return false, err
	}
	test := exec.CommandContext(ctx, "go", "test", "-count", "1", "-timeout", timeout, "-run", m.Test, m.Package)
	test.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay) // also for programs that the test builds
	out, err := test.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return false, fmt.Errorf("no test of %s matches %s", m.Package, m.Test)
	case err == nil:
		return false, nil
	case !errors.As(err, &failed):
		return false, err
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return false, fmt.Errorf("%w\n%s", errBroken, out)
	}
	return true, nil
}
