package main

import (
	"bytes"
	"crypto/rand"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/examples/internal/samtest"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

var write = flag.Bool("write", false, "write tables.json")

// deployed are the tables of the service.
func deployed(of tables.Names) []tables.Table {
	return tables.Of(tables.Names{
		Machines: of.Machines, Follow: of.Follow, Feed: of.Feed, Comment: of.Comment, Reaction: of.Reaction, Leaderboard: of.Leaderboard,
	})
}

func TestTheTablesAreThoseOfTheFeatures(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	opts := &tables.Options{Roles: []tables.Role{tables.Service, tables.Worker}}
	require.NoError(t, tables.CloudFormation(&want, deployed(tables.NamesOf("photos-")), opts))
	if *write {
		require.NoError(t, os.WriteFile("tables.json", want.Bytes(), 0o644))
	}
	text, err := os.ReadFile("tables.json")
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text), "go test ./examples/lambda -write brings tables.json up to date")
}

func TestTheFunctionsAreBuiltAndGivenWhatTheyRead(t *testing.T) {
	t.Parallel()
	type environment struct{ Variables map[string]string }
	from := samtest.Read[struct {
		Globals struct {
			Function struct {
				Runtime, Handler string
				Environment      environment
			}
		}
		Resources map[string]struct {
			Metadata   struct{ BuildMethod string }
			Properties struct {
				TemplateURL string
				Policies    []string
				Environment environment
			}
		}
	}](t, "template.yaml")
	require.Equal(t, "provided.al2023", from.Globals.Function.Runtime)
	require.Equal(t, "bootstrap", from.Globals.Function.Handler)
	require.Equal(t, "photos-", from.Globals.Function.Environment.Variables["PREFIX"])
	require.Contains(t, from.Globals.Function.Environment.Variables, "CURSOR_SECRET")
	require.Equal(t, "tables.json", from.Resources["Tables"].Properties.TemplateURL)
	outputs := samtest.Read[struct{ Outputs map[string]any }](t, "tables.json").Outputs
	for resource, role := range map[string]string{"ApiFunction": "Service", "DeliverFunction": "Worker"} {
		f := from.Resources[resource]
		require.Equal(t, "go1.x", f.Metadata.BuildMethod)
		require.Equal(t, strings.ToLower(strings.TrimSuffix(resource, "Function")), f.Properties.Environment.Variables["JOB"])
		require.Equal(t, []string{"!GetAtt Tables.Outputs.All" + role + "PolicyArn"}, f.Properties.Policies)
		require.Contains(t, outputs, "All"+role+"PolicyArn")
	}
}

func TestTheRolesAllowWhatTheFunctionsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	services, err := lambdatest.Serve(t.Context(), w.env.Config, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, services.Close()) })
	cfg := w.env.Config
	endpoint := services.URL()
	cfg.BaseEndpoint = &endpoint
	w.service, err = open(dynamo.New(cfg), w.env.Tables, w, nil, w.now)
	require.NoError(t, err)
	for _, route := range []string{"PUT /following/ben", "PUT /photos/sea", "GET /home", "GET /board"} {
		require.Equal(t, 200, w.send(t, "ann", route, `{}`).Code, route)
	}
	samtest.Allowed(t, services.Calls(), deployed(w.env.Tables), tables.Service)

	before := services.Calls()
	follows, err := follow.New(w.env.DB, w.env.Tables.Follow, w, nil)
	require.NoError(t, err)
	slow, err := feed.New(w.env.DB, w.env.Tables.Feed, w, follows, &feed.Options{Now: w.now, InlineFollowers: -1}) // all wait for the schedule
	require.NoError(t, err)
	_, _, err = slow.Outbox("ben").Publish(t.Context(), feed.Activity{Actor: feed.Ref{ID: "ben"}, Verb: "post", ForeignID: "hill"})
	require.NoError(t, err)
	require.NoError(t, w.deliver(t.Context()))
	worked := services.Calls()
	require.Contains(t, w.send(t, "ann", "GET /home", "").Body.String(), "hill")
	maps.DeleteFunc(worked, func(c lambdatest.Call, _ bool) bool { return before[c] })
	samtest.Allowed(t, worked, deployed(w.env.Tables), tables.Worker)
}

// SAM_BUILD is where sam build wrote the functions.
func TestTheBuiltFunctionsHandleEvents(t *testing.T) {
	built := os.Getenv("SAM_BUILD")
	if built == "" {
		t.Skip("SAM_BUILD is not set")
	}
	env := plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Machines: "none"}})
	prefix := "photos-" + rand.Text() + "-"
	samtest.Create(t, env.Config, deployed(tables.NamesOf(prefix)))
	services, err := lambdatest.Serve(t.Context(), env.Config, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, services.Close()) })
	for resource, c := range map[string]struct{ event, answer string }{
		"ApiFunction":     {event("GET", "/home", "ben"), `"statusCode":200`},
		"DeliverFunction": {`{"detail-type":"Scheduled Event","source":"aws.events","detail":{}}`, "null"},
	} {
		settings := append(services.Env(), "PREFIX="+prefix, "JOB="+strings.ToLower(strings.TrimSuffix(resource, "Function")))
		start := func(settings []string) *lambdatest.Function {
			f, err := lambdatest.Start(filepath.Join(built, resource, "bootstrap"), settings, t.Output())
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, f.Close()) })
			return f
		}
		_, err := start(settings).Invoke(t.Context(), []byte(c.event))
		require.Error(t, err, "without its secret it does not start")
		answer, err := start(append(settings, "CURSOR_SECRET="+strings.Repeat("x", 32))).Invoke(t.Context(), []byte(c.event))
		require.NoError(t, err)
		require.Contains(t, string(answer), c.answer)
	}
}
