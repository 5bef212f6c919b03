package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// openTalk opens a user's page with the conversation that query names, and waits until
// the page gets its events.
func openTalk(t *testing.T, b browsertest.Browser, w world, user, query string, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	w.goTo(t, p, user, query)
	return p
}

func (w world) goTo(t *testing.T, p browsertest.Window, user, query string) {
	t.Helper()
	p.Open(w.URL + "/messages/?user=" + url.QueryEscape(user) + "&" + query)
	p.Until(`document.body.classList.contains("open") && document.getElementById("cut").hidden`)
}

// openInbox opens a user's page without a conversation.
func openInbox(t *testing.T, b browsertest.Browser, w world, user string) browsertest.Window {
	t.Helper()
	p := b.Window(t)
	p.Open(w.URL + "/messages/?user=" + url.QueryEscape(user))
	p.Until(`document.getElementById("cut").hidden`)
	return p
}

// Expressions about the page.
const (
	bubbles  = `[...document.querySelectorAll("#history .said")]`
	saidText = bubbles + `.map((li) => li.querySelector(".text").textContent).join("|")`
	ticks    = bubbles + `.map((li) => li.querySelector(".ticks")?.title ?? "-").join("|")`
	entries  = `[...document.querySelectorAll("#inbox .entry")]`
)

// says is an expression: the conversation shows these messages, and no others.
func says(texts string) string { return fmt.Sprintf(saidText+` === %q`, texts) }

// messagesPage are the tests of the page of conversations.
func messagesPage() pages {
	return pages{
		"two people write to each other in two windows":              twoTalk,
		"typing shows and ends":                                      typingShows,
		"a message whose answer was lost is stored once":             lostAnswer,
		"a message that never left is sent after a reload":           unsent,
		"who writes too fast is sent later, in order":                tooFast,
		"a page that was reset reads again":                          resetPage,
		"what the service refuses can be written again":              refusedMessage,
		"an edit and a recall show in the other window":              editAndRecall,
		"a reply leads to what it answers":                           reply,
		"a group of three":                                           groupOfThree,
		"a blocked pair":                                             blockedPair,
		"conversations by keyboard alone":                            talkKeyboard,
		"texts and names of messages are no markup":                  hostileTexts,
		"older messages come on scrolling, and the place is kept":    olderMessages,
		"drafts are kept":                                            drafts,
		"a conversation that was cut off misses and doubles nothing": cutOffTalk,
		"one's own windows agree":                                    ownWindows,
		"a phone shows one pane at a time":                           phone,
		"messages stand out and fit, light and dark":                 legibleMessages,
	}
}

func writeIn(p browsertest.Window, text string) {
	p.Type("#text", text)
	p.Press(kb.Enter)
}

func twoTalk(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann, bob := openTalk(t, b, w, "ann", "with=bob"), openInbox(t, b, w, "bob")
	writeIn(ann, "hello")
	ann.Until(says("hello") + ` && document.getElementById("text").value === ""`)
	writeIn(ann, "are you there?")
	bob.Until(entries + `.map((e) => e.textContent).join() .includes("are you there?2 unread") && document.title === "(2) Messages · Plaza"`)
	ann.Until(ticks + ` === "Sent|Sent"`)

	bob.Click("#inbox .entry")
	bob.Until(says("hello|are you there?"))
	bob.Until(`document.querySelector("#history .new + .said").textContent.includes("hello")`)
	bob.Until(`!document.querySelector("#inbox .badge") && document.title === "Messages · Plaza"`)
	ann.Until(ticks + ` === "Read|Read"`)
	ann.Until(`document.getElementById("presence").textContent === "Here now"`)

	writeIn(bob, "yes")
	for _, p := range []browsertest.Window{ann, bob} {
		p.Until(says("hello|are you there?|yes"))
	}
	bob.Until(ticks + ` === "-|-|Read"`)
	require.Equal(t, "bob: yes", browsertest.Eval[string](ann, `document.getElementById("status").textContent`))
	bob.Press(kb.Escape)
	ann.Until(`document.getElementById("presence").textContent === "Not here now"`)
	require.Equal(t, []string{"3 bob yes", "2 ann are you there?", "1 ann hello"}, w.texts(t, "ann", annBob))
}

