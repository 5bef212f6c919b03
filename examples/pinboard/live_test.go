package main

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// livePages are the tests of the screens that change by themselves. The workers of their
// worlds run.
func livePages() pages {
	return pages{
		"every screen is accessible":                         accessibleScreens,
		"the bell rings, and what is seen is not read":       bellScreen,
		"a hidden window gives its connection back":          hiddenWindow,
		"two people write to each other in two windows":      messagesScreen,
		"a message whose answer is lost is there once":       lostMessage,
		"a message that was refused can be written again":    refusedMessage,
		"a digest is chosen, sent and its mails are stopped": settingsScreen,
	}
}

// badged waits until a place of the bar has a badge with a text, or none if that is "".
func badged(p browsertest.Window, place, text string) {
	p.Until(fmt.Sprintf(`(document.querySelector('[data-place=%q] .badge > [aria-hidden]')?.textContent ?? "") === %q`, place, text))
}

// choose opens the menu of the first element and presses one of its choices.
func choose(p browsertest.Window, within, text string) {
	p.Until(fmt.Sprintf(`(() => {
		const menu = document.querySelector(%q);
		const choice = [...menu?.querySelectorAll(".sheet button") ?? []].find((e) => e.textContent === %q);
		if (choice && !menu.classList.contains("opened")) menu.querySelector("button").click();
		choice?.click();
		return Boolean(choice);
	})()`, within+" .choices", text))
}

func hiddenWindow(t *testing.T, w *world, b browsertest.Browser) {
	p := w.visit(t, b, "ann", "/settings")
	streams := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return w.rings.Present("ann") == n }, bellPatience, bellTick)
	}
	hide := func(hidden bool) {
		p.Do(fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`, hidden))
	}
	streams(1)
	hide(true)
	streams(0)
	first := w.as(t, "ann").pin("Quiet")
	w.bellLike(t, "eric", "picture:"+first)
	hide(false)
	badged(p, "bell", "1")
	streams(1)
}

func bellScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann := w.as(t, "ann")
	first := ann.pin(hostile)
	p, other := w.visit(t, b, "ann", "/settings"), w.visit(t, b, "ann", "/bell")
	says(other, ".empty", "All quiet")
	badged(p, "bell", "")
	other.Do(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })`) // it marks nothing as seen

	w.bellLike(t, "eric", "picture:"+first)
	badged(p, "bell", "1")
	w.bellLike(t, "chris", "picture:"+first)
	says(other, ".notice.unread", named("@chris and @eric liked your picture “"+hostile+"”"))
	says(other, ".notices h2", "NEW")

	p.Click(`[data-place=bell]`)
	p.Visible(".notice.unread")
	badged(p, "bell", "")
	badged(other, "bell", "")
	p.Click(".notice .open")
	p.Until(`location.pathname === "/pins/` + first + `"`)
	other.Until(`document.querySelector(".notice:not(.unread)")`)

	choose(other, ".notice", "Mark as unread")
	other.Until(`document.querySelector(".notice.unread")`)
	press(other, ".screen-bell", "Mark all as read")
	other.Until(`document.querySelector(".notice:not(.unread)")`)
	for _, put := range []struct{ away, shelf, back string }{
		{"Archive", "Archived", "Move back"}, {"Snooze for an hour", "Snoozed", "Wake it now"},
	} {
		choose(other, ".notice", put.away)
		other.Until(`!document.querySelector(".notice")`)
		press(other, ".tabs", put.shelf)
		other.Visible(".notice")
		choose(other, ".notice", put.back)
		other.Until(`!document.querySelector(".notice")`)
		press(other, ".tabs", "All")
		other.Visible(".notice")
	}
	choose(other, ".notice", "Mute this picture")
	says(other, ".toast", "Muted")
	require.Len(t, get[mutePage](ann, "/api/muted").Items, 1)
	stayText(t, other, "the bell")
}

// bubbles waits until a conversation has these texts.
func bubbles(p browsertest.Window, texts ...string) {
	p.Until(fmt.Sprintf(`[...document.querySelectorAll(".said .bubble > p")].map((e) => e.innerText).join("|") === [%s].join("|")`, list(texts)))
}

func list(texts []string) (all string) {
	for _, text := range texts {
		all += fmt.Sprintf("%q,", text)
	}
	return all
}

func messagesScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann, eric := w.visit(t, b, "ann", "/messages"), w.visit(t, b, "eric", "/weekly", "screens/weekly.js", "404")
	says(ann, ".inbox .empty", "No messages yet")
	press(ann, ".inbox", "New message")
	ann.Type("dialog input", "eric")
	press(ann, "dialog", nameOf("eric"))
	ann.Visible(".writer textarea")
	ann.Type(".writer textarea", hostile+kb.Enter)
	bubbles(ann, hostile)
	says(ann, ".receipt", "Sent")

	badged(eric, "messages", "1")
	eric.Click(`[data-place=messages]`)
	says(eric, ".chat.unread", nameOf("ann"))
	eric.Click(".chat")
	bubbles(eric, hostile)
	badged(eric, "messages", "")
	says(ann, ".receipt.seen", "Seen")
	says(ann, ".presence", "here now")

	eric.Type(".writer textarea", "Hm")
	says(ann, ".presence", nameOf("eric")+" is typing")
	choose(eric, ".said", "Reply")
	says(eric, ".writer-about", "Replying to "+nameOf("ann"))
	eric.Type(".writer textarea", "m"+kb.Enter)
	bubbles(ann, hostile, "Hmm")
	says(ann, ".said .quote", hostile)
	choose(ann, ".said.mine", "Edit")
	ann.Do(`document.querySelector(".writer textarea").value = ""`)
	ann.Type(".writer textarea", "Hello"+kb.Enter)
	bubbles(eric, "Hello", "Hmm")
	ann.Do(`window.confirm = () => true`)
	choose(ann, ".said.mine", "Recall")
	bubbles(eric, nameOf("ann")+" recalled a message", "Hmm")

	choose(eric, ".talk-head", "Block "+nameOf("ann"))
	says(eric, ".talk-notice", "You have blocked")
	choose(eric, ".talk-head", "Unblock "+nameOf("ann"))
	eric.Visible(".writer textarea")
	require.Equal(t, []string{"Hmm", ""}, w.as(t, "eric").said("ann"))
	stayText(t, eric, "a conversation")
}

// lostMessage loses the answer to the first sending, and then the page itself.
func lostMessage(t *testing.T, w *world, b browsertest.Browser) {
	p := w.visit(t, b, "ann", "/messages/eric")
	p.Visible(".writer textarea")
	p.Do(`{
		const { fetch } = window;
		window.fetch = async (path, asked) => {
			if (asked?.method !== "POST") return fetch(path, asked);
			await fetch(path, asked);
			window.fetch = window.arrives ? fetch : () => new Promise(() => {});
			throw new TypeError("the answer is lost");
		};
		window.arrives = true;
	}`)
	p.Type(".writer textarea", "once"+kb.Enter)
	bubbles(p, "once")
	p.Until(`!document.querySelector(".pending")`)

	p.Do(`window.fetch = () => new Promise(() => {})`) // from now on nothing arrives
	p.Type(".writer textarea", "twice"+kb.Enter)
	p.Until(`document.querySelector(".pending.sending")`)
	p.Open(w.server.URL + "/messages/eric")
	bubbles(p, "once", "twice")
	p.Until(`!document.querySelector(".pending")`)
	require.Equal(t, []string{"twice", "once"}, w.as(t, "eric").said("ann"))
}

func refusedMessage(t *testing.T, w *world, b browsertest.Browser) {
	p := w.visit(t, b, "ann", "/messages/eric")
	p.Visible(".writer textarea")
	p.Do(`{
		const { fetch } = window;
		window.fetch = (path, asked) => {
			if (asked?.method !== "POST") return fetch(path, asked);
			window.fetch = fetch;
			return new Response('{"error":"Forbidden","reason":"one of you has blocked the other"}', { status: 403 });
		};
	}`)
	p.Type(".writer textarea", "Hello?"+kb.Enter)
	says(p, ".pending.refused", "one of you has blocked the other")
	press(p, ".pending", "Edit")
	p.Until(`document.querySelector(".writer textarea").value === "Hello?" && !document.querySelector(".pending")`)
	p.Type(".writer textarea", kb.Enter)
	bubbles(p, "Hello?")
	p.Until(`!document.querySelector(".pending")`)
	require.Equal(t, []string{"Hello?"}, w.as(t, "eric").said("ann"))
}

func settingsScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann := w.as(t, "ann")
	picture := ann.pin("Dawn")
	p := w.visit(t, b, "ann", "/settings")
	says(p, ".settings", "No mails yet")
	p.Visible(".choices-table")
	p.Do(`document.querySelector('[aria-label="likes your picture or comment: Mail"]').click()`)
	p.Until(`!document.querySelector('[aria-label="likes your picture or comment: Mail"]').matches(":not(:checked)")`)
	p.Choose(".fields select", "week")
	says(p, ".settings [role=status]", "Saved")
	require.Eventually(t, func() bool { return get[settings](ann, "/api/settings").Digest.Every == "week" }, bellPatience, bellTick)
	w.bellLike(t, "eric", "picture:"+picture)
	w.bells(t, "ann", "@eric liked your picture “Dawn”")
	press(p, ".settings", "Send my digest now")
	says(p, ".mail .paper", named("@eric liked your picture “Dawn”"))
	press(p, ".mail", "No more mails")
	says(p, ".toast", "You get no more mails")
	p.Until(`document.querySelector('[aria-label="likes your picture or comment: Mail"]').matches(":not(:checked)")`)
	press(p, ".mail", w.server.URL+"/pins/"+picture)
	p.Until(`location.pathname === "/pins/` + picture + `"`)

	call[changed](ann, http.MethodPut, "/api/blocked/lin", struct{}{})
	call[changed](ann, http.MethodPut, "/api/muted/picture:"+picture, struct{}{})
	p.Open(w.server.URL + "/settings")
	says(p, ".ended li", "Dawn")
	press(p, ".ended", "Unblock")
	press(p, ".ended", "Unmute")
	says(p, ".settings", "You have blocked nobody")
	says(p, ".settings", "You have muted nothing")
}
