package docs_test

import (
	"cmp"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const streamsClient = "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

var (
	internals = regexp.MustCompile(`(^|/)internal(/|$)`)

	// forTests are imported by users' tests alone: livetest is the contract of whoever writes a backplane.
	forTests = regexp.MustCompile(`^(plazatest|live/livetest)$`)

	// withEngine start a DynamoDB.
	withEngine = regexp.MustCompile(`^(examples(/|$)|plazatest$)`)

	// ofTests reach no binary.
	ofTests = regexp.MustCompile(`^(github\.com/(stretchr/testify|anishathalye/porcupine)|pgregory\.net/rapid|go\.uber\.org/goleak)(/|$)|` +
		`^` + module + `(internal/(awssink/sinktest|calls|dynamotest$|edge/edgetest|faults|itemgen|pagetest|store/changetest|streamtest)(/|$)|live/livetest$)`)

	// ofEngines reach only what starts one. Examples get httptest by algnhsa, which records the
	// answers of a handler with it.
	ofEngines = regexp.MustCompile(`^(testing|net/http/httptest)(/|$)|^` + module + `(plazatest|internal/(dynamotest|engine|localmeter))(/|$)`)
)

// linked returns the packages of all modules, and what each of them links.
func linked(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "work")
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	links := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0]+"/", module)
		links[cmp.Or(strings.TrimSuffix(pkg, "/"), "plaza")] = words[1:]
	}
	require.Greater(t, len(links), 50)
	return links
}

// public reports whether a package or command is for users' own programs.
func public(pkg string) bool {
	return !internals.MatchString(pkg) && !forTests.MatchString(pkg) && !withEngine.MatchString(pkg)
}

func TestPackagesOfTestsReachNoBinary(t *testing.T) {
	t.Parallel()
	for pkg, links := range linked(t) {
		if !public(pkg) && !withEngine.MatchString(pkg) || internals.MatchString(pkg) {
			continue
		}
		for _, of := range links {
			assert.False(t, ofTests.MatchString(of), "%s links %s", pkg, of)
			assert.False(t, public(pkg) && ofEngines.MatchString(of), "%s links %s", pkg, of)
		}
	}
}

// The client of streams is for those who poll. Its types are part of the SDK's attributevalue.
func TestOnlyAPollerLinksTheClientOfStreams(t *testing.T) {
	t.Parallel()
	var have []string
	for pkg, links := range linked(t) {
		if public(pkg) && slices.Contains(links, streamsClient) {
			have = append(have, pkg)
		}
	}
	require.ElementsMatch(t, []string{"stream/poller", "cmd/plaza"}, have)
}