func typingShows(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann, bob := openTalk(t, b, w, "ann", "with=bob"), openTalk(t, b, w, "bob", "with=ann")
	const shows, ended = `document.getElementById("typing").textContent === "ann is typing …"`, `document.getElementById("typing").textContent === ""`
	bob.Do(`{ const { setTimeout } = window; window.setTimeout = (call, ms) => ms === 6000 ? (window.time = call, 0) : setTimeout(call, ms); }`)
	ann.Type("#text", "h")
	bob.Until(shows)
	require.True(t, browsertest.Eval[bool](ann, ended), "one's own typing does not show")
	bob.Do(`time()`) // no more events of ann arrive
	bob.Until(ended)

	cleo := openTalk(t, b, w, "cleo", "with=bob")
	w.goTo(t, bob, "bob", "with=cleo")
	bob.Do(`{ const { setTimeout } = window; window.setTimeout = (call, ms) => ms === 6000 ? 0 : setTimeout(call, ms); }`)
	cleo.Type("#text", "h")
	bob.Until(`document.getElementById("typing").textContent === "cleo is typing …"`)
	cleo.Press(kb.Enter)
	bob.Until(says("h") + ` && ` + ended) // which the message says
}

func editAndRecall(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	for _, text := range []string{"helo", "oops", "wel"} {
		w.say(t, "ann", "bob", text)
	}
	ann := openTalk(t, b, w, "ann", "with=bob")
	ann.Until(says("helo|oops|wel"))
	ann.Click("#history .said summary")
	bob, other := openTalk(t, b, w, "bob", "with=ann"), openInbox(t, b, w, "bob")
	bob.Until(says("helo|oops|wel"))
	ann.Until(ticks + ` === "Read|Read|Read" && document.querySelector("#history details[open]")`)
	ann.Click("#history [data-part=edit]")
	ann.Until(`document.getElementById("text").value === "helo"`)
	ann.Type("#text", "!")
	ann.Press(kb.Enter)
	bob.Until(says("helo!|oops|wel") + ` && document.querySelector(".meta").textContent.includes("edited")`)
	ann.Press(kb.ArrowUp) // the last one
	ann.Type("#text", "l")
	ann.Press(kb.Escape)
	require.Empty(t, browsertest.Eval[string](ann, `document.getElementById("text").value`))
	ann.Press(kb.ArrowUp)
	ann.Type("#text", "l")
	ann.Press(kb.Enter)
	for _, p := range []browsertest.Window{ann, bob} {
		p.Until(says("helo!|oops|well"))
	}
	other.Until(entries + `.some((e) => e.textContent.includes("well"))`)

	ann.Click("#history li:nth-of-type(3) summary")
	ann.Click("#history li:nth-of-type(3) [data-part=recall]")
	bob.Until(says("helo!|ann recalled this message.|well"))
	ann.Until(says("helo!|You recalled this message.|well"))
	require.NotContains(t, browsertest.Eval[string](bob, `document.body.textContent`), "oops")
	require.Zero(t, browsertest.Eval[int](bob, `document.querySelectorAll("[data-part=edit], [data-part=recall]").length`), "only their sender")
}

// chatter fills the group hikers, which ann and bob are in. Each user sends few
// messages, because of the rate limit.
func (w world) chatter(t *testing.T, n int) {
	t.Helper()
	users := []string{"ann", "bob"}
	const each = 18
	for i := range (n + each - 1) / each {
		users = append(users, fmt.Sprint("user", i))
	}
	w.gather(t, "hikers", users...)
	for i := range n {
		w.sayIn(t, users[2+i/each], "hikers", strings.Repeat(fmt.Sprint(i+1, " "), 5+i%40))
	}
}

func reply(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.chatter(t, 35)
	bob := openTalk(t, b, w, "bob", "group=hikers")
	bob.Until(bubbles + `.length === 30`)
	done[letter](t, w.send(t, "POST", within("ann", "hikers")+"/messages", `{"key":"k","text":"about that","replyTo":1}`))
	bob.Until(saidText + `.endsWith("about that")`)
	bob.Click(".quote")
	bob.Until(`document.activeElement.matches(".bubble") && document.activeElement.textContent.includes("1 1 1")`)
	bob.Do(`document.activeElement.closest("li").querySelector("summary").click()`)
	bob.Do(`document.activeElement.closest("li").querySelector("[data-part=reply]").click()`)
	bob.Until(`document.getElementById("about").textContent.includes("Replying to user0: 1 1")`)
	writeIn(bob, "the answer")
	bob.Until(`document.getElementById("about").hidden`)
	require.Eventually(t, func() bool { return w.texts(t, "ann", "hikers")[0] == "37 bob the answer" }, patience, tick)
	bob.Until(`document.querySelector("#history .said:last-child .quote .line")?.textContent.startsWith("1 1 1")`)
}

