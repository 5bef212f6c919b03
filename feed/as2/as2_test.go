package as2_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/as2"
)

// Files are only added to testdata. Beside a valid document is what Parse
// reads. The name of an invalid one begins with the refused field, up to the
// first dot, with '-' for ':'.
const vectors = "testdata"

func files(t testing.TB, dir string) map[string][]byte {
	paths, err := filepath.Glob(filepath.Join(vectors, dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	docs := map[string][]byte{}
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		require.NoError(t, err)
		docs[strings.TrimSuffix(filepath.Base(path), ".json")] = doc
	}
	return docs
}

// fieldsOf is an activity as text, one field a line.
func fieldsOf(a feed.Activity) string {
	var b strings.Builder
	for _, field := range []struct{ name, text string }{
		{"actor", a.Actor.String()}, {"verb", a.Verb}, {"object", a.Object.String()}, {"target", a.Target.String()},
		{"foreignId", a.ForeignID}, {"data", string(a.Data)},
	} {
		if field.text != "" {
			fmt.Fprintln(&b, field.name, field.text)
		}
	}
	if !a.Time.IsZero() {
		fmt.Fprintln(&b, "time", a.Time.Format(time.RFC3339Nano))
	}
	return b.String()
}

func TestValidVectors(t *testing.T) {
	t.Parallel()
	for name, doc := range files(t, "valid") {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(vectors, "valid", name+".txt"))
			require.NoError(t, err)
			require.Equal(t, string(want), fieldsOf(requireRoundTrip(t, doc)))
		})
	}
}

func TestInvalidVectors(t *testing.T) {
	t.Parallel()
	for name, doc := range files(t, "invalid") {
		t.Run(name, func(t *testing.T) {
			field, _, _ := strings.Cut(name, ".")
			_, err := as2.Parse(doc)
			require.NotErrorIs(t, err, as2.ErrNotActivity)
			requireRefused(t, err, strings.ReplaceAll(field, "-", ":"))
		})
	}
}

func requireRefused(t require.TestingT, err error, field string) {
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	require.Equal(t, field, invalid.Field, invalid.Reason)
}

// requireRoundTrip parses a document and formats it again. The result must have
// the same meaning and parse as the same activity.
func requireRoundTrip(t require.TestingT, doc []byte) feed.Activity {
	a, err := as2.Parse(doc)
	require.NoError(t, err)
	require.NoError(t, a.Validate(), "Publish takes it")
	printed, err := as2.Format(a)
	require.NoError(t, err)
	require.Equal(t, jsonOf(t, doc), jsonOf(t, printed))
	again, err := as2.Parse(printed)
	require.NoError(t, err)
	require.Equal(t, a, again)
	reprinted, err := as2.Format(again)
	require.NoError(t, err)
	require.Equal(t, string(printed), string(reprinted))
	return a
}

// jsonOf decodes a document, with numbers as they are written.
func jsonOf(t require.TestingT, doc []byte) (v any) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&v))
	return v
}

