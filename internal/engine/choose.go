package engine

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// source is one way to get an engine.
type source struct {
	name    string
	program bool // it is good enough for a program, but not for tests
	effort  int  // of a download: cargo compiles for minutes
	cached  func(o Options) bool
	command func(context.Context, Options) (command, error)
}

// sources holds those that need no download if they are cached, the lightest first.
var sources = []source{
	{name: "dynoxide", effort: 3, cached: builtDynoxide.isCached, command: builtCommand},
	{name: "dynoxide", program: true, effort: 1, cached: packedDynoxide.isCached, command: packedCommand},
	{name: "dynamodb-local", effort: 2, cached: jars.isCached, command: javaCommand},
	{name: "docker", effort: 4, cached: func(Options) bool { return false }, command: dockerCommand},
}

// candidates returns the sources in the order in which start tries them: what is
// cached, and then what can be downloaded, the least effort first.
func candidates(o Options) []source {
	var first, then []source
	for _, s := range sources {
		if s.cached(o) {
			first = append(first, s)
		} else {
			then = append(then, s)
		}
	}
	slices.SortFunc(then, func(a, b source) int { return cmp.Compare(a.effort, b.effort) })
	return slices.DeleteFunc(append(first, then...), func(s source) bool { return s.program && isTest() })
}

// isTest reports whether this process runs tests.
func isTest() bool { return flag.Lookup("test.v") != nil }

// ErrAbsent is returned if the named engine needs a program that this machine lacks.
var ErrAbsent = errors.New("not installed")

// start starts the named engine, or the first that this machine has or can get.
func start(ctx context.Context, o Options) (*Engine, error) {
	if o.Control {
		return o.launch(ctx, controlCommand)
	}
	name := cmp.Or(o.Name, os.Getenv(Variable))
	if filepath.Base(name) != name && name != "" {
		return o.launch(ctx, func(ctx context.Context, _ Options) (command, error) { return pathCommand(ctx, name) })
	}
	var problems []error
	for _, s := range candidates(o) {
		if name != "" && name != s.name {
			continue
		}
		e, err := o.launch(ctx, s.command)
		if err == nil || ctx.Err() != nil {
			return e, err
		}
		problems = append(problems, err)
		if !errors.Is(err, ErrAbsent) {
			o.say("%v", err)
		}
	}
	switch {
	case name == "":
		return nil, fmt.Errorf("%w: %s, or set %s to a running one\n%w", ErrMissing, advice(), EndpointVariable, errors.Join(problems...))
	case len(problems) == 0:
		return nil, fmt.Errorf("engine: %q is neither dynamodb-local, docker, dynoxide nor a path", name)
	}
	return nil, errors.Join(problems...)
}

// launch starts an engine and says which.
func (o Options) launch(ctx context.Context, find func(context.Context, Options) (command, error)) (*Engine, error) {
	c, err := find(ctx, o)
	if err != nil {
		return nil, err
	}
	c.parent, c.record = o.parent, o.record
	e, err := launch(ctx, c)
	if err == nil {
		o.say("%s", c.what)
	}
	return e, err
}

// advice names the two shortest commands that help, for this system's installer.
func advice() string {
	rows := []struct {
		installer string
		commands  [3]string // for npm, Java with Maven, Docker
	}{
		{"apt-get", [...]string{"apt-get install npm", "apt-get install default-jre-headless maven", "apt-get install docker.io"}},
		{"dnf", [...]string{"dnf install npm", "dnf install java-latest-openjdk-headless maven", "dnf install moby-engine"}},
		{"apk", [...]string{"apk add npm", "apk add openjdk17-jre-headless maven", "apk add docker"}},
		{"brew", [...]string{"brew install node", "brew install maven", "brew install --cask docker"}},
		{"winget", [...]string{"winget install OpenJS.NodeJS", "winget install Rustlang.Rustup", "winget install Docker.DockerDesktop"}},
	}
	commands := [...]string{"install npm", "install Java 17 and Maven", "install Docker"}
	for _, r := range rows {
		if _, err := exec.LookPath(r.installer); err == nil {
			commands = r.commands
			break
		}
	}
	first := 0
	if packedDynoxide.hash == "" || isTest() {
		first = 1 // npm does not help
	}
	return fmt.Sprintf("run %q or %q", commands[first], commands[first+1])
}
