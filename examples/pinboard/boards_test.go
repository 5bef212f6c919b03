package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

func TestABoardIsMadeOnceRenamedAndFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	require.Equal(t, "ann.places", ann.makeBoard("Places"))
	require.Equal(t, "ann.places", ann.makeBoard(" places! "))
	require.Equal(t, "ann.厨房-2", ann.makeBoard("厨房 2"))
	eric.follow("board:ann.places")
	picture := ann.pin("Dawn")
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](eric, "/api/home")))

	eric.refused(http.StatusForbidden, http.MethodPut, "/api/boards/ann.places", boardData{"Mine"})
	require.True(t, call[changed](ann, http.MethodPut, "/api/boards/ann.places", boardData{attack}).Changed)
	require.False(t, call[changed](ann, http.MethodPut, "/api/boards/ann.places", boardData{attack}).Changed)
	shown := get[struct {
		board
		followed
	}](eric, "/api/boards/ann.places")
	require.Equal(t, []any{"ann.places", attack, "ann", true, int64(1)}, []any{shown.ID, shown.Name, shown.Owner, shown.Follows, shown.Followers})

	boards := get[[]board](eric, "/api/people/ann/boards")
	require.Len(t, boards, 2)
	require.Equal(t, []string{picture}, boards[1].Pictures)
}

func TestBoardsNeedANameWithLetters(t *testing.T) {
	t.Parallel()
	ann := newWorld(t).as(t, "ann")
	for _, name := range []string{"", "  ", "!?", strings.Repeat("x", maxName+1)} {
		require.Equal(t, "name", ann.refused(http.StatusBadRequest, http.MethodPost, "/api/boards", boardData{name}).Field, name)
	}
	require.Empty(t, get[[]board](ann, "/api/people/ann/boards"))
}
