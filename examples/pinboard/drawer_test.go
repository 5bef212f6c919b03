package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/feed/reaction"
)

// drawerPages are the tests of the week's board, of moderation, of the drawer, and of what
// others try.
func drawerPages() pages {
	return pages{
		"the week's board moves":                        weeklyScreen,
		"the moderator decides":                         moderationScreen,
		"others are told who moderates":                 refusedModeration,
		"the drawer shows what clicks cost":             drawerScreen,
		"a lost answer doubles nothing":                 lostAnswers,
		"the page says that the service is away":        awayService,
		"a screen that could not be loaded comes later": awayScreen,
		"markup stays text":                             markupStaysText,
		"another site's page can do and read nothing":   otherSite,
	}
}

func weeklyScreen(t *testing.T, w *world, b browsertest.Browser) {
	empty := w.visit(t, b, "lin", "/weekly")
	says(empty, ".weekly", "Nobody has likes here yet.")

	w.points(t, map[string]int64{"ann": 30, "eric": 20, "chris": 10, "mia": 5, "aiko": 4})
	w.as(t, "lin").follow("mia")
	p := w.visit(t, b, "lin", "/weekly")
	p.Until(`document.querySelectorAll(".podium li").length === 3`)
	order := `[...document.querySelectorAll(".weekly [data-player]")].map((e) => e.dataset.player).join()`
	require.Equal(t, "ann,eric,chris,mia,aiko", browsertest.Eval[string](p, order))
	says(p, ".mine", "You have no likes yet.")

	w.points(t, map[string]int64{"mia": 3, "lin": 26}) // adds to what they have
	p.Do(`document.dispatchEvent(new Event("visibilitychange"))`)
	p.Until(order + ` === "ann,lin,eric,chris,mia,aiko"`)
	says(p, ".podium .me", "26 likes")

	press(p, ".tabs", "People you follow")
	p.Until(order + ` === "lin,mia"`)
	p.Until(`document.querySelector(".tabs [aria-pressed=true]").innerText === "People you follow"`)
}

func moderationScreen(t *testing.T, w *world, b browsertest.Browser) {
	picture := w.as(t, "ann").pin("Dawn")
	c := w.moderationComment(t, "chris", picture, "You are a fool", 0)
	w.as(t, "eric").report("comment:"+picture+"/"+c.ID.String(), "unkind")
	w.as(t, "lin").report("comment:"+picture+"/"+c.ID.String(), "rude")
	w.as(t, "lin").report("picture:"+picture, "mine")

	p := w.visit(t, b, "mia", "/moderation")
	p.Until(`document.querySelectorAll(".report").length === 2`)
	says(p, ".report", "You are a fool")
	p.Do(`[...document.querySelectorAll(".report")].find((e) => e.innerText.includes("fool")).querySelector("summary").click()`)
	says(p, ".reasons", "rude")
	says(p, ".reasons", "unkind")
	p.Do(`[...document.querySelectorAll(".report")].find((e) => e.innerText.includes("fool")).classList.add("chosen")`)
	p.Type(".chosen .field", "Be kind")
	press(p, ".chosen", "Hide")
	says(p, "#toasts", "Hidden.")
	_, err := w.Comments.Get(t.Context(), c.Address())
	require.Error(t, err)
	press(p, ".report", "Remove")
	p.Until(`!document.querySelector(".report")`)
	says(p, "#toasts", "Removed.")

	press(p, ".tabs", "What was done")
	p.Until(`document.querySelectorAll(".entry").length === 2`)
	says(p, ".entry", "Be kind")
	press(p, ".entry", "Show again")
	says(p, "#toasts", "It shows again.")
	require.Len(t, w.as(t, "mia").log(), 3)
}

func refusedModeration(t *testing.T, w *world, b browsertest.Browser) {
	p := w.visit(t, b, "ann", "/moderation", "403")
	says(p, "main", "Only moderators see what was reported.")
	press(p, "main", "Mia is one. Continue as Mia")
	p.Visible("main .empty")
	says(p, "main", "Nothing is reported.")
}

