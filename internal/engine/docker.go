package engine

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
)

const image = "amazon/dynamodb-local:" + Version

func findDocker(ctx context.Context) (string, error) {
	if out, err := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		return "", fmt.Errorf("docker version: %w %s", err, out)
	}
	return "docker", nil
}

// dockerCommand is untested, for lack of a machine with Docker. TERM reaches the
// container; KILL would only stop the client.
func dockerCommand(docker string) command {
	return command{
		signal: "TERM",
		args: func(port int) []string {
			return []string{
				docker, "run", "--rm", "--init", "-p", "127.0.0.1:" + strconv.Itoa(port) + ":8000", image,
				"-jar", "DynamoDBLocal.jar", "-inMemory", "-disableTelemetry",
			}
		},
	}
}
