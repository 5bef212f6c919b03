package main

import (
	"fmt"
	"net/http"
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
	camila.once(http.MethodPut, "/api/boards/camila.places", boardData{hostile})
	shown := get[struct {
		board
		followed
	}](carlos, "/api/boards/camila.places")
	require.Equal(t, []any{"camila.places", hostile, "camila", true, int64(1)}, []any{shown.ID, shown.Name, shown.Owner, shown.Follows, shown.Followers})

	boards := get[cursor.Page[board]](carlos, "/api/people/camila/boards").Items
	require.Len(t, boards, 2)
	require.Equal(t, []string{picture}, boards[1].Pictures)
}

func boardsAreBoundedAndReadInPages(t *testing.T, w *world) {
	dao := w.as(t, "dao")
	for i := range maxBoards {
		dao.makeBoard(fmt.Sprint("Board ", i))
	}
	dao.refused(http.StatusConflict, http.MethodPost, "/api/boards", boardData{"One more"})
	require.Equal(t, "dao.board-0", dao.makeBoard("Board 0"), "a repeat is no further one")
	shown, next := 0, "?cursor="
	for next != "" {
		page := get[cursor.Page[board]](dao, "/api/people/dao/boards"+next)
		cost, each := dao.last()
		require.LessOrEqual(t, cost.Requests, 1+collages, "%v", each)
		if shown, next = shown+len(page.Items), ""; page.Next != "" {
			next = "?cursor=" + string(page.Next)
		}
	}
	require.Equal(t, maxBoards, shown)
	for path, requests := range map[string]int{"/api/boards": 1, "/api/boards/dao.board-0": 4} { // two are about its followers
		dao.send(http.MethodGet, path, nil)
		cost, each := dao.last()
		require.Equal(t, requests, cost.Requests, "%s: %v", path, each)
	}
	require.Len(t, get[cursor.Page[board]](dao, "/api/boards").Items, maxBoards)
}