func TestFormatOfPlainActivities(t *testing.T) {
	t.Parallel()
	const alone, both = `"https://www.w3.org/ns/activitystreams"`, `["https://www.w3.org/ns/activitystreams",{"plaza":"https://github.com/plaza-sdk/plaza#"}]`
	john := feed.Ref{Kind: "https", ID: "//a.example/~john"}
	for name, tc := range map[string]struct {
		activity feed.Activity
		want     string
	}{
		"the README's": {
			feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "add", Object: feed.Ref{Kind: "picture", ID: "10"}, ForeignID: "picture:10", Data: []byte(`{"message":"Beautiful bird!"}`)},
			`{"@context":` + both + `,"plaza:foreignId":"picture:10","type":"Add","plaza:verb":"add","actor":"chris","object":"picture:10","plaza:data":{"message":"Beautiful bird!"}}`,
		},
		"all of the standard": {
			feed.Activity{Actor: john, Verb: "Create", Target: feed.Ref{Kind: "acct", ID: "j@a.example"}, ForeignID: "urn:1", Time: time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 3600))},
			`{"@context":` + alone + `,"id":"urn:1","type":"Create","actor":"https://a.example/~john","target":"acct:j@a.example","published":"2026-01-02T02:04:05.0000006Z"}`,
		},
		"a verb that AS2 does not know": {
			feed.Activity{Actor: john, Verb: "pin <b>"},
			`{"@context":` + both + `,"type":"Activity","plaza:verb":"pin <b>","actor":"https://a.example/~john"}`,
		},
		"a verb of two words": {
			feed.Activity{Actor: john, Verb: "tentativeAccept"},
			`{"@context":` + both + `,"type":"TentativeAccept","plaza:verb":"tentativeAccept","actor":"https://a.example/~john"}`,
		},
		"a verb that is an object's type": {
			feed.Activity{Actor: john, Verb: "Note"},
			`{"@context":` + both + `,"type":"Activity","plaza:verb":"Note","actor":"https://a.example/~john"}`,
		},
		"a verb that is another spelling": {
			feed.Activity{Actor: john, Verb: "as:Note"},
			`{"@context":` + both + `,"type":"Activity","plaza:verb":"as:Note","actor":"https://a.example/~john"}`,
		},
		"a verb that is an IRI": {
			feed.Activity{Actor: john, Verb: "https://verbs.example/Check"},
			`{"@context":` + alone + `,"type":"https://verbs.example/Check","actor":"https://a.example/~john"}`,
		},
		"references that are no IRIs": {
			feed.Activity{Actor: feed.Ref{ID: "Sally \"S\""}, Verb: "Like", Object: feed.Ref{Kind: "_", ID: "0"}, Target: feed.Ref{Kind: "1", ID: "2"}},
			`{"@context":` + both + `,"type":"Like","actor":{"plaza:ref":"Sally \"S\""},"object":{"plaza:ref":"_:0"},"target":{"plaza:ref":"1:2"}}`,
		},
		"null": {
			feed.Activity{Actor: john, Verb: "Like", Data: []byte("null")},
			`{"@context":` + both + `,"type":"Like","actor":"https://a.example/~john","plaza:data":null}`,
		},
		"a foreign id that is the target's": {
			feed.Activity{Actor: john, Verb: "Like", Target: feed.Ref{Kind: "urn", ID: "1"}, ForeignID: "urn:1"},
			`{"@context":` + both + `,"plaza:foreignId":"urn:1","type":"Like","actor":"https://a.example/~john","target":"urn:1"}`,
		},
		"a foreign id that is the actor's": {
			feed.Activity{Actor: john, Verb: "Join", ForeignID: "https://a.example/~john"},
			`{"@context":` + both + `,"plaza:foreignId":"https://a.example/~john","type":"Join","actor":"https://a.example/~john"}`,
		},
		"an AS2 object as data": {
			feed.Activity{Actor: john, Verb: "Like", Data: []byte(`{"@context":` + alone + `,"type":"Note","id":"urn:2"}`)},
			`{"@context":` + both + `,"type":"Like","actor":"https://a.example/~john","plaza:data":{"@context":` + alone + `,"type":"Note","id":"urn:2"}}`,
		},
		"as2 among data": {
			feed.Activity{Actor: john, Verb: "Like", Data: []byte(`{"as2":{},"a":1}`)},
			`{"@context":` + both + `,"type":"Like","actor":"https://a.example/~john","plaza:data":{"as2":{},"a":1}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := as2.Format(tc.activity)
			require.NoError(t, err)
			require.Equal(t, tc.want, string(doc))
			if !tc.activity.Time.IsZero() {
				tc.activity.Time = tc.activity.Time.UTC()
			}
			require.Equal(t, tc.activity, requireRoundTrip(t, doc))
		})
	}
}

func TestEveryActivityIsReadBack(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(
		rapid.SampledFrom([]string{"chris", "10", "//a.example/~john", "Add", "like", "urn:1", "as:Like", "a b", "_", "x:", "é/ü", "\ufffd", "\x7f", "</script>"}),
		rapid.StringN(1, 10, 256),
	)
	ref := rapid.Custom(func(t *rapid.T) feed.Ref {
		ref := feed.Ref{Kind: strings.ReplaceAll(rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{"https", "user", "_", "1"}), name).Draw(t, "kind"), ":", ""), ID: name.Draw(t, "id")}
		if ref.Kind == "" {
			ref.ID = strings.ReplaceAll(ref.ID, ":", "_")
		}
		return ref
	})
	rapid.Check(t, func(t *rapid.T) {
		a := feed.Activity{
			Actor: ref.Draw(t, "actor"), Verb: name.Draw(t, "verb"),
			Object: rapid.OneOf(rapid.Just(feed.Ref{}), ref).Draw(t, "object"), Target: rapid.OneOf(rapid.Just(feed.Ref{}), ref).Draw(t, "target"),
			ForeignID: rapid.OneOf(rapid.Just(""), name).Draw(t, "foreign id"),
		}
		if rapid.Bool().Draw(t, "timed") {
			a.Time = time.Unix(rapid.Int64Range(-60e9, 250e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
		}
		if rapid.Bool().Draw(t, "with data") {
			a.Data, _ = json.Marshal(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "data"))
		}
		doc, err := as2.Format(a)
		require.NoError(t, err)
		require.Equal(t, a, requireRoundTrip(t, doc))
	})
}

func TestChangedFieldsReplaceTheDocuments(t *testing.T) {
	t.Parallel()
	const doc = `{"@context":"http://www.w3.org/ns/activitystreams","id":"urn:1","type":["Like","x:y"],
		"actor":{"id":"https://a.example","name":"A"},"object":{"id":"urn:2","name":"B"},"target":[{"name":"T"}],
		"published":"2026-01-02T03:04Z","summary":"kept"}`
	a, err := as2.Parse([]byte(doc))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		change func(*feed.Activity)
		old    string
		with   string
	}{
		"actor":     {func(a *feed.Activity) { a.Actor = feed.Ref{Kind: "https", ID: "//b.example"} }, `"actor":{"id":"https://a.example","name":"A"}`, `"actor":"https://b.example"`},
		"verb":      {func(a *feed.Activity) { a.Verb = "Dislike" }, `"type":["Like","x:y"]`, `"type":"Dislike"`},
		"object":    {func(a *feed.Activity) { a.Object = feed.Ref{} }, `"object":{"id":"urn:2","name":"B"},`, ``},
		"target":    {func(a *feed.Activity) { a.Target = feed.Ref{ID: "t"} }, `"target":[{"name":"T"}]`, `"target":"t"`},
		"foreignId": {func(a *feed.Activity) { a.ForeignID = "" }, `"id":"urn:1",`, ``},
		"time":      {func(a *feed.Activity) { a.Time = a.Time.Add(time.Minute) }, `03:04Z`, `03:05:00Z`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := a
			tc.change(&changed)
			printed, err := as2.Format(changed)
			require.NoError(t, err)
			require.Contains(t, doc, tc.old)
			require.JSONEq(t, strings.Replace(doc, tc.old, tc.with, 1), string(printed))
			again := requireRoundTrip(t, printed)
			changed.Data, again.Data = nil, nil
			require.Equal(t, changed, again)
		})
	}
}

func TestChangedFieldsDeclareThePrefix(t *testing.T) {
	t.Parallel()
	const plazaPrefix = `{"plaza":"https://github.com/plaza-sdk/plaza#"}`
	for context, want := range map[string]string{
		``: `["https://www.w3.org/ns/activitystreams",` + plazaPrefix + `]`,
		`"@context":"http://www.w3.org/ns/activitystreams",`:                        `["http://www.w3.org/ns/activitystreams",` + plazaPrefix + `]`,
		`"@context":["https://www.w3.org/ns/activitystreams",{"x":"urn:x"}],`:       `["https://www.w3.org/ns/activitystreams",{"x":"urn:x"},` + plazaPrefix + `]`,
		`"@context":["https://www.w3.org/ns/activitystreams",` + plazaPrefix + `],`: `["https://www.w3.org/ns/activitystreams",` + plazaPrefix + `]`,
	} {
		a, err := as2.Parse([]byte(`{` + context + `"type":"Like","actor":"https://a.example","summary":"kept"}`))
		require.NoError(t, err)
		a.Verb = "pin"
		printed, err := as2.Format(a)
		require.NoError(t, err)
		assert.Equal(t, `{"@context":`+want+`,"type":"Activity","plaza:verb":"pin","actor":"https://a.example","summary":"kept"}`, string(printed))
		assert.Equal(t, "pin", requireRoundTrip(t, printed).Verb)
	}
}

func TestADocumentThatIsNotAnActivityIsRefused(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{}`,
		`{"type":"Note","actor":"https://a.example"}`,
		`{"type":["Person","https://types.example/Admin"],"actor":"https://a.example"}`,
		`{"type":"https://types.example/Foo"}`,
		`{"type":"Foo","actor":[]}`,
		`{"actor":"https://a.example","object":"urn:1"}`,
		`{"type":null,"actor":"https://a.example"}`,
		`{"type":"as:Note","actor":"https://a.example"}`,
		`{"type":"Link","href":"https://a.example"}`,
	} {
		_, err := as2.Parse([]byte(doc))
		require.ErrorIs(t, err, as2.ErrNotActivity, doc)
		require.ErrorIs(t, err, plaza.ErrInvalid, doc)
		require.NotErrorAs(t, err, new(*plaza.InvalidError), doc)
	}
	_, err := as2.Parse([]byte(`{"type":"Note","name":{"en":"as in a draft"}}`))
	require.ErrorIs(t, err, as2.ErrNotActivity)
	requireRefused(t, err, "name")
}

