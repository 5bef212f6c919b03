import { del, get, me, put } from "../api.js";
import { glyph, h } from "../dom.js";
import { fill } from "../fill.js";
import { on, once, watch } from "../live.js";
import { menu } from "../menu.js";
import { failure, skeleton, toast } from "../parts.js";
import { avatar, person, personLink } from "../people.js";
import { go } from "../router.js";
import { bubble, divider, pending, textOf } from "./bubble.js";
import { History } from "./history.js";
import { outbox } from "./outbox.js";
import { Scroller } from "./scroller.js";
import { dayOf, names, t } from "./words.js";

const typingEvery = 3000; // milliseconds between two signs that somebody writes

// openTalk shows a conversation, which need not have begun, and returns what ends it. with
// is the other person, or the name of a group.
export function openTalk(box, to) {
  const path = `/api/talks/${encodeURIComponent(to)}`, group = to.startsWith("group_"), other = group ? "" : to;
  const draftPlace = `pinboard.draft.${me()}.${to}`;
  let talk = { members: group ? [me()] : [me(), to], read: {} }, here = [], writers = new Map(), gone = false;
  let read = 0, newFrom = Infinity, known = null; // up to where this page has marked, the first that was unread, the newest that was announced
  let edits = null, answers = null, signed = 0, shown = "";

  const history = new History(`${path}/messages`, { changed: render, failed: refused });
  const heading = h("h2", { class: "name" }), presence = h("span", { class: "presence", role: "status" });
  const options = h("div", { class: "options" });
  const list = h("ol", { class: "list talk-list" });
  const scroll = h("div", { class: "talk-scroll", tabIndex: 0, role: "group", "aria-label": t("conversation") }, h("div", { class: "waiting" }, skeleton(4)), list);
  const toEnd = h("button", { type: "button", class: "icon to-end", "aria-label": t("toEnd"), hidden: true, onclick: () => scroller.toEnd() }, glyph("down"));
  const status = h("p", { class: "visually-hidden", role: "status" });
  const notice = h("p", { class: "talk-notice", hidden: true });
  const aboutText = h("span", { class: "grow" });
  const aboutBar = h("div", { class: "writer-about", hidden: true }, glyph("reply"), aboutText, h("button", { type: "button", class: "icon", "aria-label": t("cancel"), onclick: cancel }, glyph("close")));
  const text = h("textarea", { class: "field", rows: 1, placeholder: t("write"), "aria-label": t("write"), dir: "auto", maxLength: 4000, oninput: typed, onkeydown: key });
  const send = h("button", { type: "submit", class: "icon send", "aria-label": t("send") }, glyph("send"));
  const composer = h("form", { class: "writer", onsubmit: (e) => { e.preventDefault(); submit(); } }, aboutBar, h("div", { class: "row" }, h("div", { class: "grow grows" }, text), send));
  box.replaceChildren(
    h("header", { class: "talk-head" },
      h("a", { class: "icon talk-back", href: "/messages", "aria-label": t("back") }, glyph("back")),
      h("div", { class: "grow" }, heading, presence), options),
    scroll, toEnd, status, notice, composer);
  const scroller = new Scroller(scroll, { top: () => history.loaded && history.hasOlder && history.older(), end: (end) => { toEnd.hidden = end; mark(); } });

  // --- who

  const others = () => talk.members.filter((id) => id !== me());
  function head() {
    const all = others();
    const look = JSON.stringify([all, talk.mine, gone]);
    if (look !== shown) title(all);
    shown = look;
    const now = Date.now(), writing = [...writers].filter(([id, until]) => id !== me() && until > now).map(([id]) => person(id).name);
    const present = here.filter((id) => id !== me());
    presence.classList.toggle("on", present.length > 0);
    presence.textContent = writing.length ? t("typing", names(writing)) : present.length ? (group ? `${names(present.map((id) => person(id).name))} ${t("here")}` : t("here")) : group ? t("members", talk.members.length) : "";
    const why = gone ? t("left") : talk.blocked ? (talk.mine ? t("blockedMine", person(other).name) : t("blockedOther")) : "";
    notice.textContent = why;
    notice.hidden = !why;
    composer.hidden = Boolean(why);
  }

  // title also has the menu, which stays open while it is the same.
  function title(all) {
    heading.replaceChildren(...(group ? [h("span", { class: "stack" }, all.slice(0, 3).map((id) => avatar(id, 32))), h("span", {}, names(all.map((id) => person(id).name)) || t("you"))] : [personLink(other, 40)]));
    heading.title = group ? names(all.map((id) => person(id).name)) : "";
    options.replaceChildren(gone ? "" : menu(t("options"), group
      ? [[t("leave"), "leave", leave]]
      : [[t("profile"), "people", () => go(`/people/${encodeURIComponent(other)}`)], talk.mine ? [t("unblock", person(other).name), "check", () => block(false)] : [t("block", person(other).name), "block", () => block(true)]]));
  }

  const reread = once(async () => {
    try {
      const now = await get(path);
      if (!history.loaded) read = now.read[me()] ?? 0;
      for (const [id, seq] of Object.entries(talk.read)) now.read[id] = Math.max(seq, now.read[id] ?? 0);
      talk = now;
      head();
      await history.reread();
    } catch (error) {
      refused(error);
    }
  });

  // Former members may still read the messages before they left.
  function refused(error) {
    if (error.status === 403 && group && history.loaded) {
      gone = true;
      head();
    } else if (history.loaded) toast(error.message);
    else scroll.replaceChildren(failure(error, error.status < 500 ? null : () => { scroll.replaceChildren(list); reread(); }));
  }

  async function block(yes) {
    try {
      await (yes ? put : del)(`/api/blocked/${encodeURIComponent(other)}`);
      reread();
    } catch (error) {
      toast(error.message);
    }
  }

  async function leave() {
    try {
      await del(`${path}/members`);
      go("/messages");
    } catch (error) {
      toast(error.message);
    }
  }

  // --- messages

  function render() {
    scroll.querySelector(".waiting")?.remove();
    const messages = history.all, keys = new Set(), items = [];
    const quotedBy = ({ replyTo }) => (replyTo ? history.at(replyTo) ?? { missing: true } : undefined);
    if (history.loaded && known === null) {
      const unread = messages.find((m) => m.seq > read && m.sender !== me());
      if (unread) newFrom = unread.seq;
    }
    const mine = messages.findLast((m) => m.sender === me() && !m.recalled);
    messages.forEach((message, i) => {
      const before = messages[i - 1], after = messages[i + 1];
      if (message.sender === me()) keys.add(message.key);
      const day = dayOf(message.time), newDay = !before || dayOf(before.time) !== day;
      if (newDay) items.push({ key: `day ${message.seq}`, content: day, make: () => divider(day, "day") });
      if (message.seq === newFrom) items.push({ key: "new", content: "", make: () => divider(t("fresh"), "new") });
      const look = { group, first: newDay || before?.sender !== message.sender, last: after?.sender !== message.sender, quoted: message.recalled ? undefined : quotedBy(message) };
      items.push({ key: `${message.seq}`, was: `unsent ${message.key}`, content: JSON.stringify([message, look]), make: () => bubble(message, { ...look, act }) });
      if (message === mine) {
        const seen = others().filter((id) => (talk.read[id] ?? 0) >= message.seq);
        const words = seen.length === 0 ? t("sent") : group ? t("seenBy", names(seen.map((id) => person(id).name))) : t("seen");
        items.push({ key: "receipt", content: words, make: () => h("li", { class: seen.length ? "receipt seen" : "receipt" }, glyph("check"), seen.length > 0 && glyph("check"), words) });
      }
    });
    for (const item of outbox.of(to)) {
      if (keys.has(item.key)) outbox.forget(item.key);
      else items.push({ key: `unsent ${item.key}`, content: `${item.state} ${item.reason}`, make: () => pending(item, { quoted: quotedBy(item), act }) });
    }
    if (history.loaded && items.length === 0) items.push({ key: "nothing", content: "", make: () => h("li", { class: "state" }, group ? "" : avatar(other, 72), h("p", {}, t("nothing"))) });
    scroller.keep(() => fill(list, items));
    if (!history.loaded) return;
    const came = messages.filter((m) => known !== null && m.seq > known && m.sender !== me());
    if (came.length) status.textContent = came.map((m) => `${person(m.sender).name}: ${textOf(m)}`).join("\n");
    known = Math.max(known ?? 0, history.newest);
    mark();
  }

  // mark marks the messages on the screen as read.
  function mark() {
    const upTo = history.all.findLast((m) => m.sender !== me())?.seq ?? 0;
    if (!history.loaded || gone || upTo <= read || document.visibilityState !== "visible" || !scroller.atEnd) return;
    const before = read;
    read = upTo;
    put(`${path}/read`, { upTo }).catch(() => { read = before; });
  }

  function act(what, about) {
    switch (what) {
      case "reply": answers = about; edits = null; return compose(text.value);
      case "edit": edits = about; answers = null; return compose(about.text);
      case "recall": return confirm(t("recallSure")) && del(`${path}/messages/${about.seq}`).then(() => history.recalled(about.seq), (error) => toast(error.message));
      case "retry": return outbox.retry(about.key);
      case "discard": outbox.forget(about.key); render(); return text.focus();
      case "rewrite": outbox.forget(about.key); render(); return compose(about.text);
      case "jump": return jump(about);
    }
  }

  // jump shows the message that another one answers.
  async function jump(seq) {
    while (!history.at(seq) && history.hasOlder && list.isConnected) await history.older();
    const li = list.querySelector(`[data-key="${seq}"]`);
    if (!li) return;
    li.scrollIntoView({ block: "center" });
    li.querySelector(".bubble").focus();
  }

  // --- the writer

  function compose(value) {
    text.value = value;
    aboutBar.hidden = !edits && !answers;
    if (edits) aboutText.textContent = t("editing");
    if (answers) aboutText.replaceChildren(h("strong", {}, t("replying", answers.sender === me() ? t("you") : person(answers.sender).name)), " ", textOf(answers));
    send.setAttribute("aria-label", edits ? t("save") : t("send"));
    grow();
    if (!composer.hidden && matchMedia("(hover: hover)").matches) text.focus(); // a phone's keyboard would cover all
  }

  function cancel() {
    const draft = edits ? sessionStorage.getItem(draftPlace) ?? "" : text.value;
    edits = answers = null;
    compose(draft);
  }

  const grow = () => { text.parentElement.dataset.text = text.value; };

  function typed() {
    grow();
    if (edits) return;
    if (text.value) sessionStorage.setItem(draftPlace, text.value);
    else sessionStorage.removeItem(draftPlace);
    if (!text.value || Date.now() - signed < typingEvery) return;
    signed = Date.now();
    put(`${path}/typing`).catch(() => {}); // nobody needs to know that it failed
  }

  function key(e) {
    if (e.isComposing) return;
    if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      submit();
    } else if (e.key === "Escape" && (edits || answers)) cancel();
    else if (e.key === "ArrowUp" && text.value === "") {
      const last = history.all.findLast((m) => m.sender === me() && !m.recalled);
      if (last) {
        e.preventDefault();
        act("edit", last);
      }
    }
  }

  async function submit() {
    const said = text.value.trim();
    if (!said) return;
    if (edits) {
      const edited = edits;
      cancel();
      if (said === edited.text) return;
      try {
        history.put(await put(`${path}/messages/${edited.seq}`, { text: said }));
      } catch (error) {
        toast(error.message);
        act("edit", { ...edited, text: said });
      }
      return;
    }
    const replyTo = answers?.seq;
    answers = null;
    signed = 0;
    sessionStorage.removeItem(draftPlace);
    compose("");
    outbox.add(to, said, replyTo);
    scroller.toEnd();
  }

  // --- events

  function batch(events) {
    for (const { kind, message, user, seq, until } of events) {
      switch (kind) {
        case "sent":
        case "edited": writers.delete(user); history.put(message); break;
        case "recalled": history.recalled(seq); break;
        case "read": talk.read[user] = Math.max(talk.read[user] ?? 0, seq); render(); break;
        case "typing": writers.set(user, Date.parse(until)); setTimeout(head, Math.max(0, Date.parse(until) - Date.now()) + 50); break;
        case "joined":
        case "left": reread(); break;
      }
    }
    head();
  }

  const ignore = on({
    again: reread, batch,
    present: (all) => { here = all; head(); },
    gone: () => { gone = true; head(); },
    inbox: (events) => { if (events.some((e) => e.conversation === talk.conversation && (e.kind === "blocked" || e.kind === "unblocked"))) reread(); },
  });
  const sent = (e) => e.detail.to === to && history.put(e.detail.message), visible = () => mark();
  outbox.addEventListener("changed", render);
  outbox.addEventListener("sent", sent);
  document.addEventListener("visibilitychange", visible);
  head();
  compose(sessionStorage.getItem(draftPlace) ?? "");
  watch(to);
  reread();
  return () => {
    ignore();
    history.close();
    scroller.close();
    outbox.removeEventListener("changed", render);
    outbox.removeEventListener("sent", sent);
    document.removeEventListener("visibilitychange", visible);
  };
}
