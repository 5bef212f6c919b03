package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func TestThePageListsEachDifferenceThatATestNeeds(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, part := range strings.Split(string(text), "Differs(t, \"")[1:] {
			name, _, _ := strings.Cut(part, `"`)
			asked[name] = true
		}
		return err
	}))
	rows := "|---|---|---|\n"
	for _, d := range dynamotest.Differences() {
		require.Contains(t, asked, d.Name, "no test asks for it any more: delete it")
		rows += fmt.Sprintf("| %s | %s | %s |\n", d.Engine, d.Name, d.Means)
	}
	require.LessOrEqual(t, len(dynamotest.Differences()), 40)

	const page = root + "/docs/engines.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, after, ok := strings.Cut(string(text), "|---|---|---|\n")
	require.True(t, ok)
	_, after, _ = strings.Cut(after, "\n\n")
	want := before + rows + "\n" + strings.TrimLeft(after, "\n")
	if *write {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./internal/docs -write brings docs/engines.md up to date")
}
