package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"
)

const (
	lockBeat  = time.Second
	lockStale = 10 * time.Second
)

// lock creates a file that its holder touches every second, and takes over a file
// that was not touched for ten. Two holders are possible then, so the lock only saves
// work. Without a lock it returns once done is true.
func lock(ctx context.Context, path string, done func() bool) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			_ = f.Close()
			return beat(path), nil
		}
		// Windows refuses access to a file that is being removed.
		removing := runtime.GOOS == "windows" && errors.Is(err, fs.ErrPermission)
		if !errors.Is(err, fs.ErrExist) && !removing {
			return nil, err
		}
		if done() {
			return func() {}, nil
		}
		fi, statErr := os.Stat(path)
		if statErr == nil && time.Since(fi.ModTime()) > lockStale {
			_ = os.Remove(path)
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func beat(path string) (unlock func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(lockBeat)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				_ = os.Chtimes(path, now, now)
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		_ = os.Remove(path)
	}
}
