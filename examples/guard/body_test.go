package guard

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

type outer struct {
	Name  string          `json:"name"`
	Count *int            `json:"count"`
	Inner *inner          `json:"inner"`
	List  []inner         `json:"list"`
	Data  json.RawMessage `json:"data"`
	shared
}

type inner struct {
	ID string `json:"id"`
}

type shared struct {
	Text   string `json:"text"`
	Hidden string `json:"-"`
	Plain  string
}

func post(t *testing.T, kind string, body io.Reader) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
	r.Header.Set("Content-Type", kind)
	return r
}

func TestABodyIsReadIntoItsStruct(t *testing.T) {
	t.Parallel()
	var got outer
	text := ` {"name":"n","count":3,"inner":{"id":"i"},"list":[{"id":"a"},{"id":"b"}],"data":{"a":1,"A":2,"b":[{"a":1e999},{"a":2}]},"text":"t"} `
	require.NoError(t, ReadJSON(post(t, "Application/JSON; charset=utf-8", strings.NewReader(text)), &got))
	three := 3
	require.Equal(t, outer{
		Name: "n", Count: &three, Inner: &inner{"i"}, List: []inner{{"a"}, {"b"}},
		Data: json.RawMessage(`{"a":1,"A":2,"b":[{"a":1e999},{"a":2}]}`), shared: shared{Text: "t"},
	}, got)
}

func TestAnInvalidBodyIsRefused(t *testing.T) {
	t.Parallel()
	nested := func(n int, inside string) string {
		return `{"data":` + strings.Repeat(`[`, n) + inside + strings.Repeat(`]`, n) + `}`
	}
	long := strings.Repeat("é", 10_000)
	for name, c := range map[string]struct {
		body, field string
		reason      string // a part of the reason
	}{
		"nothing":                   {"", "body", "not JSON"},
		"half":                      {`{"name":`, "body", "not JSON"},
		"more":                      {`{"name":"n"}{}`, "body", "not JSON"},
		"more, of no JSON":          {`{"name":"n"} x`, "body", "not JSON"},
		"no UTF-8":                  {"{\"name\":\"\xff\"}", "body", "UTF-8"},
		"a list":                    {`[{"name":"n"}]`, "body", "array"},
		"a text":                    {`"name"`, "body", "string"},
		"twice":                     {`{"name":"a","text":"t","name":"b"}`, "name", "twice"},
		"twice, escaped":            {`{"name":"a","n\u0061me":"b"}`, "name", "twice"},
		"twice, the same":           {`{"name":"a","name":"a"}`, "name", "twice"},
		"twice inside":              {`{"inner":{"id":"a","id":"b"}}`, "inner.id", "twice"},
		"twice in a list":           {`{"list":[{"id":"a"},{"id":"b","id":"c"}]}`, "list[1].id", "twice"},
		"twice in data":             {`{"data":{"x":[[0,{"":1,"":2}]]}}`, "data.x[0][1].", "twice"},
		"twice, of those it shares": {`{"text":"a","text":"b"}`, "text", "twice"},
		"unknown":                   {`{"name":"a","other":1}`, "body", `"other"`},
		"unknown inside":            {`{"inner":{"other":1}}`, "body", `"inner.other"`},
		"unknown in a list":         {`{"list":[{"other":1}]}`, "body", `"list[0].other"`},
		"otherwise spelled":         {`{"Name":"a"}`, "body", `"Name"`},
		"folded":                    {"{\"li\u017ft\":[]}", "body", "unknown"},
		"the name in Go":            {`{"Hidden":"a"}`, "body", "unknown"},
		"the embedded":              {`{"shared":{"text":"a"}}`, "body", "unknown"},
		"33 levels":                 {nested(32, ""), "body", "32 levels"},
		"33 levels, an object":      {nested(31, `{}`), "body", "32 levels"},
		"20,000 levels":             {nested(20_000, ""), "body", "nested too deep"},
		"a number for a text":       {`{"name":1}`, "name", "number"},
		"a text inside":             {`{"inner":{"id":[]}}`, "inner.id", "array"},
		"a number for its own":      {`{"text":1}`, "text", "number"},
		"half a number":             {`{"count":0.5}`, "count", "0.5"},
		"a long name":               {`{"` + long + `":1}`, "body", "unknown"},
	} {
		var into outer
		err := ReadJSON(post(t, "application/json", strings.NewReader(c.body)), &into)
		var refused *RefusedError
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, http.StatusBadRequest, refused.Status, name)
		require.Equal(t, c.field, refused.Field, name)
		require.Contains(t, refused.Reason, c.reason, name)
		require.Less(t, len(refused.Reason), 200, name)
	}
	require.NoError(t, ReadJSON(post(t, "application/json", strings.NewReader(nested(31, `"[{"`))), &outer{}))
}

func TestABodyOfAnotherKindIsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "text/plain", "text/plain; application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json5", "application/json text/plain", ";"} {
		require.Equal(t, http.StatusUnsupportedMediaType, status(ReadJSON(post(t, kind, strings.NewReader(`{}`)), &outer{})), kind)
	}
}

func TestATooLargeOrUnreadableBodyIsRefused(t *testing.T) {
	t.Parallel()
	large := post(t, "application/json", strings.NewReader(`{"name":"`+strings.Repeat("x", 100)+`"}`))
	large.Body = http.MaxBytesReader(httptest.NewRecorder(), large.Body, 100)
	require.Equal(t, http.StatusRequestEntityTooLarge, status(ReadJSON(large, &outer{})))
	cut := post(t, "application/json", iotest.ErrReader(errors.New("cut")))
	require.Equal(t, http.StatusRequestTimeout, status(ReadJSON(cut, &outer{})))
}

// The path of each of 100,000 elements would be 16 KB.
func TestALongNameBeforeManyElementsIsNotCopiedForEach(t *testing.T) { // not parallel: it counts bytes
	body := `{"data":{"` + strings.Repeat("x", 16<<10) + `":[` + strings.Repeat("1,", 100_000) + `1]}}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, ReadJSON(post(t, "application/json", strings.NewReader(body)), &outer{}))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
}
