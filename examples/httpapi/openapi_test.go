package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readDescription reads openapi.yaml once: checking it takes as long as many requests.
var readDescription = sync.OnceValues(func() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(description)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(loader.Context)
})

// held compares each request that is accepted, and each answer, with openapi.yaml.
func held(t *testing.T, api http.Handler) http.Handler {
	t.Helper()
	doc, err := readDescription()
	require.NoError(t, err)
	// 4XX is what any request may be answered with. These statuses say which request they are of.
	own := []int{http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests}
	options := &openapi3filter.Options{
		IncludeResponseStatus:             true,
		RejectWhenRequestBodyNotSpecified: true,
		SkipSettingDefaults:               true,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent bytes.Buffer
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &sent), r.Body}
		seen := &copied{ResponseWriter: w}
		api.ServeHTTP(seen, r)

		method, path, _ := strings.Cut(r.Pattern, " ")
		item := doc.Paths.Value(path)
		if item == nil || r.Method == http.MethodHead {
			return // refused before it had a route
		}
		operation := item.GetOperation(method)
		if slices.Contains(own, seen.status) {
			assert.NotNil(t, operation.Responses.Value(strconv.Itoa(seen.status)), "%s answers %d", r.Pattern, seen.status)
		}
		again := r.Clone(r.Context())
		again.Body, again.ContentLength = io.NopCloser(&sent), int64(sent.Len())
		asked := &openapi3filter.RequestValidationInput{
			Request: again, PathParams: map[string]string{}, Options: options,
			Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: operation},
		}
		for _, name := range pathNames(path) {
			asked.PathParams[name] = r.PathValue(name)
		}
		if seen.status < 300 {
			assert.NoError(t, openapi3filter.ValidateRequest(r.Context(), asked), r.Pattern)
		}
		answered := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: asked, Status: seen.status, Header: w.Header(), Options: options,
			Body: io.NopCloser(&seen.text),
		}
		assert.NoError(t, openapi3filter.ValidateResponse(r.Context(), answered), "%s answers %s", r.Pattern, seen.text.String())
	})
}

// copied keeps a copy of an answer.
type copied struct {
	http.ResponseWriter
	status int
	text   bytes.Buffer
}

func (c *copied) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copied) Write(text []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.text.Write(text)
	return c.ResponseWriter.Write(text)
}

func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// pathNames returns user and other for /users/{user}/following/{other}.
func pathNames(path string) (names []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// request is what routes.go and openapi.yaml say of one.
type request struct {
	status     int // of success; 0 where a handler sets it
	parameters []string
}

func TestTheDescriptionHasTheRoutes(t *testing.T) {
	t.Parallel()
	doc, err := readDescription()
	require.NoError(t, err)
	described := map[string]request{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			all := slices.Concat(item.Parameters, operation.Parameters)
			require.ElementsMatch(t, pathNames(path), parameters(all, "path"), path)
			r := request{parameters: parameters(all, "query")}
			for status := range operation.Responses.Map() {
				if n, err := strconv.Atoi(status); err == nil && n < 300 {
					r.status = n
				}
			}
			described[method+" "+path] = r
		}
	}
	routes := requests(t)
	require.Greater(t, len(routes), 35)
	require.ElementsMatch(t, slices.Collect(maps.Keys(routes)), slices.Collect(maps.Keys(described)))
	for pattern, r := range routes {
		if r.status != 0 {
			require.Equal(t, r.status, described[pattern].status, pattern)
			require.ElementsMatch(t, r.parameters, described[pattern].parameters, pattern)
		}
	}
}

func parameters(all openapi3.Parameters, where string) (names []string) {
	for _, p := range all {
		if p.Value.In == where {
			names = append(names, p.Value.Name)
		}
	}
	return names
}

// requests reads routes.go. It leaves out the description itself.
func requests(t *testing.T) map[string]request {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "routes.go", nil, 0)
	require.NoError(t, err)
	found := map[string]request{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		var r request
		texts := literals(t, call.Args)
		switch name := called(call); name {
		case "route":
			r = request{status: map[string]int{"StatusOK": 200, "StatusCreated": 201}[call.Args[1].(*ast.SelectorExpr).Sel.Name], parameters: texts[1:]}
			require.NotZero(t, r.status, texts[0])
		case "pages":
			r = request{status: 200, parameters: append(texts[1:], "limit", "cursor")}
		case "HandleFunc":
		default:
			return true
		}
		if texts[0] != "GET /openapi.yaml" {
			found[texts[0]] = r
		}
		return true
	})
	return found
}

// called is the name of a function or method.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func literals(t *testing.T, of []ast.Expr) (texts []string) {
	t.Helper()
	for _, e := range of {
		if literal, ok := e.(*ast.BasicLit); ok {
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			texts = append(texts, text)
		}
	}
	return texts
}

func theDescriptionIsServed(t *testing.T, w world) {
	res, err := w.Client().Get(w.URL + "/openapi.yaml")
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, "application/yaml", res.Header.Get("Content-Type"))
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, string(description), string(text))
}
