package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plaza-sdk/plaza/stream"
)

// file is an archive on this machine: a stream.Sink that writes a line for each event.
type file struct {
	*os.File
	size   int64 // of the lines that were written whole
	folder string
}

// openFile creates the file, in a temporary folder if the path is "".
func openFile(path string) (*file, error) {
	f := &file{}
	if path == "" {
		var err error
		if f.folder, err = os.MkdirTemp("", "plaza-pipeline-"); err != nil {
			return nil, err
		}
		path = filepath.Join(f.folder, "archive.ndjson")
	}
	var err error
	if f.File, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		os.RemoveAll(f.folder)
		return nil, err
	}
	return f, nil
}

func (*file) Limit() stream.Limit { return stream.Limit{Events: 500} }

// Put has one caller, the archive's consumer.
func (f *file) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	var lines []byte
	for _, e := range events {
		lines = append(append(lines, e.Data...), '\n')
	}
	if _, err := f.WriteAt(lines, f.size); err != nil { // the next lines take the place of half ones
		return nil, err
	}
	f.size += int64(len(lines))
	return make([]stream.Outcome, len(events)), nil
}

func (f *file) content(context.Context) ([]byte, error) {
	lines := make([]byte, f.size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, f.size), lines)
	return lines, err
}

// close removes a temporary file.
func (f *file) close(context.Context) error {
	err := f.Close()
	if f.folder != "" {
		os.RemoveAll(f.folder)
	}
	if err != nil {
		return fmt.Errorf("closing the archive: %w", err)
	}
	return nil
}
