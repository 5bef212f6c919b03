package engine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

const minJava = 17

var jars = download{name: "dynamodb-local-" + Version, what: "DynamoDB Local " + Version + " (50 MB) with Maven", program: "mvn", fill: copyJars}

//go:embed pom.xml
var pom []byte

func copyJars(ctx context.Context, mvn, tmp string) (string, error) {
	file, lib := filepath.Join(tmp, "pom.xml"), filepath.Join(tmp, "lib")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", file,
		"dependency:copy-dependencies", "-DoutputDirectory="+lib).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("mvn: %w\n%s", err, out)
	}
	return lib, nil
}

// findJars returns Java and the folder of what it runs.
func findJars(ctx context.Context, o Options) (java, lib string, err error) {
	if java, err = findJava(ctx); err != nil {
		return "", "", err
	}
	lib, err = jars.get(ctx, o)
	return java, lib, err
}

func javaCommand(ctx context.Context, o Options) (command, error) {
	java, lib, err := findJars(ctx, o)
	if err != nil {
		return command{}, err
	}
	compiler := "-XX:TieredStopAtLevel=1" // it warms up twice as fast
	if o.lasting {
		compiler = "-XX:+TieredCompilation" // it compiles for 30 s, and saves a fifth of the work from then on
	}
	return command{
		what: "DynamoDB Local " + Version,
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
	}, nil
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
			problems = append(problems, fmt.Errorf("%s -version: %w: %w %s", java, ErrAbsent, err, out))
			continue
		}
		// Java 8 and earlier report 1.x.
		if m := javaVersion.FindSubmatch(out); m != nil {
			if v, _ := strconv.Atoi(string(m[1])); v >= minJava {
				return java, nil
			}
		}
		problems = append(problems, fmt.Errorf("%w: %s is not version %d or later: %s", ErrAbsent, java, minJava, out))
	}
	return "", errors.Join(problems...)
}

const image = "amazon/dynamodb-local:" + Version

// dockerCommand is untested, for lack of a machine with Docker.
func dockerCommand(ctx context.Context, _ Options) (command, error) {
	if out, err := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		return command{}, fmt.Errorf("docker version: %w: %w %s", ErrAbsent, err, out)
	}
	return command{
		what: "DynamoDB Local " + Version + " in Docker",
		args: func(port int) []string {
			return []string{
				"docker", "run", "--rm", "--init", "-p", "127.0.0.1:" + strconv.Itoa(port) + ":8000", image,
				"-jar", "DynamoDBLocal.jar", "-inMemory", "-disableTelemetry",
			}
		},
	}, nil
}
