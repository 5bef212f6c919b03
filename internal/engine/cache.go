package engine

import (
	"context"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// download is a folder of the cache.
type download struct {
	name    string // e.g. "dynoxide-1.2.1"
	what    string // what the log calls it
	program string // what fetches it

	// fill has the program put files into a new folder, and returns the one that is to be kept.
	fill func(ctx context.Context, program, tmp string) (kept string, err error)

	// hash is the SHA-512 of the files, where it is known beforehand.
	hash string
}

// folder is where the download is, or will be.
func (d download) folder(o Options) (string, error) {
	if o.CacheDir != "" {
		return filepath.Join(o.CacheDir, d.name), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("engine: %w", err)
	}
	return filepath.Join(cache, "plaza", d.name), nil
}

// isCached reports whether the folder is there, whole or damaged.
func (d download) isCached(o Options) bool {
	dir, err := d.folder(o)
	return err == nil && exists(dir)
}

// get returns the folder, and fills it on the machine's first run or if its files have
// changed since. A rename makes the complete folder appear; the lock only saves other
// processes the same download.
func (d download) get(ctx context.Context, o Options) (string, error) {
	dir, err := d.folder(o)
	if err != nil {
		return "", err
	}
	if d.intact(dir) {
		return dir, nil
	}
	program, err := exec.LookPath(d.program)
	if err != nil {
		return "", fmt.Errorf("engine: %w: %w", ErrAbsent, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("engine: %w", err)
	}
	unlock, err := lock(ctx, dir+".lock", func() bool { return d.intact(dir) })
	if err != nil {
		return "", fmt.Errorf("engine: waiting for another process's download: %w", err)
	}
	defer unlock()
	if d.intact(dir) {
		return dir, nil
	}
	if exists(dir) {
		o.say("%s is damaged", dir)
		if err := os.RemoveAll(dir); err != nil {
			return "", fmt.Errorf("engine: %w", err)
		}
	}
	o.say("fetching %s, once, into %s", d.what, dir)
	if err := d.fetch(ctx, program, dir); err != nil && !d.intact(dir) {
		return "", fmt.Errorf("engine: fetching %s: %w", d.what, err)
	}
	return dir, nil
}

func (d download) fetch(ctx context.Context, program, dir string) error {
	sweep(dir)
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+partial)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	kept, err := d.fill(ctx, program, tmp)
	if err != nil {
		return err
	}
	hash, err := hashOf(kept)
	if err != nil {
		return err
	}
	if d.hash != "" && hash != d.hash {
		return fmt.Errorf("its SHA-512 is %s instead of %s", hash, d.hash)
	}
	if err := writeOnce(dir+sum, []byte(hash)); err != nil {
		return err
	}
	return os.Rename(kept, dir)
}

// intact reports whether the folder has the files that were fetched.
func (d download) intact(dir string) bool {
	want := d.hash
	if want == "" {
		stored, _ := os.ReadFile(dir + sum)
		want = string(stored)
	}
	hash, err := hashOf(dir)
	return err == nil && hash == want
}

// sum ends the name of a file with a folder's hash.
const sum = ".sha512"

// hashOf returns the SHA-512 of the files in a folder, in the order of their names.
func hashOf(dir string) (string, error) {
	h := sha512.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(h, f)
		return errors.Join(err, f.Close())
	})
	return hex.EncodeToString(h.Sum(nil)), err
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

// writeOnce lets several processes write the same file.
func writeOnce(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+partial)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