func groupOfThree(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann := openInbox(t, b, w, "ann")
	ann.Click("#new-group summary")
	ann.Type("#group", "hikers")
	ann.Type("#members", "bob, cleo")
	ann.Press(kb.Enter)
	ann.Until(`document.getElementById("title").textContent === "hikers"`)
	bob, cleo := openTalk(t, b, w, "bob", "group=hikers", "status of 403"), openTalk(t, b, w, "cleo", "group=hikers", "status of 403")
	ann.Until(`document.getElementById("presence").textContent === "3 members · bob and cleo are here"`)
	writeIn(ann, "hello")
	for _, p := range []browsertest.Window{bob, cleo} {
		p.Until(says("hello") + ` && document.querySelector(".who").textContent.startsWith("ann")`)
	}
	ann.Until(ticks + ` === "Read by 2 of 2"`)

	cleo.Click("#choices summary")
	cleo.Click("[data-part=leave]")
	ann.Until(`document.getElementById("presence").textContent === "2 members · bob is here"`)
	cleo.Until(entries + `.length === 0`)
	writeIn(ann, "without cleo")
	bob.Until(says("hello|without cleo"))

	ann.Click("#choices summary")
	ann.Type("[data-part=name]", "dan")
	ann.Click("[data-part=add]")
	ann.Until(`!document.getElementById("choices").open`) // the service has answered
	dan := openTalk(t, b, w, "dan", "group=hikers")
	for _, p := range []browsertest.Window{ann, bob} {
		p.Until(`document.getElementById("presence").textContent.startsWith("3 members")`)
	}
	writeIn(dan, "hello, I am new")
	dan.Until(says("hello, I am new"))
	bob.Until(says("hello|without cleo|hello, I am new"))

	// A user who is removed elsewhere gets no more events, and cannot write.
	done[change](t, w.send(t, "DELETE", within("bob", "hikers")+"/members", ""))
	bob.Until(`document.getElementById("composer").hidden && document.getElementById("notice").textContent.includes("not in this group") && document.getElementById("cut").hidden`)
	writeIn(ann, "without bob")
	dan.Until(says("hello, I am new|without bob"))
	require.True(t, browsertest.Eval[bool](bob, says("hello|without cleo|hello, I am new")))
	done[change](t, w.send(t, "PUT", within("ann", "hikers")+"/members/bob", ""))
	bob.Until(`!document.getElementById("composer").hidden && document.getElementById("notice").textContent === ""`)
	writeIn(ann, "bob again")
	bob.Until(saidText + `.includes("bob again") && !` + saidText + `.includes("without bob")`)
}

func blockedPair(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "ann", "bob", "hello")
	bob, phone := openTalk(t, b, w, "bob", "with=ann"), openTalk(t, b, w, "bob", "with=ann")
	ann := openTalk(t, b, w, "ann", "with=bob", "status of 403")
	bob.Click("#choices summary")
	bob.Click("[data-part=block]")
	for _, p := range []browsertest.Window{bob, phone} {
		p.Until(`document.getElementById("composer").hidden && document.getElementById("blocked").textContent.includes("You have blocked ann.")`)
	}
	writeIn(ann, "are you there?")
	ann.Until(`document.querySelector(".pending.refused")`)
	require.Equal(t, []string{"1 ann hello"}, w.texts(t, "bob", annBob))
	bob.Click("#unblock")
	bob.Until(`!document.getElementById("composer").hidden`)
	ann.Click("[data-part=discard]")
	writeIn(ann, "again")
	bob.Until(says("hello|again"))
}

