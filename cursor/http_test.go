package cursor_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

func TestAQueryAsksForAPage(t *testing.T) {
	t.Parallel()
	ten := &cursor.QueryOptions{Default: 5, Most: 10}
	for query, c := range map[string]struct {
		opts *cursor.QueryOptions
		want cursor.PageRequest
	}{
		"":                                    {nil, cursor.PageRequest{Limit: cursor.DefaultLimit}},
		"limit=&cursor=":                      {nil, cursor.PageRequest{Limit: cursor.DefaultLimit}},
		"limit=1":                             {nil, cursor.PageRequest{Limit: 1}},
		"limit=100&cursor=x":                  {nil, cursor.PageRequest{Limit: 100, Cursor: "x"}},
		"other=1&other=2":                     {ten, cursor.PageRequest{Limit: 5}},
		"limit=10":                            {ten, cursor.PageRequest{Limit: 10}},
		"cursor=a":                            {&cursor.QueryOptions{Most: 10}, cursor.PageRequest{Limit: 10, Cursor: "a"}},
		"limit=500":                           {&cursor.QueryOptions{Most: 500}, cursor.PageRequest{Limit: 500}},
		"cursor=" + strings.Repeat("x", 4096): {nil, cursor.PageRequest{Limit: cursor.DefaultLimit, Cursor: cursor.Cursor(strings.Repeat("x", 4096))}},
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		got, err := cursor.ParseQuery(values, c.opts)
		require.NoError(t, err, query)
		require.Equal(t, c.want, got, query)
	}
}

func TestABadQueryIsRefusedByItsField(t *testing.T) {
	t.Parallel()
	for query, c := range map[string]struct {
		opts  *cursor.QueryOptions
		field string
	}{
		"limit=0":                             {nil, "Limit"},
		"limit=-1":                            {nil, "Limit"},
		"limit=101":                           {nil, "Limit"},
		"limit=11":                            {&cursor.QueryOptions{Most: 10}, "Limit"},
		"limit=x":                             {nil, "Limit"},
		"limit=1.5":                           {nil, "Limit"},
		"limit=%2B5":                          {nil, "Limit"},
		"limit=05":                            {nil, "Limit"},
		"limit=" + strings.Repeat("9", 9999):  {nil, "Limit"},
		"limit=5&limit=5":                     {nil, "Limit"},
		"cursor=a&cursor=":                    {nil, "Cursor"},
		"cursor=" + strings.Repeat("x", 4097): {nil, "Cursor"},
		"":                                    {&cursor.QueryOptions{Most: -1}, "Most"},
		"cursor=a":                            {&cursor.QueryOptions{Default: 11, Most: 10}, "Default"},
		"cursor=b":                            {&cursor.QueryOptions{Default: -1}, "Default"},
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		got, err := cursor.ParseQuery(values, c.opts)
		require.ErrorIs(t, err, plaza.ErrInvalid, query)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, query)
		require.Equal(t, c.field, invalid.Field, query)
		require.Zero(t, got)
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, query := range []string{"", "limit=10&cursor=x", "limit=-1", "limit=&cursor=", "limit=5&limit=5", "cursor=%00%ff"} {
		f.Add(query, 10)
	}
	f.Fuzz(func(t *testing.T, query string, most int) {
		values, _ := url.ParseQuery(query) // as URL.Query, which drops what is malformed
		req, err := cursor.ParseQuery(values, &cursor.QueryOptions{Most: most})
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
			return
		}
		require.Positive(t, req.Limit)
		if most > 0 {
			require.LessOrEqual(t, req.Limit, most)
		}
		require.Equal(t, values.Get("cursor"), string(req.Cursor))
		again, err := cursor.ParseQuery(url.Values{"limit": {strconv.Itoa(req.Limit)}, "cursor": {string(req.Cursor)}}, &cursor.QueryOptions{Most: most})
		require.NoError(t, err)
		require.Equal(t, req, again)
	})
}

func TestAPageIsWrittenAsJSON(t *testing.T) {
	t.Parallel()
	for want, page := range map[string]cursor.Page[json.RawMessage]{
		`{"items":[]}`:                          {},
		`{"items":[],"prev":"c"}`:               {Items: []json.RawMessage{}, Prev: "c"},
		`{"items":[1,2],"next":"n","prev":"p"}`: {Items: []json.RawMessage{[]byte("1"), []byte("2")}, Next: "n", Prev: "p"},
		`{"items":[{"a":"<&>"}]}`:               {Items: []json.RawMessage{[]byte(`{"a":"<&>"}`)}},
	} {
		w := httptest.NewRecorder()
		require.NoError(t, cursor.WritePage(w, page))
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"))
		require.Equal(t, want+"\n", w.Body.String())
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) MarshalJSON() ([]byte, error) { return nil, errBroken }

func TestAPageThatCannotBeEncodedWritesNothing(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	err := cursor.WritePage(w, cursor.Page[any]{Items: []any{1, broken{}}})
	require.ErrorIs(t, err, errBroken)
	require.Empty(t, w.Header())
	require.Empty(t, w.Body.String())
	http.Error(w, "no page", http.StatusInternalServerError)
	require.Equal(t, http.StatusInternalServerError, w.Code)
}

// gone is a client that has gone.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }

func TestAClientThatHasGoneIsNoError(t *testing.T) {
	t.Parallel()
	require.NoError(t, cursor.WritePage(gone{httptest.NewRecorder()}, cursor.Page[int]{}))
}
