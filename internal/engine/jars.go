package engine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed pom.xml
var pom []byte

var errNoMaven = errors.New("engine: no Maven to download DynamoDB Local")

// jars returns the folder with DynamoDB Local and downloads it on the machine's first
// run. A rename makes the complete folder appear; the lock only saves other
// processes the same download.
func jars(ctx context.Context, o Options) (string, error) {
	dir := o.CacheDir
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("engine: %w", err)
		}
		dir = filepath.Join(cache, "plaza", "dynamodb-local-"+Version)
	}
	if exists(dir) {
		return dir, nil
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoMaven, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("engine: %w", err)
	}
	unlock, err := lock(ctx, dir+".lock", func() bool { return exists(dir) })
	if err != nil {
		return "", fmt.Errorf("engine: waiting for another process's download: %w", err)
	}
	defer unlock()
	if exists(dir) {
		return dir, nil
	}
	_, _ = fmt.Fprintf(o.Log, "engine: fetching DynamoDB Local %s (50 MB, once) with Maven into %s\n", Version, dir)
	if err := fetch(ctx, mvn, dir); err != nil && !exists(dir) {
		return "", fmt.Errorf("engine: fetching DynamoDB Local with Maven: %w", err)
	}
	return dir, nil
}

func fetch(ctx context.Context, mvn, dir string) error {
	sweep(dir)
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+partial)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	file, lib := filepath.Join(tmp, "pom.xml"), filepath.Join(tmp, "lib")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", file,
		"dependency:copy-dependencies", "-DoutputDirectory="+lib).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return os.Rename(lib, dir)
}

const partial = ".partial-"

// sweep removes what killed downloads left behind.
func sweep(dir string) {
	old, _ := filepath.Glob(dir + partial + "*")
	for _, path := range old {
		if fi, err := os.Stat(path); err == nil && time.Since(fi.ModTime()) > time.Hour {
			_ = os.RemoveAll(path)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
