package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheTourInTheDocsIsAnsweredAsItSays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/http.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n## A service over it\n")
	require.True(t, ok)
	_, block, ok := strings.Cut(section, "```sh\ncurl ")
	require.True(t, ok)
	block, _, _ = strings.Cut("curl "+block, "```")

	w := newWorld(t)
	calls := strings.Split(strings.TrimSpace(block), "\n\n")
	require.Len(t, calls, 13)
	anID := regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{12}\b`)
	given := map[string]string{} // from the tour's ids to this run's
	ours := func(text string) string {
		return anID.ReplaceAllStringFunc(text, func(id string) string { return cmp.Or(given[id], id) })
	}
	for _, call := range calls {
		command, printed, ok := strings.Cut(call, "\n# ")
		require.True(t, ok, call)
		status, printed, _ := strings.Cut(strings.ReplaceAll(printed, "\n#", "\n"), " ")

		got := w.curl(t, words(ours(command)))
		require.Equal(t, status, strconv.Itoa(got.status), command)
		want, have := normal(t, printed), normal(t, got.text)
		fresh := anID.FindAllString(have, -1)
		for i, id := range anID.FindAllString(want, len(fresh)) {
			given[id] = cmp.Or(given[id], fresh[i])
		}
		require.Equal(t, ours(want), have, command)
	}
}

// words splits a shell command. It knows single quotes.
func words(command string) (words []string) {
	for _, word := range regexp.MustCompile(`(?:[^\s']|'[^']*')+`).FindAllString(strings.ReplaceAll(command, "\\\n", " "), -1) {
		words = append(words, strings.ReplaceAll(word, "'", ""))
	}
	return words
}

// curl sends the request that curl would send.
func (w world) curl(t *testing.T, words []string) answer {
	t.Helper()
	var url, method, body string
	contentType := "application/x-www-form-urlencoded"
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-X":
			i++
			method = words[i]
		case "-d":
			i++
			body = words[i]
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			require.Equal(t, "Content-Type", name)
			contentType = value
		default:
			require.Empty(t, url)
			url = words[i]
		}
	}
	if method == "" {
		method = http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
	}
	path, ok := strings.CutPrefix(url, "localhost:8080")
	require.True(t, ok, url)
	return w.sendAs(t, contentType, method, path, body)
}

// normal returns JSON without what differs from run to run: times, cursors, and whether a
// notification is of the last seconds.
func normal(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, []byte(text)), text)
	normal := regexp.MustCompile(`,"recent":\[[^]]*\]`).ReplaceAllString(b.String(), "")
	normal = regexp.MustCompile(`#\d{4}-\d\d-\d\d"`).ReplaceAllString(normal, `#DAY"`)
	for kind, pattern := range map[string]string{
		"TIME":   `"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`,
		"CURSOR": `"Ag[\w-]{40,98}"`,
	} {
		normal = regexp.MustCompile(pattern).ReplaceAllString(normal, `"`+kind+`"`)
	}
	return normal
}
