package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Checkpoints are small files from which long work continues. Without a name there is
// none.

// readJSON leaves v alone if there is no such file, or none is named.
func readJSON(file string, v any) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = jsontext.Unmarshal(text, v)
	}
	if err != nil {
		return usagef("%s: %v", file, err)
	}
	return nil
}

// writeJSON replaces the file in one step, so that a killed process leaves the old one
// or the new one.
func writeJSON(file string, v any) error {
	if file == "" {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func remove(file string) error {
	if file == "" {
		return nil
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
