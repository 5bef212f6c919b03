package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// readYAML refuses what the shape does not have: GitHub ignores a misspelt key.
func readYAML[T any](t *testing.T, file string) (shape T) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader([]byte(read(t, filepath.Join(root, ".github", file)))))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&shape), file)
	return shape
}

// dependabot.yml has every module of go.work, and every other kind of file that names
// versions.
func TestDependabotKnowsEveryModule(t *testing.T) {
	t.Parallel()
	type group struct {
		Patterns []string
		Exclude  []string `yaml:"exclude-patterns"`
	}
	config := readYAML[struct {
		Version int
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directory   string
			Directories []string
			Schedule    struct{ Interval string }
			Groups      map[string]group
			Ignore      []struct {
				Name string `yaml:"dependency-name"`
			}
		}
	}](t, "dependabot.yml")
	require.Equal(t, 2, config.Version)
	updated := map[string][]string{}
	for _, u := range config.Updates {
		require.Contains(t, []string{"daily", "weekly", "monthly"}, u.Schedule.Interval)
		folders := u.Directories
		if u.Directory != "" {
			folders = append(folders, u.Directory)
		}
		require.NotEmpty(t, folders, u.Ecosystem)
		for _, folder := range folders {
			require.DirExists(t, filepath.Join(root, folder))
		}
		updated[u.Ecosystem] = append(updated[u.Ecosystem], folders...)
	}

	var modules []string
	for _, use := range regexp.MustCompile(`(?m)^\t(\.\S*)$`).FindAllStringSubmatch(read(t, root+"/go.work"), -1) {
		modules = append(modules, path.Join("/", use[1]))
	}
	require.Greater(t, len(modules), 5)
	require.ElementsMatch(t, modules, updated["gomod"])
	require.Equal(t, []string{"/"}, updated["github-actions"])

	kinds := map[string]string{
		"pom.xml": "maven", "package.json": "npm", "Dockerfile": "docker", "compose.yaml": "docker-compose",
		"devcontainer.json": "devcontainers", "requirements.txt": "pip", "moto.txt": "pip",
	}
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if kind, ok := kinds[entry.Name()]; ok && !entry.IsDir() {
			folder, err := filepath.Rel(root, filepath.Dir(file))
			require.NoError(t, err)
			folder = path.Join("/", filepath.ToSlash(folder))
			if kind == "devcontainers" {
				folder = path.Dir(folder)
			}
			assert.Contains(t, updated[kind], folder, "dependabot.yml does not update %s", file)
		}
		return nil
	}))
}

func TestIssueFormsAreValidForGitHub(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(root + "/.github/ISSUE_TEMPLATE/*.yml")
	require.NoError(t, err)
	var forms []string
	for _, file := range files {
		if name := filepath.Base(file); name != "config.yml" {
			forms = append(forms, name)
		}
	}
	require.ElementsMatch(t, []string{"bug.yml", "feature.yml", "question.yml"}, forms)
	for _, name := range forms {
		form := readYAML[struct {
			Name, Description string
			Labels            []string
			Body              []struct {
				Type, ID   string
				Attributes struct {
					Label, Description, Placeholder, Render string
					Options                                 []string
				}
				Validations struct{ Required bool }
			}
		}](t, "ISSUE_TEMPLATE/"+name)
		require.NotEmpty(t, form.Name, name)
		require.NotEmpty(t, form.Description, name)
		var ids, labels []string
		for _, field := range form.Body {
			require.Contains(t, []string{"textarea", "input", "dropdown"}, field.Type, name)
			require.Regexp(t, `^[a-z]+$`, field.ID, name)
			require.NotEmpty(t, field.Attributes.Label, name)
			require.Equal(t, field.Type == "dropdown", len(field.Attributes.Options) > 0, "%s, %s", name, field.ID)
			require.True(t, field.Attributes.Render == "" || field.Type == "textarea", "%s, %s", name, field.ID)
			require.NotContains(t, ids, field.ID, name)
			require.NotContains(t, labels, field.Attributes.Label, name)
			ids, labels = append(ids, field.ID), append(labels, field.Attributes.Label)
		}
		require.NotEmpty(t, ids, name)
	}
	config := readYAML[struct {
		Blank bool                                `yaml:"blank_issues_enabled"`
		Links []struct{ Name, URL, About string } `yaml:"contact_links"`
	}](t, "ISSUE_TEMPLATE/config.yml")
	require.Len(t, config.Links, 1)
	require.Contains(t, read(t, root+"/SECURITY.md"), config.Links[0].URL)
}

// Every job has a machine and a limit, and runs what exists. Together they run .ci/run.
func TestWorkflowsAreComplete(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(root + "/.github/workflows")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var steps []string // of .ci/run
	for _, file := range files {
		var workflow struct {
			Name        string
			On          map[string]any
			Permissions map[string]string
			Jobs        map[string]struct {
				RunsOn   string `yaml:"runs-on"`
				Strategy struct {
					Matrix struct{ Steps []string }
				}
				Timeout int `yaml:"timeout-minutes"`
				Steps   []struct {
					Uses, Run string
					With      map[string]any
				}
			}
		}
		text := read(t, filepath.Join(root, ".github/workflows", file.Name()))
		require.NoError(t, yaml.Unmarshal([]byte(text), &workflow), file.Name())
		require.NotEmpty(t, workflow.On, file.Name())
		require.Equal(t, map[string]string{"contents": "read"}, workflow.Permissions, file.Name())
		require.NotEmpty(t, workflow.Jobs, file.Name())
		for name, job := range workflow.Jobs {
			require.NotEmpty(t, job.RunsOn, name)
			require.Positive(t, job.Timeout, name)
			require.NotEmpty(t, job.Steps, name)
			for _, side := range job.Strategy.Matrix.Steps {
				steps = append(steps, strings.Fields(side)...)
			}
			for i, step := range job.Steps {
				require.NotEqual(t, step.Uses == "", step.Run == "", "%s, step %d", name, i)
				require.True(t, step.Uses == "" || strings.Contains(step.Uses, "@v"), "%s pins no version", step.Uses)
				if script, ok := strings.CutPrefix(step.Run, "bash "); ok {
					require.FileExists(t, filepath.Join(root, strings.Fields(script)[0]))
				}
			}
		}
	}
	list := regexp.MustCompile(`(?m)^steps=\((.+)\)$`).FindStringSubmatch(read(t, root+"/.ci/run"))
	require.NotNil(t, list)
	require.ElementsMatch(t, strings.Fields(list[1]), steps, "the workflow runs each step of .ci/run once")
}
