package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/kit.md quotes examples/photos. Whitespace may differ.
func TestTheCodeOfTheKitsPageIsThatOfPhotos(t *testing.T) {
	t.Parallel()
	plain := func(code string) string { return strings.Join(strings.Fields(code), " ") }
	files, err := filepath.Glob(root + "/examples/photos/*.go")
	require.NoError(t, err)
	var code strings.Builder
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			code.WriteString(plain(read(t, file)) + "\n")
		}
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(read(t, root+"/docs/kit.md"), -1)
	require.Greater(t, len(blocks), 3)
	for _, block := range blocks {
		require.Contains(t, code.String(), plain(block[1]))
	}
}
