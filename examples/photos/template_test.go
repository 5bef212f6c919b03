package main

import (
	"bytes"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/akrylysov/algnhsa"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/examples/internal/samtest"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

var write = flag.Bool("write", false, "write tables.json")

// job is what a function's environment says. Without it a function is the API.
var job = map[string]string{"DeliverFunction": "deliver"}

// deployed are the tables of the service.
func deployed(of tables.Names) []tables.Table {
	return tables.Of(tables.Names{
		Machines: of.Machines, Follow: of.Follow, Feed: of.Feed, Comment: of.Comment, Reaction: of.Reaction, Leaderboard: of.Leaderboard,
		Notify: of.Notify, Message: of.Message,
	})
}

func TestTheTablesAreThoseOfTheFeatures(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	require.NoError(t, tables.CloudFormation(&want, deployed(tables.NamesOf("photos-")), nil))
	if *write {
		require.NoError(t, os.WriteFile("tables.json", want.Bytes(), 0o644))
	}
	text, err := os.ReadFile("tables.json")
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text), "go test ./examples/photos -write brings tables.json up to date")
}

func TestTheFunctionsAreBuiltAndGivenWhatTheyRead(t *testing.T) {
	t.Parallel()
	type environment struct{ Variables map[string]string }
	type secret struct {
		PasswordLength                       int
		ExcludePunctuation, ExcludeUppercase bool
		ExcludeCharacters                    string
	}
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
				Events      map[string]struct{ Properties map[string]any }

				GenerateSecretString secret
			}
		}
	}](t, "template.yaml")
	require.Equal(t, "provided.al2023", from.Globals.Function.Runtime)
	require.Equal(t, "bootstrap", from.Globals.Function.Handler)
	require.Equal(t, "photos-", from.Globals.Function.Environment.Variables["PREFIX"])
	require.Contains(t, from.Globals.Function.Environment.Variables, "CURSOR_KEY")
	require.Equal(t, secret{PasswordLength: 64, ExcludePunctuation: true, ExcludeUppercase: true, ExcludeCharacters: "ghijklmnopqrstuvwxyz"},
		from.Resources["CursorKey"].Properties.GenerateSecretString, "32 bytes in hexadecimal digits")
	require.Equal(t, "tables.json", from.Resources["Tables"].Properties.TemplateURL)
	outputs := samtest.Read[struct{ Outputs map[string]any }](t, "tables.json").Outputs
	for resource, roles := range map[string][]string{
		"ApiFunction": {"Service"}, "EraseFunction": {"Service", "Operator"}, "DeliverFunction": {"Reader", "Worker"},
	} {
		f := from.Resources[resource]
		require.Equal(t, "go1.x", f.Metadata.BuildMethod)
		require.Equal(t, job[resource], f.Properties.Environment.Variables["JOB"])
		var policies []string
		for _, role := range roles {
			require.Contains(t, outputs, "All"+role+"PolicyArn")
			policies = append(policies, "!GetAtt Tables.Outputs.All"+role+"PolicyArn")
		}
		require.Equal(t, policies, f.Properties.Policies)
	}
	require.Equal(t, map[string]any{"ApiId": "!Ref Api", "Method": "DELETE", "Path": "/me"},
		from.Resources["EraseFunction"].Properties.Events["Erase"].Properties)
}

func TestTheRolesAllowWhatTheFunctionsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	function := func(do func(), roles ...tables.Role) {
		services, err := lambdatest.Serve(t.Context(), w.env.Config, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, services.Close()) })
		cfg, endpoint := w.env.Config, services.URL()
		cfg.BaseEndpoint = &endpoint
		all := feed.Options{InlineFollowers: -1} // wait for the schedule
		w.service, err = newService(t.Context(), cfg, kit.Options{Names: w.env.Tables, Feed: all})
		require.NoError(t, err)
		do()
		samtest.Allowed(t, services.Calls(), deployed(w.env.Tables), roles...)
	}
	function(func() {
		w.do(200, "ann", "PUT /following/ben", nil)
		like := "/photos/" + w.do(200, "ben", "POST /photos", object{"key": "hill"})["name"].(string) + "/like"
		for _, request := range []string{
			"PUT " + like, "DELETE " + like, "PUT " + like, "GET /home", "GET /week", "GET /bell", "GET /bell/unseen", "GET /messages",
		} {
			w.do(200, "ann", request, nil)
		}
		w.do(200, "ann", "POST /messages/ben", object{"key": "1", "text": "Hello"})
		require.Empty(t, w.items("ann", "/home"))
	}, tables.Service)
	function(func() {
		n, err := w.Deliver(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}, tables.Reader, tables.Worker)
	require.Len(t, w.items("ann", "/home"), 1)
	function(func() { w.do(200, "ann", "DELETE /me", nil) }, tables.Service, tables.Operator)
	function(func() { w.do(200, "ben", "DELETE /me", nil) }, tables.Service, tables.Operator)
}

func TestTheFunctionTakesTheUserOfTheJWT(t *testing.T) {
	t.Parallel()
	function := algnhsa.New(newWorld(t).routes(tokenUser), nil)
	for user, want := range map[string]string{"us|ben": `"statusCode":200,.*"actor\\":\\"user:us\|ben\\"`, "": `"statusCode":401`} {
		answer, err := function.Invoke(t.Context(), []byte(event("POST", "/photos", user)))
		require.NoError(t, err)
		require.Regexp(t, want, string(answer))
	}
}

// event is what API Gateway makes of a request.
func event(method, path, user string) string {
	return fmt.Sprintf(`{"version":"2.0","rawPath":%q,"headers":{"user":"eve"},"body":"e30=","isBase64Encoded":true,
		"requestContext":{"http":{"method":%q},"authorizer":{"jwt":{"claims":{"sub":%q}}}}}`, path, method, user)
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
		"EraseFunction":   {event("DELETE", "/me", "ben"), `"statusCode":200`},
		"DeliverFunction": {`{"detail-type":"Scheduled Event","source":"aws.events","detail":{}}`, "0"},
	} {
		settings := append(services.Env(), "PREFIX="+prefix, "JOB="+job[resource])
		start := func(settings []string) *lambdatest.Function {
			f, err := lambdatest.Start(filepath.Join(built, resource, "bootstrap"), settings, t.Output())
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, f.Close()) })
			return f
		}
		_, err := start(settings).Invoke(t.Context(), []byte(c.event))
		require.Error(t, err, "without its key it does not start")
		answer, err := start(append(settings, "CURSOR_KEY="+strings.Repeat("0a", 32))).Invoke(t.Context(), []byte(c.event))
		require.NoError(t, err)
		require.Contains(t, string(answer), c.answer)
	}
}
