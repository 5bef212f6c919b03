package engine

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// Releases of dynoxide (github.com/nubo-db/dynoxide), one binary over SQLite. Tests need
// built: packed dies of a request with a character such as € in an expression, and numbers
// stream records from the start again after each start.
const (
	packed = "1.2.1" // the newest that npm has
	built  = "1.5.0"
	crate  = "dynoxide-rs@3.2.0" // its source
)

// npmPackages holds the package of each platform, and the SHA-512 of the binary in it.
var npmPackages = map[string]struct{ name, hash string }{
	"linux/amd64": {
		"@dynoxide/linux-x64",
		"d8634dc6fda189275dac297fdb8c8d0297d25dde196cd09d30b60f519eadd0c6" +
			"d307975e54b2ae2f8fbe3386c2070ff17063337b7e88a7755750a298d66a476c",
	},
}

var npmPackage = npmPackages[runtime.GOOS+"/"+runtime.GOARCH]

var (
	packedDynoxide = download{
		name: "dynoxide-" + packed, what: "dynoxide " + packed + " (8 MB) with npm", program: "npm", fill: unpackDynoxide,
		hash: npmPackage.hash,
	}
	builtDynoxide = download{
		name: "dynoxide-" + built, what: "dynoxide " + built + " with cargo, which compiles for minutes,", program: "cargo", fill: buildDynoxide,
	}
)

func packedCommand(ctx context.Context, o Options) (command, error) {
	if npmPackage.hash == "" {
		return command{}, fmt.Errorf("engine: npm has no dynoxide for %s/%s: %w", runtime.GOOS, runtime.GOARCH, ErrAbsent)
	}
	return dynoxideCommand(ctx, o, packedDynoxide, packed)
}

func builtCommand(ctx context.Context, o Options) (command, error) {
	return dynoxideCommand(ctx, o, builtDynoxide, built)
}

func dynoxideCommand(ctx context.Context, o Options, d download, version string) (command, error) {
	dir, err := d.get(ctx, o)
	if err != nil {
		return command{}, err
	}
	return serve("dynoxide "+version, filepath.Join(dir, binary)), nil
}

func serve(what, path string) command {
	return command{what: what, args: func(port int) []string { return []string{path, "serve", "--port", strconv.Itoa(port)} }}
}

// binary is the name of dynoxide's file.
const binary = "dynoxide"

// packTimeout ends npm where the network swallows its requests: another engine may be had.
const packTimeout = 2 * time.Minute

// unpackDynoxide takes the binary out of npm's package. No script of the package runs.
func unpackDynoxide(ctx context.Context, npm, tmp string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, packTimeout)
	defer cancel()
	pack := exec.CommandContext(ctx, npm, "pack", "--silent", npmPackage.name+"@"+packed)
	pack.Dir = tmp
	if out, err := pack.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack: %w\n%s", err, out)
	}
	archives, err := filepath.Glob(filepath.Join(tmp, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("npm pack left %d archives", len(archives))
	}
	dir := filepath.Join(tmp, "bin")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	return dir, unpack(archives[0], "package/"+binary, filepath.Join(dir, binary))
}

// unpack copies one file of an archive.
func unpack(archive, name, path string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	files := tar.NewReader(z)
	for {
		switch header, err := files.Next(); {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s has no %s", filepath.Base(archive), name)
		case err != nil:
			return fmt.Errorf("%s: %w", filepath.Base(archive), err)
		case header.Name == name:
			out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
			if err != nil {
				return err
			}
			_, err = io.Copy(out, io.LimitReader(files, maxBinary))
			return errors.Join(err, out.Close())
		}
	}
}

const maxBinary = 64 << 20

// buildDynoxide compiles the crate with the dependencies that it names, and without what
// the server does not need.
func buildDynoxide(ctx context.Context, cargo, tmp string) (string, error) {
	build := exec.CommandContext(ctx, cargo, "install", "--quiet", "--locked", "--root", tmp, "--no-track",
		"--no-default-features", "--features", "native-sqlite,http-server,cli", crate)
	build.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(tmp, "target"))
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo install: %w\n%s", err, out)
	}
	return filepath.Join(tmp, "bin"), nil
}

// pathCommand runs a dynoxide that the user has.
func pathCommand(ctx context.Context, path string) (command, error) {
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return command{}, fmt.Errorf("engine: %s: %w %s", path, err, out)
	}
	m := dynoxideVersion.FindSubmatch(out)
	if m == nil {
		return command{}, fmt.Errorf("engine: %s is no dynoxide: %.100q", path, out)
	}
	if err := checkVersion(string(m[1])); err != nil {
		return command{}, fmt.Errorf("engine: %s: %w", path, err)
	}
	return serve("dynoxide "+string(m[1]), path), nil
}

var dynoxideVersion = regexp.MustCompile(`^dynoxide (\d+\.\d+\.\d+)`)

// ErrTooOld is returned for a dynoxide that is not good enough for this process.
var ErrTooOld = errors.New("engine: this dynoxide is too old")

func checkVersion(version string) error {
	least := packed
	if isTest() {
		least = built
	}
	if olderThan(version, least) {
		return fmt.Errorf("%w: %s, needed is %s", ErrTooOld, version, least)
	}
	return nil
}

// olderThan compares versions of three numbers.
func olderThan(a, b string) bool {
	var x, y [3]int
	_, _ = fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	_, _ = fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	return slices.Compare(x[:], y[:]) < 0
}
