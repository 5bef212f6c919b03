package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/notify/message"
)

// lost makes a page lose the answers to what it sends, or with false the requests.
func lost(p browsertest.Window, arrive bool) {
	p.Do(fmt.Sprintf(`{
		const { fetch, setTimeout } = window;
		window.heal = () => Object.assign(window, { fetch, setTimeout });
		window.setTimeout = (call, ms) => setTimeout(call, ms <= 1000 ? 0 : ms);
		window.fetch = async (path, asked) => {
			if (asked?.method !== "POST") return fetch(path, asked);
			if (%t) await fetch(path, asked);
			throw new TypeError("the connection broke");
		};
	}`, arrive))
}

func lostAnswer(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann, bob := openTalk(t, b, w, "ann", "with=bob"), openTalk(t, b, w, "bob", "with=ann")
	ann.Do(`dispatchEvent(new Event("pagehide"))`) // her page is not told either
	lost(ann, true)
	writeIn(ann, "once")
	ann.Until(`document.querySelector(".pending.failed")?.textContent.includes("The server cannot be reached.")`)
	ann.Do(`heal()`)
	ann.Click(`[data-part=retry]`)
	ann.Until(`!document.querySelector(".pending") && ` + says("once"))
	ann.Until(`document.activeElement === document.querySelector("#history .said .bubble")`) // the focus was in the row that is no longer pending
	require.Equal(t, []string{"1 ann once"}, w.texts(t, "bob", annBob))
	bob.Until(says("once"))
}

func unsent(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann := openTalk(t, b, w, "ann", "with=bob")
	lost(ann, false)
	writeIn(ann, "one")
	writeIn(ann, "two")
	ann.Until(`document.querySelectorAll(".pending.failed").length === 2`)
	require.Empty(t, w.texts(t, "bob", annBob))
	w.goTo(t, ann, "ann", "with=bob")
	ann.Until(says("one|two") + ` && !document.querySelector(".pending")`)
	require.Equal(t, []string{"2 ann two", "1 ann one"}, w.texts(t, "bob", annBob))
	w.goTo(t, ann, "ann", "with=bob")
	ann.Until(says("one|two"))
	require.Len(t, w.texts(t, "bob", annBob), 2)
}

func tooFast(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann := openTalk(t, b, w, "ann", "with=bob")
	ann.Do(`{
		const { fetch, setTimeout } = window;
		let refused = 0;
		window.setTimeout = (call, ms) => setTimeout(call, ms === 3000 ? 0 : ms);
		window.fetch = async (path, asked) => asked?.method === "POST" && refused++ < 2 ?
			new Response('{"error":"Too Many Requests"}', { status: 429, headers: { "Retry-After": "3" } }) : fetch(path, asked);
		for (const text of ["one", "two", "three"]) {
			document.getElementById("text").value = text;
			document.getElementById("composer").requestSubmit();
		}
	}`)
	ann.Until(`!document.querySelector(".pending") && ` + says("one|two|three"))
	require.Equal(t, []string{"3 ann three", "2 ann two", "1 ann one"}, w.texts(t, "bob", annBob))
}

// Something was stored that no stream has shown the page.
func resetPage(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "bob", "ann", "one")
	p := openInbox(t, b, w, "ann")
	p.Do(`window.EventSource = class extends EventSource { constructor(path) { super(path); window.source = this; } }`)
	p.Click("#inbox .entry")
	p.Until(says("one"))
	_, err := w.service.messages.Recall(t.Context(), message.In{Conversation: annBob, User: "bob"}, 1)
	require.NoError(t, err)
	require.True(t, browsertest.Eval[bool](p, says("one")))
	p.Do(`source.dispatchEvent(new MessageEvent("reset", { data: "{}" }))`)
	p.Until(says("bob recalled this message."))
}

func refusedMessage(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann := openTalk(t, b, w, "ann", "with=bob", "status of 403")
	done[change](t, w.send(t, "PUT", "/users/bob/blocked/ann", ""))
	writeIn(ann, "hello?")
	ann.Until(`document.querySelector(".pending.refused")?.textContent.includes("one of you has blocked the other")`)
	ann.Click(`[data-part=rewrite]`)
	ann.Until(`document.getElementById("text").value === "hello?" && ` + bubbles + `.length === 0`)
}

func drafts(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "bob", "ann", "hello")
	p := openTalk(t, b, w, "ann", "with=bob")
	p.Until(bubbles + `.length === 1`)
	p.Click("#history summary")
	p.Click("[data-part=reply]")
	p.Type("#text", "for bob")
	w.goTo(t, p, "ann", "with=cleo")
	require.Empty(t, browsertest.Eval[string](p, `document.getElementById("text").value`))
	p.Type("#text", "for cleo")
	w.goTo(t, p, "ann", "with=bob")
	p.Until(`document.getElementById("text").value === "for bob" && document.getElementById("about").textContent.includes("hello")`)
	p.Type("#text", kb.Enter)
	p.Until(bubbles + `.length === 2 && !document.querySelector(".pending")`)
	w.goTo(t, p, "ann", "with=bob")
	require.Empty(t, browsertest.Eval[string](p, `document.getElementById("text").value`))
	require.EqualValues(t, 1, done[cursor.Page[letter]](t, w.send(t, "GET", within("bob", annBob)+"/messages", "")).Items[0].ReplyTo)
}

func cutOffTalk(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	p := openTalk(t, b, w, "ann", "with=bob", "net::ERR_")
	var want []string
	for i := range 2 {
		w.CloseClientConnections() // what is sent meanwhile, the page is not told
		w.Client().CloseIdleConnections()
		for n := range 2 {
			want = append(want, fmt.Sprint(i, n))
			w.say(t, "bob", "ann", want[len(want)-1])
		}
		if i == 1 {
			w.send(t, "PUT", within("bob", annBob)+"/messages/1", `{"text":"edited"}`)
			want[0] = "edited"
		}
		p.Until(says(strings.Join(want, "|")))
	}
	p.Until(`!document.querySelector("#inbox .badge")`)
}
