package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const design = "../../docs/design/"

var (
	folderOfMap = regexp.MustCompile(`^\| \*\*(.+?)\*\* \|`)
	nameInMap   = regexp.MustCompile("`([^`]+)`")
)

// Every file that the maps of docs/design name exists.
func TestTheMapsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(design + "*.md")
	require.NoError(t, err)
	named := 0
	for _, page := range pages {
		_, table, _ := strings.Cut(read(t, page), "\n## Files\n")
		table, _, _ = strings.Cut(table, "\n## ")
		named += filesOf(t, page, table)
	}
	require.Greater(t, named, 150)
}

// filesOf looks up the files that a map names, and returns how many these are.
func filesOf(t *testing.T, page, table string) (named int) {
	t.Helper()
	folder := ""
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		if found := folderOfMap.FindStringSubmatch(line); found != nil {
			folder = ""
			if strings.HasSuffix(found[1], "/") {
				folder = found[1]
				assert.DirExists(t, filepath.Join(root, folder))
			}
			continue
		}
		for _, found := range nameInMap.FindAllStringSubmatch(cells[2], -1) {
			if !strings.ContainsAny(found[1], "./") || strings.ContainsAny(found[1], " :") { // a function, a command
				continue
			}
			path := filepath.Join(root, folder, found[1])
			if strings.HasPrefix(found[1], "internal/") || strings.HasPrefix(found[1], "docs/") {
				path = filepath.Join(root, found[1])
			}
			_, err := os.Stat(path)
			assert.NoError(t, err, "%s, %s", page, folder)
			named++
		}
	}
	return named
}

func TestTheCoreOfTheDesignIsShort(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(read(t, design+"README.md")), 20<<10)
}

// Every relative link of the pages leads to a file and, behind a #, to one of
// its headings.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	decisions, err := filepath.Glob(design + "*.md")
	require.NoError(t, err)
	pages = append(pages, decisions...)
	pages = append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../SECURITY.md")
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
			path, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			_, err := os.Stat(target)
			if assert.NoError(t, err, "%s links to %s", page, found[1]) && anchor != "" {
				assert.Contains(t, anchors(read(t, target)), anchor, "%s links to %s", page, found[1])
			}
		}
	}
}

// anchors returns the headings of a page in the form that links use.
func anchors(text string) (names []string) {
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line {
			title = strings.ToLower(strings.TrimSpace(title))
			title = regexp.MustCompile(`[^\w -]`).ReplaceAllString(title, "")
			names = append(names, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return names
}

func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(read(t, "../../README.md")), 9<<10)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
