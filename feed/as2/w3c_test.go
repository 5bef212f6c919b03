package as2_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/as2"
)

// w3cExamples are the W3C's test documents, which are next to the checkout.
func w3cExamples(t testing.TB) map[string][]byte {
	const path = "../../../shared/data/activitystreams/as2-examples.tar.gz"
	f, err := os.Open(filepath.FromSlash(path))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no ../shared/data/activitystreams/as2-examples.tar.gz beside the checkout")
	}
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	docs := map[string][]byte{}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return docs
		}
		require.NoError(t, err)
		if header.Typeflag == tar.TypeReg && strings.HasSuffix(header.Name, ".json") {
			docs[strings.TrimSuffix(strings.TrimPrefix(header.Name, "./"), ".json")], err = io.ReadAll(files)
			require.NoError(t, err)
		}
	}
}

func TestExamplesOfW3C(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"vocabulary-ex196-jsonld": "Document", // a line break in a string

		"fail/array-at-top":                            "Document",
		"fail/number-at-top":                           "Document",
		"fail/bad-character-set":                       "Document",
		"fail/number-as-context":                       "@context",
		"fail/other-context":                           "@context",
		"fail/number-as-id":                            "id",
		"fail/number-as-type":                          "type",
		"fail/number-as-object":                        "object",
		"fail/number-as-content":                       "content",
		"fail/name-as-namemap":                         "nameMap",
		"fail/namemap-as-name":                         "name",
		"fail/content-map-with-invalid-language-tag":   "contentMap",
		"fail/relative-uri-for-url":                    "url",
		"fail/ordered-collection-with-non-page-first":  "first",
		"fail/unordered-collection-with-ordered-items": "orderedItems",
	}
	// These have what fail/namemap-as-name is refused for.
	draft := []string{"simple0011", "simple0012"}

	counts := map[string]int{}
	for name, doc := range w3cExamples(t) {
		_, err := as2.Parse(doc)
		var invalid *plaza.InvalidError
		isInvalid := errors.As(err, &invalid)
		switch {
		case err == nil:
			counts["activity"]++
			requireRoundTrip(t, doc)
		case refused[name] != "":
			counts["refused"]++
			if assert.True(t, isInvalid, name) {
				assert.Equal(t, refused[name], invalid.Field, name)
			}
		case errors.Is(err, as2.ErrNotActivity):
			counts["no activity"]++
			assert.Equal(t, isInvalid, slices.Contains(draft, name), name)
		case isInvalid && invalid.Field == "actor":
			counts["without actor"]++
			assert.Equal(t, "Question", jsonOf(t, doc).(map[string]any)["type"], name)
		default:
			t.Errorf("%s: %v", name, err)
		}
	}
	assert.Equal(t, map[string]int{"activity": 48, "no activity": 103, "without actor": 8, "refused": 16}, counts)
}