func talkKeyboard(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "bob", "ann", "hello")
	w.say(t, "cleo", "ann", "hi")
	p := openInbox(t, b, w, "ann")
	p.Until(entries + `.length === 2`)
	p.Do(`document.querySelector("#inbox button").focus()`)
	p.Press(kb.ArrowDown)
	p.Until(`document.activeElement === ` + entries + `[1]`)
	p.Press(kb.Enter)
	p.Until(`document.getElementById("title").textContent === "bob"`)
	p.Do(`document.getElementById("text").focus()`) // a page without a mouse leaves the focus in the list
	p.Type("#text", "one\n")
	p.Until(says("hello|one"))
	p.Type("#text", "two")
	shiftEnter(p)
	p.Type("#text", "lines")
	p.Press(kb.Enter)
	p.Until(says("hello|one|two\nlines") + ` && !document.querySelector(".pending")`) // a pending message has no menu
	p.Until(`document.activeElement.id === "text"`)

	p.Do(`document.querySelector("#history .said .bubble").focus()`)
	p.Press(kb.ArrowDown)
	p.Until(`document.activeElement.closest("li") === ` + bubbles + `[1]`)
	p.Do(`document.activeElement.closest("li").querySelector("summary").focus()`)
	p.Press(kb.Enter)
	p.Until(`document.querySelector("#history details[open]")`)
	w.say(t, "bob", "ann", "wait") // the list moves under the focus
	p.Until(bubbles + `.length === 4 && document.querySelector("#history details[open] summary") === document.activeElement`)
	p.Press(kb.Escape)
	p.Until(`!document.querySelector("details[open]") && document.activeElement.matches("summary")`)
	p.Press(kb.Escape)
	p.Until(`document.getElementById("talk").hidden && document.activeElement.closest("#inbox li").textContent.includes("bob")`)
	require.Zero(t, browsertest.Eval[int](p, `[...document.querySelectorAll("button, input, textarea, summary")].filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).length`), "each has a name")
}

// shiftEnter presses both where the focus is.
func shiftEnter(p browsertest.Window) {
	p.Do(`{
		const press = (kind) => document.activeElement.dispatchEvent(new KeyboardEvent(kind, { key: "Enter", shiftKey: true, bubbles: true }));
		press("keydown");
		document.execCommand("insertLineBreak");
		press("keyup");
	}`)
}

