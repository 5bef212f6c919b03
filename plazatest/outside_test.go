package plazatest_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// outside is a module that requires plaza alone.
var outside = map[string]string{
	"follow_test.go": `package outside

import (
	"testing"

	"github.com/plaza-sdk/plaza/plazatest"
)

func TestFollow(t *testing.T) {
	env := plazatest.Start(t, nil)
	t.Log("endpoint", *env.Config.BaseEndpoint)
}
`,
	"backplane_test.go": `package outside

import (
	"testing"

	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/live/livetest"
)

func TestBackplane(t *testing.T) {
	livetest.Run(t, func(t *testing.T) livetest.Network {
		memory, err := live.NewMemory(&live.MemoryOptions{Keep: 10})
		if err != nil {
			t.Fatal(err)
		}
		return livetest.Network{Join: func() live.Backplane { return memory }, Keep: 10}
	})
}
`,
}

func TestAModuleOutsideStartsAnEngineThatEndsWithItsTests(t *testing.T) {
	t.Parallel()
	if !faults.Full() {
		t.Skip("it compiles every feature; CI runs it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range outside {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	// Its go.sum lets it load the same modules without asking anybody.
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600))
	module := "module example.com/outside\n\ngo 1.25.0\n\nrequire github.com/plaza-sdk/plaza v0.0.0\n\nreplace github.com/plaza-sdk/plaza => " + filepath.ToSlash(root) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600))

	test := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "./...")
	test.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DYNAMODB_ENDPOINT=") {
			test.Env = append(test.Env, v)
		}
	}
	test.Env = append(test.Env, "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := test.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestBackplane/")
	found := regexp.MustCompile(`endpoint (\S+)`).FindSubmatch(out)
	require.NotNil(t, found, "%s", out)
	endpoint, err := url.Parse(string(found[1]))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", endpoint.Host, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, time.Minute, 100*time.Millisecond, "the engine still answers")
}