func drawerScreen(t *testing.T, w *world, b browsertest.Browser) {
	picture := w.as(t, "ann").pin("Dawn")
	p := w.visit(t, b, "eric", "/pins/"+picture)
	p.Visible(".actions [aria-pressed]")
	press(p, "#tools", "What clicks cost")
	for _, read := range []string{"Open a picture", "Read comments", "Read a tag's pins", "Count new notifications", "Count unread messages"} {
		says(p, ".panel", read)
	}
	press(p, ".panel", "Clear")
	p.Until(`!document.querySelector(".clicks .click")`)
	p.Click(".actions [aria-pressed]")
	says(p, ".clicks .click", "Like a picture")
	says(p, ".clicks .click", "feed/reaction.Repository.React")
	p.Until(`document.querySelectorAll(".clicks tbody tr").length === 2`)
	cost, _ := w.as(t, "eric").last()
	require.InDelta(t, 8, cost.Write, 4, "as AWS bills transactions")
	says(p, ".panel .total", "1 click,")
	says(p, ".background", "In the background")

	p.Open(w.server.URL + "/pins/" + picture) // what is open stays open, and what was cleared stays so
	says(p, ".clicks", "Like a picture")
	p.Press("\x1b")
	p.Do(`document.querySelector(".panel .button").focus()`)
	p.Press("\x1b")
	p.Until(`document.querySelector(".panel").hidden && document.activeElement.getAttribute("aria-label") === "What clicks cost"`)
}

func lostAnswers(t *testing.T, w *world, b browsertest.Browser) {
	picture := w.as(t, "ann").pin("Dawn")
	p := w.visit(t, b, "eric", "/pins/"+picture, "ERR_")
	p.Visible(".actions [aria-pressed]")
	press(p, "#tools", "What clicks cost")
	lose := func(route string, write func()) {
		t.Helper()
		p.Click(".switch")
		p.Until(`document.querySelector(".switch").ariaChecked === "true"`)
		write()
		for mark, text := range map[string]string{".was-lost": "Applied, answer lost", ".was-again": "Repeated: nothing doubled"} {
			p.Until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.innerText.includes(%q) && e.innerText.includes(%q))`, mark, route, text))
		}
		require.Equal(t, "false", browsertest.Eval[string](p, `document.querySelector(".switch").ariaChecked`), "only the next one")
	}
	lose("Write a comment", func() {
		p.Type(".composer textarea, form textarea", "Nice")
		press(p, "main form", "Send")
	})
	says(p, "main", "Nice")
	comments, err := w.Comments.ByObject(t.Context(), "picture:"+picture, cursor.PageRequest{}, nil)
	require.NoError(t, err)
	require.Len(t, comments.Items, 1)

	p.Open(w.server.URL + "/messages/ann")
	p.Visible("main form textarea, main form input")
	lose("Send a message", func() {
		p.Type("main form textarea, main form input", "Hello")
		press(p, "main form", "Send")
	})
	require.Equal(t, []string{"Hello"}, w.as(t, "ann").said("eric"))
}

func awayService(t *testing.T, w *world, b browsertest.Browser) {
	picture := w.as(t, "ann").pin("Dawn")
	k := newProgram(t, w)
	p := b.Window(t, "ERR_")
	k.open(p, "eric", "/pins/"+picture)
	p.Visible(".actions [aria-pressed]")
	p.Until(`document.getElementById("offline").hidden`)
	require.NoError(t, k.stop())
	p.Click(".actions [aria-pressed]")
	p.Until(`!document.getElementById("offline").hidden`)
	says(p, "#offline", "What you write waits here.")
	require.Equal(t, "true", browsertest.Eval[string](p, `document.querySelector(".actions [aria-pressed]").ariaPressed`), "it waits")
	require.True(t, browsertest.Eval[bool](p, `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`), "who leaves is warned")
	_, err := w.Reactions.Get(t.Context(), reaction.Reaction{User: "eric", Object: "picture:" + picture, Kind: like})
	require.Error(t, err)

	k.again(t)
	p.Until(`document.getElementById("offline").hidden`)
	require.Eventually(t, func() bool {
		_, err := w.Reactions.Get(t.Context(), reaction.Reaction{User: "eric", Object: "picture:" + picture, Kind: like})
		return err == nil
	}, bellPatience, bellTick, "the like that waited")
	p.Until(`document.querySelector(".actions [aria-pressed]").ariaPressed === "true"`)
	p.Until(`dispatchEvent(new Event("beforeunload", { cancelable: true }))`) // all was sent
}

func awayScreen(t *testing.T, w *world, b browsertest.Browser) {
	w.points(t, map[string]int64{"ann": 1})
	k := newProgram(t, w)
	p := b.Window(t, "ERR_")
	k.open(p, "eric", "/settings")
	p.Visible("main h1")
	require.NoError(t, k.stop())
	p.Do(`document.querySelector('[data-place="weekly"]').click()`)
	says(p, "main", "Try again")
	p.Until(`!document.getElementById("offline").hidden`)
	k.again(t)
	p.Visible(".podium")
}