func hostileTexts(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	const evil = `<img src=x onerror=alert(1)>`
	const turned = "\u202eevil\u202c" // turns the text after it around
	w.say(t, evil, "ann", evil+"\n"+turned)
	w.gather(t, url.PathEscape("<b>group</b>"), "ann", evil)
	w.sayIn(t, evil, "<b>group</b>", "<script>alert(1)</script>")
	p := openTalk(t, b, w, "ann", "with="+url.QueryEscape(evil), "TrustedHTML")
	p.Until(says(evil + "\n" + turned))
	p.Until(entries + `.length === 2`)
	require.Equal(t, evil, browsertest.Eval[string](p, `document.getElementById("title").textContent`))
	w.goTo(t, p, "ann", "group="+url.QueryEscape("<b>group</b>"))
	p.Until(says("<script>alert(1)</script>"))
	require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll("main :is(img, b, script)").length`))
	require.Equal(t, "TypeError", browsertest.Eval[string](p, `(() => { try { document.body.innerHTML = "x"; } catch (e) { return e.name; } })()`), "the browser would refuse it")
	require.Equal(t, "auto", browsertest.Eval[string](p, `document.querySelector(".bubble .text").dir`), "a text turns no other one around")
}

func olderMessages(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.chatter(t, 70)
	p := openTalk(t, b, w, "ann", "group=hikers")
	const atEnd = `document.getElementById("scroll").scrollTop + document.getElementById("scroll").clientHeight >= document.getElementById("scroll").scrollHeight - 2`
	p.Until(bubbles + `.length === 30 && ` + atEnd + ` && !document.querySelector("#inbox .badge")`)
	p.Do(`{
		const box = document.getElementById("scroll");
		box.scrollTop = 60;
		window.seen = document.querySelector('#history [data-key="43"]');
		window.place = seen.getBoundingClientRect().top;
	}`)
	p.Until(bubbles + `.length === 60`)
	require.InDelta(t, browsertest.Eval[float64](p, `place`), browsertest.Eval[float64](p, `seen.getBoundingClientRect().top`), 1)

	w.sayIn(t, "bob", "hikers", "news") // while ann reads old messages
	p.Until(`document.getElementById("to-end").textContent === "1 new ↓"`)
	require.InDelta(t, browsertest.Eval[float64](p, `place`), browsertest.Eval[float64](p, `seen.getBoundingClientRect().top`), 1)
	require.Equal(t, []string{"hikers 1 news"}, w.inboxOf(t, "ann"), "she has not seen it")
	p.Click("#to-end")
	p.Until(atEnd)
	require.Eventually(t, func() bool { return w.inboxOf(t, "ann")[0] == "hikers 0 news" }, patience, tick)

	p.Do(`document.getElementById("scroll").scrollTop = 0`)
	p.Until(bubbles + `.length === 71 && document.getElementById("older").hidden`)
	require.Equal(t, 71, browsertest.Eval[int](p, `new Set(`+bubbles+`.map((li) => li.dataset.key)).size`))
}

func ownWindows(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "bob", "ann", "hello")
	desk, phone := openTalk(t, b, w, "ann", "with=bob"), openTalk(t, b, w, "ann", "with=bob")
	writeIn(desk, "from the desk")
	phone.Until(says("hello|from the desk"))
	phone.Click("#choices summary")
	phone.Click("[data-part=clear]")
	for _, p := range []browsertest.Window{phone, desk} {
		p.Until(bubbles + `.length === 0 && ` + entries + `[0].textContent.includes("No messages")`)
	}
	w.say(t, "bob", "ann", "afterwards")
	for _, p := range []browsertest.Window{phone, desk} {
		p.Until(says("afterwards"))
	}
}

func phone(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "bob", "ann", strings.Repeat("x", 400))
	w.gather(t, "hikers", "ann", "bob")
	p := b.Window(t)
	p.Size(360, 640)
	p.Open(w.URL + "/messages/?user=ann")
	p.Until(entries + `.length === 2 && !document.querySelector(".talk").checkVisibility()`)
	p.Click(`#inbox li:last-child .entry`)
	p.Until(bubbles + `.length === 1 && !document.querySelector(".side").checkVisibility()`)
	for _, part := range []string{"#send", "#back", "#choices summary"} {
		require.True(t, browsertest.Eval[bool](p, fmt.Sprintf(`(() => {
			const { left, right, top, bottom } = document.querySelector(%q).getBoundingClientRect();
			return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && right - left >= 24 && bottom - top >= 24;
		})()`, part)), part)
	}
	writeIn(p, "hello")
	p.Until(bubbles + `.length === 2`)
	p.Click("#back")
	p.Until(`document.querySelector(".side").checkVisibility() && document.activeElement.matches(".entry")`)
}

func legibleMessages(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.say(t, "ann", "bob", "hello")
	w.say(t, "bob", "ann", strings.Repeat("a long word", 40))
	m := w.say(t, "bob", "ann", "oops")
	w.send(t, "DELETE", within("bob", annBob)+fmt.Sprint("/messages/", m.Seq), "")
	w.send(t, "POST", within("bob", annBob)+"/messages", `{"key":"k","text":"an answer","replyTo":2}`)
	w.gather(t, "hikers", "ann", "bob", strings.Repeat("name", 30))
	w.sayIn(t, "bob", "hikers", "hello")
	w.sayIn(t, strings.Repeat("name", 30), "hikers", "hello")
	for _, dark := range []bool{false, true} {
		p := openTalk(t, b, w, "ann", "with=bob")
		if dark {
			p.Dark()
		}
		lost(p, false)
		writeIn(p, "never sent")
		p.Until(`document.querySelector(".pending.failed")`)
		for _, talk := range []string{"with=bob", "group=hikers"} {
			if talk == "group=hikers" {
				w.goTo(t, p, "ann", talk)
				p.Click("#choices summary")
			}
			p.Until(bubbles + `.length > 1`)
			for _, width := range []int64{1280, 360} {
				p.Size(width, 740)
				require.Empty(t, browsertest.Eval[[]string](p, faint), "%s, %d wide", talk, width)
				require.LessOrEqual(t, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), width, "nothing is wider than the page")
				require.LessOrEqual(t, browsertest.Eval[int64](p, `document.documentElement.scrollHeight`), int64(740), "the page itself does not scroll")
				require.Zero(t, browsertest.Eval[int](p, `document.getElementById("scroll").scrollWidth - document.getElementById("scroll").clientWidth`))
			}
		}
	}
}
