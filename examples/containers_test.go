package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/plaza-sdk/plaza/internal/engine"
)

// Nothing here has Docker, so these files are only read.

func TestTheComposeFileStartsTheEngineOfTheTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../.devcontainer/compose.yaml")
	require.NoError(t, err)
	var file struct {
		Services map[string]struct {
			Image   string
			Command []string
			Ports   []string
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&file))
	require.Len(t, file.Services, 1)
	dynamodb := file.Services["dynamodb"]
	require.Equal(t, "amazon/dynamodb-local:"+engine.Version, dynamodb.Image)
	require.Contains(t, dynamodb.Command, "-inMemory")
	require.Equal(t, []string{"127.0.0.1:8000:8000"}, dynamodb.Ports, "it is open to this machine alone")
	require.Contains(t, string(text), engine.EndpointVariable+"=http://127.0.0.1:8000")
}

func TestTheDevcontainerHasWhatTheTestsNeed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../.devcontainer/devcontainer.json")
	require.NoError(t, err)
	var file struct {
		Name              string
		Image             string
		Features          map[string]map[string]string
		PostCreateCommand string
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&file))
	module, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(module), "\ngo ")
	version, _, _ := strings.Cut(after, "\n")
	require.Contains(t, file.Image, "/go:1-"+strings.TrimSuffix(version, ".0")+"-")
	java := file.Features["ghcr.io/devcontainers/features/java:1"]
	require.Equal(t, map[string]string{"version": "17", "installMaven": "true"}, java)
}
