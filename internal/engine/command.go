package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

const minJava = 17

// command runs the engine on a port.
type command struct {
	args func(port int) []string

	parent int    // the engine stops when this process ends. 0: when the starter does
	record string // a file that is removed then
}

// newCommand prefers Java to Docker, since the tests were written with it.
func newCommand(ctx context.Context, o Options) (command, error) {
	java, err := findJava(ctx)
	if err == nil {
		var lib string
		if lib, err = jars(ctx, o); err == nil {
			if o.Control {
				return controlCommand(java, lib)
			}
			return javaCommand(java, lib, o.lasting), nil
		}
		if !errors.Is(err, errNoMaven) {
			return command{}, err
		}
	}
	if ctx.Err() != nil {
		return command{}, ctx.Err()
	}
	if o.Control {
		return command{}, fmt.Errorf("%w\n%w", ErrMissing, err)
	}
	docker, dockerErr := findDocker(ctx)
	if dockerErr != nil {
		return command{}, fmt.Errorf("%w\n%w\n%w", ErrMissing, err, dockerErr)
	}
	return dockerCommand(docker), nil
}

func javaCommand(java, lib string, lasting bool) command {
	compiler := "-XX:TieredStopAtLevel=1" // it warms up twice as fast
	if lasting {
		compiler = "-XX:+TieredCompilation" // it compiles for 30 s, and saves a fifth of the work from then on
	}
	return command{
		args: func(port int) []string {
			return []string{
				java, temporary(), "-Xmx2g", "-XX:+UseSerialGC", compiler,
				// A twentieth less work where the system has huge pages; macOS does not know the option.
				"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages",
				"-cp", filepath.Join(lib, "*"),
				"com.amazonaws.services.dynamodbv2.local.main.ServerRunner",
				"-inMemory", "-port", strconv.Itoa(port), "-disableTelemetry",
			}
		},
	}
}

// temporary is the option for Java's temporary folder, which does not follow TMPDIR. The
// engine copies a library into it, and deletes the copy unless it is killed.
func temporary() string { return "-Djava.io.tmpdir=" + os.TempDir() }

var javaVersion = regexp.MustCompile(`version "(\d+)`)

// findJava searches JAVA_HOME, as Maven does, then PATH.
func findJava(ctx context.Context) (string, error) {
	candidates := []string{"java"}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		candidates = []string{filepath.Join(home, "bin", "java"), "java"}
	}
	var problems []error
	for _, java := range candidates {
		out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
		if err != nil {
			problems = append(problems, fmt.Errorf("%s -version: %w %s", java, err, out))
			continue
		}
		// Java 8 and earlier report 1.x.
		if m := javaVersion.FindSubmatch(out); m != nil {
			if v, _ := strconv.Atoi(string(m[1])); v >= minJava {
				return java, nil
			}
		}
		problems = append(problems, fmt.Errorf("%s is not version %d or later: %s", java, minJava, out))
	}
	return "", errors.Join(problems...)
}

const image = "amazon/dynamodb-local:" + Version

func findDocker(ctx context.Context) (string, error) {
	if out, err := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		return "", fmt.Errorf("docker version: %w %s", err, out)
	}
	return "docker", nil
}

// dockerCommand is untested, for lack of a machine with Docker.
func dockerCommand(docker string) command {
	return command{
		args: func(port int) []string {
			return []string{
				docker, "run", "--rm", "--init", "-p", "127.0.0.1:" + strconv.Itoa(port) + ":8000", image,
				"-jar", "DynamoDBLocal.jar", "-inMemory", "-disableTelemetry",
			}
		},
	}
}
