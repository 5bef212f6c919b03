package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// A program takes an older dynoxide than tests do, so this one runs the program.
func TestEachEnginePrintsTheSameCosts(t *testing.T) {
	if !faults.Full() {
		t.Skip("it builds a program and starts two engines")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("no npm for the other engine")
	}
	program := filepath.Join(t.TempDir(), "quickstart")
	built, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", built)
	took := regexp.MustCompile(`Done in .*`)
	printed := map[string]string{}
	for _, name := range []string{"dynamodb-local", "dynoxide"} {
		run := exec.Command(program)
		run.Env = append(os.Environ(), "DYNAMODB_ENDPOINT=", "PLAZA_ENGINE="+name)
		out, err := run.Output()
		require.NoError(t, err, name)
		printed[name] = took.ReplaceAllString(string(out), "")
	}
	require.NotContains(t, printed["dynoxide"], "more than stated")
	require.Equal(t, printed["dynamodb-local"], printed["dynoxide"])
}
