package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/otel"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/tables"
)

// board is what the tests read of otel/grafana.json.
type board struct {
	UID, Title    string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type string
			Query      any // of a datasource its kind, else an object
		}
	}
	Panels []struct {
		ID          int
		Type, Title string
		GridPos     struct{ H, W, X, Y int }
		Datasource  struct{ Type, UID string }
		Targets     []struct{ RefID, Expr, LegendFormat string }
	}
}

func readBoard(t *testing.T) (b board) {
	t.Helper()
	text, err := os.ReadFile("../../otel/grafana.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &b))
	return b
}

// exported returns the metrics of a day with faults, as the exporter for Prometheus names
// them, with their labels as "name" and as "name=value".
func exported(t *testing.T) map[string][]string {
	t.Helper()
	in, faulty := faults.New(t, 1, faults.Rates{}), map[string]faults.Kind{"Query": faults.Throttled, "BatchWriteItem": faults.Unprocessed}
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		defer delete(faulty, op)
		return faults.Fault{Kind: faulty[op]}
	})
	env := plazatest.Start(t, &plazatest.Options{
		Tables: tables.Names{Follow: "follow", Feed: "feed"}, Wrap: []func(aws.HTTPClient) aws.HTTPClient{in.Wrap},
	})
	registry := client.NewRegistry()
	reader, err := prometheus.New(prometheus.WithRegisterer(registry))
	require.NoError(t, err)
	opts := otel.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))}
	k, err := connect(env.Config, env.Tables, opts)
	require.NoError(t, err)
	require.NoError(t, day(t.Context(), k.Feeds))
	again := feed.Activity{ID: ids.At(time.Now()), Actor: feed.Ref{ID: "ann"}, Verb: "post", Object: feed.Ref{ID: "photo"}}
	for range 2 { // the repeat's condition does not hold
		_, _, err = k.Feeds.Outbox("ann").Publish(t.Context(), again)
		require.NoError(t, err)
	}
	o, err := otel.New(&opts)
	require.NoError(t, err)
	o.Corrupt(&plaza.CorruptError{Table: "feed"})
	o.Feed(feed.Attempt{Err: errors.New("no network")})
	o.Dead("bells")(stream.Dead{}, errors.New("no network"))

	families, err := registry.Gather()
	require.NoError(t, err)
	labels := map[string][]string{}
	for _, family := range families {
		suffixes := []string{""}
		if family.GetMetric()[0].GetHistogram() != nil {
			suffixes = []string{"_bucket", "_sum", "_count"}
		}
		for _, suffix := range suffixes {
			for _, m := range family.GetMetric() {
				for _, l := range m.GetLabel() {
					labels[family.GetName()+suffix] = append(labels[family.GetName()+suffix], l.GetName(), fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
				}
			}
		}
	}
	delete(labels, "target_info")
	return labels
}

var (
	quoted = regexp.MustCompile(`"[^"]*"|\[[^\]]*\]`)
	word   = regexp.MustCompile(`[a-zA-Z_]\w*`)
	braced = regexp.MustCompile(`{{\w+}}`) // a label, in a legend
	equal  = regexp.MustCompile(`\w+="[^"]+"`)
	part   = regexp.MustCompile(`_(bucket|sum|count)$`) // of a histogram

	// promQL are the words of its functions, and the label of a histogram's buckets.
	promQL = []string{"sum", "by", "rate", "histogram_quantile", "topk", "le"}
)

// Each word of a query is PromQL's, a metric that is exported or a label of that metric, whose
// values are exported too, and each metric is in a query.
func TestTheBoardAsksForWhatIsExported(t *testing.T) {
	t.Parallel()
	metrics := exported(t)
	shown := map[string]bool{}
	check := func(title, query string) {
		var of []string
		labels := equal.FindAllString(query, -1)
		for _, name := range word.FindAllString(quoted.ReplaceAllString(query, ""), -1) {
			if _, ok := metrics[name]; ok {
				of = append(of, name)
				shown[part.ReplaceAllString(name, "")] = true
			} else if !slices.Contains(promQL, name) {
				labels = append(labels, name)
			}
		}
		if assert.Len(t, of, 1, "%s: %s", title, query) {
			assert.Subset(t, metrics[of[0]], labels, "%s: %s", title, query)
		}
	}
	b := readBoard(t)
	for _, p := range b.Panels {
		for _, target := range p.Targets {
			check(p.Title, target.Expr+strings.Join(braced.FindAllString(target.LegendFormat, -1), ""))
		}
	}
	for _, v := range b.Templating.List {
		if query, ok := v.Query.(map[string]any); ok {
			check(v.Name, strings.TrimPrefix(query["query"].(string), "label_values"))
		}
	}
	for name := range metrics {
		assert.True(t, shown[part.ReplaceAllString(name, "")], "no panel shows %s", name)
	}
	require.Len(t, shown, 8)
}

// What Grafana demands of a board, as far as this is known without it.
func TestTheBoardIsComplete(t *testing.T) {
	t.Parallel()
	b := readBoard(t)
	require.NotEmpty(t, b.UID)
	require.NotEmpty(t, b.Title)
	require.GreaterOrEqual(t, b.SchemaVersion, 36, "datasources are objects since")
	require.Equal(t, "datasource", b.Templating.List[0].Type, "it is chosen first")
	require.Equal(t, "prometheus", b.Templating.List[0].Query)
	variables := []string{"__rate_interval"}
	for _, v := range b.Templating.List {
		variables = append(variables, v.Name)
	}
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range b.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		at := p.GridPos
		require.LessOrEqual(t, at.X+at.W, 24, p.Title)
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		require.Equal(t, "prometheus", p.Datasource.Type)
		require.Equal(t, "${datasource}", p.Datasource.UID)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			require.NotEmpty(t, target.RefID)
			for _, v := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(target.Expr, -1) {
				require.Contains(t, variables, v[1], p.Title)
			}
		}
	}
}
