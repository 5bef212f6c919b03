package videos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/examples/web"
)

// contentTypes of the formats that players read. NDJSON is not one of them: it has data
// that viewers must not see.
var contentTypes = map[format.Format]string{
	format.ArtPlayer:   "application/json",
	format.Bilibili:    "application/xml",
	format.Dandanplay:  "application/json",
	format.DPlayer:     "application/json",
	format.Niconico:    "application/json",
	format.NiconicoXML: "application/xml",
}

// file answers with what viewers see of a video, as a file for another player.
func (s *Service) file(w http.ResponseWriter, r *http.Request) {
	s.writeFile(w, r, r.PathValue("id"), format.Format(r.PathValue("format")), nil)
}

// dplayer answers as DPlayer's danmaku.api expects it. The max of its players is not a
// bound here.
func (s *Service) dplayer(w http.ResponseWriter, r *http.Request) {
	s.writeFile(w, r, r.URL.Query().Get("id"), format.DPlayer, []string{"id", "max"})
}

func (s *Service) writeFile(w http.ResponseWriter, r *http.Request, id string, f format.Format, parameters []string) {
	err := s.admit(r, parameters)
	kind, known := contentTypes[f]
	if err == nil && (!known || !s.has(id)) {
		err = plaza.ErrNotFound
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), web.RequestTime)
	defer cancel()
	begun := &begun{ResponseWriter: w, kind: kind}
	if err := s.export(ctx, begun, id, f); err != nil && !begun.yet {
		s.refuse(w, r, err)
	} else if err != nil { // the file is cut, which its reader notices
		s.opts.Log.Error("request failed", "route", r.Pattern, "err", err)
	}
}

// begun sets the headers of a file before its first bytes.
type begun struct {
	http.ResponseWriter

	kind string
	yet  bool
}

func (b *begun) Write(p []byte) (int, error) {
	if !b.yet {
		b.Header().Set("Content-Type", b.kind)
		b.Header().Set("Cache-Control", "no-store")
		b.yet = true
	}
	return b.ResponseWriter.Write(p)
}

// export writes a page at a time. It leaves out what the format does not have.
func (s *Service) export(ctx context.Context, to io.Writer, id string, f format.Format) error {
	w, err := format.NewWriter(to, f, &format.WriteOptions{Senders: true})
	if err != nil {
		return err
	}
	list := func(ctx context.Context, page cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return s.danmu.ByObject(ctx, id, 0, page)
	}
	for c, err := range cursor.All(ctx, list) {
		if err != nil {
			return err
		}
		if c, err = forPlayer(c, f); err != nil {
			return err
		}
		if err := w.Write(c); err != nil && !errors.Is(err, plaza.ErrInvalid) {
			return err
		}
	}
	return w.Close()
}

// forPlayer turns a danmu into the form that a player shows best.
func forPlayer(c danmu.Comment, f format.Format) (danmu.Comment, error) {
	c.Key, c.Extra = c.ID.String(), nil // the Key is for its sender alone
	if c.Mode == danmu.Reverse && f != format.Bilibili {
		c.Mode = danmu.Scroll
	}
	if f != format.ArtPlayer {
		return c, nil
	}
	type style struct {
		Size string `json:"fontSize"`
	}
	own := struct {
		ID    string `json:"id"`
		Style *style `json:"style,omitempty"`
	}{ID: c.ID.String()}
	if c.Size > 0 {
		own.Style = &style{Size: fmt.Sprintf("%dpx", c.Size)}
	}
	var err error
	c.Extra, err = json.Marshal(map[format.Format]any{f: own})
	return c, err
}

// dplayerDanmu is a danmu as DPlayer sends it.
type dplayerDanmu struct {
	ID     string   `json:"id"`
	Author string   `json:"author"`
	Time   *float64 `json:"time"` // seconds
	Text   string   `json:"text"`
	Color  uint32   `json:"color"`
	Type   int      `json:"type"` // 0 scroll, 1 top, 2 bottom
	Token  string   `json:"token"`
}

// dplayerSend stores a danmu of DPlayer. The player takes every refusal for a failure.
func (s *Service) dplayerSend(r *http.Request) (any, error) {
	var given dplayerDanmu
	if err := s.read(r, &given); err != nil {
		return nil, err
	}
	sub := submission{ObjectID: given.ID, UserID: given.Author, Content: content{Text: given.Text, Position: danmu.Mode(given.Type), Time: given.Time}}
	const white = 0xFFFFFF // DPlayer's default
	if given.Color != white {
		sub.Content.Color = fmt.Sprintf("#%06x", given.Color)
	}
	sent, err := s.submit(r, sub)
	return struct {
		Code int     `json:"code"`
		Data message `json:"data"`
	}{0, sent}, err
}

// artplayer serves the page with ArtPlayer, or one that says how to fetch it.
func artplayer(files fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "artplayer.html"
		if _, err := fs.Stat(files, "artplayer/artplayer.mjs"); err != nil {
			name = "no-artplayer.html"
		}
		// ArtPlayer writes styles into the page, and runs a worker of its own.
		w.Header().Set("Content-Security-Policy", policy+"; style-src 'self' 'unsafe-inline'; worker-src blob:")
		http.ServeFileFS(w, r, files, name)
	})
}