func TestActorsWithoutAnIRIDiffer(t *testing.T) {
	t.Parallel()
	seen := map[feed.Ref]string{}
	for _, actor := range []string{
		`{}`, `{"name":"Sally"}`, `{"name":"Sally","x":[]}`, `{"name":"Sally","x":[[]]}`, `{"name":"Sally","x":{}}`, `{"name":"Sally","x":null}`,
		`{"name":"Sally","x":"null"}`, `{"x":"Sally","name":"x"}`, `{"x":["a","b"]}`, `{"x":["b","a"]}`, `{"x":["ab"]}`, `{"x":{"a":"b"}}`, `{"x":{"b":"a"}}`, `{"x":1}`, `{"x":"1"}`, `{"x":1.0}`,
	} {
		a, err := as2.Parse([]byte(`{"type":"Like","actor":` + actor + `}`))
		require.NoError(t, err)
		require.Equal(t, "_", a.Actor.Kind)
		require.Empty(t, seen[a.Actor], actor)
		seen[a.Actor] = actor
	}
}

// The test is not parallel, because it measures the memory of the process.
func TestLargeAndDeepDocumentsAreRefusedCheaply(t *testing.T) {
	nested := func(depth int) string {
		return `{"type":"Like","actor":"urn:1","object":` + strings.Repeat(`{"object":`, depth-1) + `{}` + strings.Repeat("}", depth)
	}
	for name, tc := range map[string]struct {
		doc   string
		field string
	}{
		"2 MiB":                 {`{"type":"Like","actor":"urn:1","x":"` + strings.Repeat("x", 2<<20) + `"}`, "Document"},
		"10,000 deep":           {nested(10_000), "Document"},
		"101 deep":              {nested(100), "Document"},
		"unclosed":              {strings.Repeat("[", as2.MaxDocument), "Document"},
		"1 MiB of members":      {`{"type":"Like","actor":"urn:1"` + strings.Repeat(`,"":0`, as2.MaxDocument/6) + `}`, "Document"},
		"1 MiB of elements":     {`{"type":"Like","actor":"urn:1","x":[0` + strings.Repeat(`,0`, as2.MaxDocument/2-50) + `]}`, "Activity"},
		"more than an activity": {`{"type":"Like","actor":"urn:1","x":"` + strings.Repeat("x", feed.MaxActivity) + `"}`, "Activity"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := as2.Parse([]byte(tc.doc))
			runtime.ReadMemStats(&after)
			requireRefused(t, err, tc.field)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
	requireRoundTrip(t, []byte(nested(99)))
	a := requireRoundTrip(t, []byte(`{"type":"Like","actor":"urn:1","x":"`+strings.Repeat("x", feed.MaxActivity-40)+`"}`))
	require.Greater(t, len(a.Data), feed.MaxActivity-40)
}

func TestFormatRefusesInvalidActivities(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		field string
		data  string
	}{
		"no JSON":                   {"Data", `{`},
		"twice":                     {"Data", `{"a":1,"a":2}`},
		"deep":                      {"Data", strings.Repeat("[", as2.MaxDepth) + strings.Repeat("]", as2.MaxDepth)},
		"kept, no AS2":              {"Data", `{"as2":{"name":1}}`},
		"kept, draft":               {"Data", `{"as2":{"name":{"en":"x"}}}`},
		"kept, context":             {"Data", `{"as2":{"@context":"http://schema.org"}}`},
		"kept, type":                {"Data", `{"as2":{"type":"Note"}}`},
		"kept, nested deep":         {"Data", `{"as2":{"x":` + strings.Repeat("[", as2.MaxDepth) + strings.Repeat("]", as2.MaxDepth) + `}}`},
		"larger than Publish takes": {"Activity", `"` + strings.Repeat("x", feed.MaxActivity) + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := as2.Format(feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "Like", Data: []byte(tc.data)})
			requireRefused(t, err, tc.field)
		})
	}
	_, err := as2.Format(feed.Activity{Verb: "Like"})
	requireRefused(t, err, "Actor.ID")

	const deep = as2.MaxDepth - 1
	doc, err := as2.Format(feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "Like", Data: []byte(strings.Repeat("[", deep) + strings.Repeat("]", deep))})
	require.NoError(t, err)
	requireRoundTrip(t, doc)
}
