package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/examples/danmu/videos"
)

const (
	maxFile  = 256 << 20 // bytes
	credits  = 10 * time.Second
	sniffing = 4 << 10 // bytes that are searched for signs of a format
)

// readFile reads the danmu of a file, and makes a video without a picture for them.
func readFile(name string, log *slog.Logger) (videos.Video, []danmu.Comment, error) {
	text, err := readText(name)
	if err != nil {
		return videos.Video{}, nil, err
	}
	r, err := format.NewReader(bytes.NewReader(text), formatOf(name, text), nil)
	if err != nil {
		return videos.Video{}, nil, err
	}
	shown := videos.Video{ID: "1", Owner: "1"}
	var comments []danmu.Comment
	for c, err := range r.All() {
		var refused *format.RecordError
		switch {
		case errors.As(err, &refused):
			log.Warn("refused", "err", err)
		case err != nil:
			return videos.Video{}, nil, fmt.Errorf("reading %s: %w", name, err)
		default:
			comments = append(comments, c)
			shown.Duration = max(shown.Duration, c.Progress.Truncate(time.Second)+credits)
		}
	}
	if len(comments) == 0 {
		return videos.Video{}, nil, fmt.Errorf("reading %s: it has no danmu", name)
	}
	stats := r.Stats()
	log.Info("read", "danmu", stats.Read, "refused", stats.Refused, "deleted", stats.Deleted, "repaired", stats.Repaired)
	shown.Duration = min(shown.Duration, danmu.MaxProgress)
	return shown, comments, nil
}

func readText(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case len(text) > maxFile:
		return nil, fmt.Errorf("reading %s: it has more than %d bytes", name, maxFile)
	}
	return text, nil
}

// formatOf decides by the name, and by elements and members that only one format has.
func formatOf(name string, text []byte) format.Format {
	head := text[:min(len(text), sniffing)]
	switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".xml":
		if bytes.Contains(head, []byte("<packet")) || bytes.Contains(head, []byte("<chat ")) {
			return format.NiconicoXML
		}
		return format.Bilibili
	case ".ndjson":
		return format.NDJSON
	}
	for _, sign := range []struct {
		of     format.Format
		member string
	}{
		{format.Niconico, `"vpos"`},
		{format.Niconico, `"vposMs"`},
		{format.Dandanplay, `"comments"`},
		{format.DPlayer, `"data"`},
	} {
		if bytes.Contains(head, []byte(sign.member)) {
			return sign.of
		}
	}
	return format.ArtPlayer
}

// load imports the danmu of a file into a video.
func load(ctx context.Context, s *videos.Service, video string, comments []danmu.Comment, log *slog.Logger) error {
	if len(comments) == 0 {
		return nil
	}
	began := time.Now()
	done, err := s.Import(ctx, video, comments)
	if err != nil {
		return err
	}
	log.Info("imported", "written", done.Written, "repeated", done.Present, "refused", done.Refused, "took", time.Since(began).Round(time.Millisecond))
	return nil
}
