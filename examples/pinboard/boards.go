package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/examples/pinboard/slug"
	"github.com/plaza-sdk/plaza/feed"
)

const (
	maxName   = 60              // characters of a board's name
	maxBoards = cursor.MaxLimit // of a person, so that one request reads their names
	collage   = 4               // pictures of a board on a profile
	collages  = 12              // boards of a page, whose pictures are read at once
)

func (s *api) boardRoutes() {
	s.route("GET /api/boards", s.ownBoards)
	s.route("POST /api/boards", s.createBoard)
	s.route("GET /api/boards/{board}", s.showBoard)
	s.route("PUT /api/boards/{board}", s.renameBoard)
	s.route("GET /api/boards/{board}/pins", s.boardPins, "cursor")
}

// board is a person's collection of pins. A person's boards are the activities of the
// outbox boards:<person>; each is also the only one of the outbox about:<id>. A board's pins
// are those of the outbox board:<id>.
type board struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Owner    string    `json:"owner"`
	At       time.Time `json:"at"`
	Pictures []string  `json:"pictures,omitempty"` // the newest

	made feed.Activity
}

type boardData struct {
	Name string `json:"name"`
}

func boardOf(made feed.Activity) (board, error) {
	var data boardData
	if err := json.Unmarshal(made.Data, &data); err != nil {
		return board{}, fmt.Errorf("data of %s/%s: %w", made.Owner, made.ID, err)
	}
	return board{ID: made.Object.ID, Name: data.Name, Owner: made.Actor.ID, At: made.Time, made: made}, nil
}

// createBoard makes a board, up to maxBoards; a few more if they are made at once. Its
// ForeignID follows from its name, so a repeat makes no second one.
func (s *api) createBoard(r *http.Request, me people.Person) (any, error) {
	name, err := readName(r)
	if err != nil {
		return nil, err
	}
	id := slug.Of(name)
	if id == "" {
		return nil, &plaza.InvalidError{Field: "name", Reason: "has no letter and no digit"}
	}
	id = me.ID + "." + id
	if b, err := s.board(r.Context(), id); !errors.Is(err, plaza.ErrNotFound) {
		return b, err
	}
	switch all, err := s.boardsOf(r.Context(), me.ID, cursor.PageRequest{Limit: maxBoards}); {
	case err != nil:
		return nil, err
	case len(all.Items) >= maxBoards:
		return nil, &guard.RefusedError{Status: http.StatusConflict, Reason: fmt.Sprintf("you have %d boards, and nobody has more", maxBoards)}
	}
	data, err := json.Marshal(boardData{name})
	if err != nil {
		return nil, err
	}
	made, _, err := s.Feeds.Outbox("boards:"+me.ID).Publish(r.Context(), feed.Activity{
		Actor: feed.Ref{ID: me.ID}, Verb: "create", Object: feed.Ref{Kind: "board", ID: id},
		ForeignID: id, To: []string{"about:" + id}, Data: data,
	})
	if err != nil {
		return nil, err
	}
	return boardOf(made)
}

// renameBoard keeps the board's id, so that links and followers stay.
func (s *api) renameBoard(r *http.Request, me people.Person) (any, error) {
	name, err := readName(r)
	if err != nil {
		return nil, err
	}
	b, err := s.board(r.Context(), r.PathValue("board"))
	if err != nil {
		return nil, err
	}
	if b.Owner != me.ID {
		return nil, fmt.Errorf("renaming board %s: %w", b.ID, plaza.ErrForbidden)
	}
	if b.made.Data, err = json.Marshal(boardData{name}); err != nil {
		return nil, err
	}
	_, renamed, err := s.Feeds.Outbox("boards:"+me.ID).Update(r.Context(), b.made)
	return changed{renamed}, err
}

func (s *api) showBoard(r *http.Request, me people.Person) (any, error) {
	b, err := s.board(r.Context(), r.PathValue("board"))
	if err != nil {
		return nil, err
	}
	f, err := s.followed(r.Context(), me, feed.Ref{Kind: "board", ID: b.ID})
	return struct {
		board
		followed
	}{b, f}, err
}

func (s *api) boardPins(r *http.Request, me people.Person) (any, error) {
	b, err := s.board(r.Context(), r.PathValue("board"))
	if err != nil {
		return nil, err
	}
	return s.listCards(r, me, s.Feeds.Outbox("board:"+b.ID).List)
}

// ownBoards lists one's boards by name, in 1 request.
func (s *api) ownBoards(r *http.Request, me people.Person) (any, error) {
	return s.boardsOf(r.Context(), me.ID, cursor.PageRequest{Limit: maxBoards})
}

// profileBoards lists a person's boards with the newest pictures of each.
func (s *api) profileBoards(r *http.Request, _ people.Person) (any, error) {
	p, err := personOf(r)
	if err != nil {
		return nil, err
	}
	page, err := s.boardsOf(r.Context(), p.ID, pageOf(r, collages))
	if err != nil {
		return nil, err
	}
	reading, ctx := errgroup.WithContext(r.Context())
	for i := range page.Items {
		b := &page.Items[i]
		reading.Go(func() error {
			pins, err := s.Feeds.Outbox("board:"+b.ID).List(ctx, cursor.PageRequest{Limit: collage})
			for _, pin := range pins.Items {
				b.Pictures = append(b.Pictures, pin.Object.ID)
			}
			return err
		})
	}
	return page, reading.Wait()
}

// boardsOf lists a person's boards, the newest first.
func (s *api) boardsOf(ctx context.Context, person string, req cursor.PageRequest) (cursor.Page[board], error) {
	made, err := s.Feeds.Outbox("boards:"+person).List(ctx, req)
	page := cursor.Page[board]{Items: make([]board, len(made.Items)), Next: made.Next, Prev: made.Prev}
	for i, a := range made.Items {
		if page.Items[i], err = boardOf(a); err != nil {
			break
		}
	}
	return page, err
}

// board returns a board by its id, in 2 requests. An unknown one is plaza.ErrNotFound.
func (s *api) board(ctx context.Context, id string) (board, error) {
	made, err := s.Feeds.Outbox("about:"+id).List(ctx, cursor.PageRequest{Limit: 1})
	switch {
	case err != nil:
		return board{}, err
	case len(made.Items) == 0:
		return board{}, fmt.Errorf("board: %w", plaza.ErrNotFound)
	}
	return boardOf(made.Items[0])
}

func readName(r *http.Request) (string, error) {
	var body boardData
	if err := guard.ReadJSON(r, &body); err != nil {
		return "", err
	}
	name := strings.TrimSpace(body.Name)
	if name == "" || utf8.RuneCountInString(name) > maxName {
		return "", &plaza.InvalidError{Field: "name", Reason: fmt.Sprintf("does not have 1 to %d characters", maxName)}
	}
	return name, nil
}
