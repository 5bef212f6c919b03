package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

func aBoardIsMadeOnceRenamedAndFollowed(t *testing.T, w *world) {
	camila, carlos := w.as(t, "camila"), w.as(t, "carlos")
	require.Equal(t, "camila.places", camila.makeBoard("Places"))
	require.Equal(t, "camila.places", camila.makeBoard(" places! "))
	require.Equal(t, "camila.厨房-2", camila.makeBoard("厨房 2"))
	carlos.follow("board:camila.places")
	picture := camila.pin("Dawn")
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](carlos, "/api/home")))

	carlos.refused(http.StatusForbidden, http.MethodPut, "/api/boards/camila.places", boardData{"Mine"})
	require.True(t, call[changed](camila, http.MethodPut, "/api/boards/camila.places", boardData{attack}).Changed)
	require.False(t, call[changed](camila, http.MethodPut, "/api/boards/camila.places", boardData{attack}).Changed)
	shown := get[struct {
		board
		followed
	}](carlos, "/api/boards/camila.places")
	require.Equal(t, []any{"camila.places", attack, "camila", true, int64(1)}, []any{shown.ID, shown.Name, shown.Owner, shown.Follows, shown.Followers})

	boards := get[[]board](carlos, "/api/people/camila/boards")
	require.Len(t, boards, 2)
	require.Equal(t, []string{picture}, boards[1].Pictures)
}

func boardsNeedANameWithLetters(t *testing.T, w *world) {
	carmen := w.as(t, "carmen")
	for _, name := range []string{"", "  ", "!?", strings.Repeat("x", maxName+1)} {
		require.Equal(t, "name", carmen.refused(http.StatusBadRequest, http.MethodPost, "/api/boards", boardData{name}).Field, name)
	}
	require.Empty(t, get[[]board](carmen, "/api/people/carmen/boards"))
}
