// Package pinboard_test reads the template that deploys Pinboard, and feeds events to its
// functions.
package pinboard_test

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

// roles are the callers that have a policy: those of each function.
var roles = map[string][]tables.Role{
	"Pages":  {tables.Service},
	"Worker": {tables.Service, tables.Worker, tables.Operator},
}

// deployed are the tables. Writes to four of them ring bells.
func deployed(prefix string) []tables.Table {
	all := tables.All(prefix)
	for i, t := range all {
		if slices.Contains([]string{"follow", "feed", "reaction", "comment"}, t.Feature) {
			all[i] = t.WithStream()
		}
	}
	return all
}

// template is what these tests read of template.yaml.
type template struct {
	Description string
	Globals     struct {
		Function struct {
			Runtime, Handler string
			CodeURI          string `json:"CodeUri"`
			Environment      struct{ Variables map[string]string }
		}
	}
	Resources map[string]struct {
		Metadata   struct{ BuildMethod string }
		Properties struct {
			TemplateURL                  string
			ReservedConcurrentExecutions int
			DefaultRouteSettings         struct{ ThrottlingRateLimit, ThrottlingBurstLimit int }
			Policies                     []string
			Environment                  struct{ Variables map[string]string }
			Events                       map[string]struct {
				Type       string
				Properties map[string]any
			}
		}
	}
}

func readTemplate(t *testing.T) template {
	t.Helper()
	return samtest.Read[template](t, "template.yaml")
}

func TestTheTablesAreThoseOfTheFeatures(t *testing.T) {
	t.Parallel()
	const file = "tables.json"
	var want bytes.Buffer
	require.NoError(t, tables.CloudFormation(&want, deployed("pinboard-"), &tables.Options{Roles: roles["Worker"], Disposable: true}))
	if *write {
		require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text), "go test ./examples/pinboard/lambda -write brings tables.json up to date")
	from := readTemplate(t)
	require.Equal(t, file, from.Resources["Tables"].Properties.TemplateURL)
	require.Equal(t, map[string]string{"PINBOARD_TABLES": "pinboard-"}, from.Globals.Function.Environment.Variables)
}

func TestTheFunctionsAreOneProgramWithTheirRoles(t *testing.T) {
	t.Parallel()
	from := readTemplate(t)
	require.Equal(t, "provided.al2023", from.Globals.Function.Runtime)
	require.Equal(t, "bootstrap", from.Globals.Function.Handler)
	require.FileExists(t, from.Globals.Function.CodeURI+"/lambda.go")
	outputs := samtest.Read[struct{ Outputs map[string]any }](t, "tables.json").Outputs
	for name, roles := range roles {
		f := from.Resources[name]
		require.Equal(t, "go1.x", f.Metadata.BuildMethod)
		require.Equal(t, map[string]string{"PINBOARD_JOB": strings.ToLower(name)}, f.Properties.Environment.Variables)
		var want []string
		for _, role := range roles {
			output := "All" + strings.ToUpper(string(role[:1])) + string(role[1:]) + "PolicyArn"
			require.Contains(t, outputs, output)
			want = append(want, "!GetAtt Tables.Outputs."+output)
		}
		require.Equal(t, want, f.Properties.Policies)
	}
	require.Equal(t, 1, from.Resources["Worker"].Properties.ReservedConcurrentExecutions)
	require.Equal(t, map[string]any{"ApiId": "!Ref Api"}, from.Resources["Pages"].Properties.Events["Everything"].Properties, "without a path it is for all")
	require.Equal(t, "rate(1 minute)", from.Resources["Worker"].Properties.Events["EveryMinute"].Properties["Schedule"])
}

func TestTheTemplateSaysWhoMayWriteAndHowOften(t *testing.T) {
	t.Parallel()
	from := readTemplate(t)
	require.Contains(t, from.Description, "Anybody who knows its address can sign in as anybody and write")
	require.Contains(t, from.Description, "Untried")
	limits := from.Resources["Api"].Properties.DefaultRouteSettings
	require.Positive(t, limits.ThrottlingRateLimit)
	require.Positive(t, limits.ThrottlingBurstLimit)
}
