package main

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/samtest"
	"github.com/plaza-sdk/plaza/tables"
)

var write = flag.Bool("write", false, "write tables.json")

// template is what these tests read of template.yaml.
type template struct {
	Globals struct {
		Function struct {
			Runtime, Handler string
			Environment      struct{ Variables map[string]string }
		}
	}
	Resources map[string]struct {
		Type       string
		Metadata   struct{ BuildMethod string }
		Properties struct {
			CodeURI     string `json:"CodeUri"`
			TemplateURL string
			Timeout     int
			Policies    []string
			Environment struct{ Variables map[string]string }
			Events      map[string]struct {
				Type       string
				Properties struct{ Method, Path, Schedule string }
			}
		}
	}
}

func readTemplate(t *testing.T) template {
	t.Helper()
	return samtest.Read[template](t, "../template.yaml")
}

// used are the deployed tables, and roles the callers that have a policy.
var (
	used  = tables.NamesOf("photos-")
	roles = []tables.Role{tables.Service, tables.Worker}
)

func deployed() []tables.Table {
	return tables.Of(tables.Names{Machines: used.Machines, Follow: used.Follow, Feed: used.Feed})
}

func TestTheTablesAreThoseOfTheFeatures(t *testing.T) {
	t.Parallel()
	const file = "../tables.json"
	var want bytes.Buffer
	require.NoError(t, tables.CloudFormation(&want, deployed(), &tables.Options{Roles: roles}))
	if *write {
		require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text), "go test ./examples/lambda/local -write brings tables.json up to date")
	require.Equal(t, "tables.json", readTemplate(t).Resources["Tables"].Properties.TemplateURL)
}

func TestTheFunctionsAreBuiltAndGivenWhatTheyRead(t *testing.T) {
	t.Parallel()
	from := readTemplate(t)
	require.Equal(t, "provided.al2023", from.Globals.Function.Runtime)
	require.Equal(t, "bootstrap", from.Globals.Function.Handler)
	shared := from.Globals.Function.Environment.Variables
	require.Equal(t, map[string]string{
		"MACHINES_TABLE": "!GetAtt Tables.Outputs.MachinesName",
		"FOLLOW_TABLE":   "!GetAtt Tables.Outputs.FollowName",
		"FEED_TABLE":     "!GetAtt Tables.Outputs.FeedName",
	}, shared)
	outputs := samtest.Read[struct{ Outputs map[string]any }](t, "../tables.json").Outputs
	for resource, role := range map[string]string{"ApiFunction": "Service", "DeliverFunction": "Worker"} {
		f := from.Resources[resource]
		require.Equal(t, "go1.x", f.Metadata.BuildMethod)
		require.Equal(t, "functions/"+programs[resource], f.Properties.CodeURI)
		require.Equal(t, []string{"!GetAtt Tables.Outputs.All" + role + "PolicyArn"}, f.Properties.Policies)
		require.Contains(t, outputs, "All"+role+"PolicyArn")
		text, err := os.ReadFile("../" + f.Properties.CodeURI + "/main.go")
		require.NoError(t, err)
		opened, err := os.ReadFile("../photos/photos.go")
		require.NoError(t, err)
		for variable := range shared {
			require.Contains(t, string(opened), `os.Getenv("`+variable+`")`)
		}
		for variable := range f.Properties.Environment.Variables {
			require.Contains(t, string(text), `os.Getenv("`+variable+`")`)
		}
		require.Equal(t, len(f.Properties.Environment.Variables), strings.Count(string(text), "os.Getenv("))
	}
	for _, output := range shared {
		require.Contains(t, outputs, strings.TrimPrefix(output, "!GetAtt Tables.Outputs."))
	}
}

func TestTheGatewayHasTheRoutesOfTheTemplate(t *testing.T) {
	t.Parallel()
	from := readTemplate(t)
	var got []string
	for _, e := range from.Resources["ApiFunction"].Properties.Events {
		require.Equal(t, "HttpApi", e.Type)
		got = append(got, e.Properties.Method+" "+e.Properties.Path)
	}
	require.ElementsMatch(t, routes, got)
	every := from.Resources["DeliverFunction"].Properties.Events
	require.Len(t, every, 1)
	require.Equal(t, "rate(1 minute)", every["EveryMinute"].Properties.Schedule)
}

// The functions call nothing that their roles' policies do not allow.
func TestTheRolesAllowWhatTheFunctionsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range []struct{ user, method, path string }{
		{"ann", "PUT", "/following/ben"}, {"ben", "PUT", "/photos/sea"}, {"ann", "GET", "/home"},
		{"ben", "DELETE", "/photos/sea"}, {"ann", "DELETE", "/following/ben"},
	} {
		status := 200
		if r.method == "PUT" && r.user == "ben" {
			status = 201
		}
		w.call(t, r.user, r.method, r.path, `{"title":"Sea"}`, status)
	}
	called := w.services.Calls()
	require.NotEmpty(t, called)
	for call := range called {
		require.True(t, allowed(tables.Service, w, call.Action, call.Table), "%v", call)
	}
	require.NoError(t, w.tick(t.Context()))
	for call := range w.services.Calls() {
		if !called[call] {
			require.True(t, allowed(tables.Worker, w, call.Action, call.Table), "%v", call)
		}
	}
}

// allowed reports whether a role may call an action on a table of w.
func allowed(role tables.Role, w world, action, table string) bool {
	ts := tables.Of(tables.Names{Machines: w.env.Tables.Machines, Follow: w.env.Tables.Follow, Feed: w.env.Tables.Feed})
	return slices.ContainsFunc(tables.Grants(ts, role), func(g tables.Grant) bool {
		return g.Table == table && slices.Contains(g.Actions, action)
	})
}
