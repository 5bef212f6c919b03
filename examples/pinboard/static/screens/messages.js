import { get, me, newKey, put } from "../api.js";
import { glyph, h, sheet } from "../dom.js";
import { fill } from "../fill.js";
import { on, once, watch } from "../live.js";
import { textOf } from "../messages/bubble.js";
import { outbox } from "../messages/outbox.js";
import { openTalk } from "../messages/talk.js";
import { names, t, whenOf } from "../messages/words.js";
import { empty, failure, skeleton, toast } from "../parts.js";
import { avatar, people, person } from "../people.js";
import { go } from "../router.js";
import { chooser } from "../top.js";

let known = null; // the inbox as it was read last, until it is read again

export async function show(main, { conversation }) {
  await sheet("/screens/messages.css");
  main.classList.toggle("talking", Boolean(conversation));
  const list = h("ul", { class: "list inbox-list" }), state = h("div", {}, known ? [] : skeleton(5));
  const talk = h("section", { class: "dialogue", "aria-label": t("conversation") });
  main.append(h("div", { class: "messages" },
    h("section", { class: "inbox", "aria-label": t("conversations") },
      h("header", { class: "row" }, h("h1", { class: "grow" }, t("title")),
        h("button", { type: "button", class: "icon", "aria-label": t("group"), title: t("group"), onclick: newGroup }, glyph("people")),
        h("button", { type: "button", class: "icon", "aria-label": t("start"), title: t("start"), onclick: () => chooser((id) => go(`/messages/${encodeURIComponent(id)}`)) }, glyph("edit"))),
      list, state),
    talk));

  const toOf = (e) => e.other ?? e.conversation;
  function render() {
    fill(list, known.map((e) => ({ key: toOf(e), content: JSON.stringify([e, toOf(e) === conversation]), make: () => row(e) })));
    state.replaceChildren(...(known.length ? [] : [empty(t("none"), "message")]));
  }

  function row(e) {
    const others = e.other ? [e.other] : (e.members ?? []).filter((id) => id !== me()), open = toOf(e) === conversation;
    const said = e.last && (e.last.recalled ? textOf(e.last) : e.last.sender === me() ? t("youSaid", e.last.text) : e.other ? e.last.text : t("said", person(e.last.sender).name, e.last.text));
    return h("li", {}, h("a", { class: e.unread && !open ? "chat unread" : "chat", href: `/messages/${encodeURIComponent(toOf(e))}`, "aria-current": open && "page", "data-part": "entry" },
      h("span", { class: others.length > 1 ? "pair" : "one" }, others.slice(0, 2).map((id) => avatar(id, others.length > 1 ? 34 : 48))),
      h("span", { class: "grow" },
        h("span", { class: "line" }, h("span", { class: "name" }, names(others.map((id) => person(id).name)) || t("you")), e.last && h("time", { datetime: e.last.time }, whenOf(e.last.time))),
        h("span", { class: "line" }, h("span", { class: "said", dir: "auto" }, said ?? ""), e.unread > 0 && !open && h("span", { class: "badge" }, h("span", { "aria-hidden": "true" }, e.unread > 99 ? "99+" : e.unread), h("span", { class: "visually-hidden" }, t("unread", e.unread)))))));
  }

  const reread = once(async () => {
    try {
      known = (await get("/api/inbox")).items;
      render();
    } catch (error) {
      if (!known) state.replaceChildren(failure(error, reread));
    }
  });

  if (known) render();
  const ignore = on({ inbox: reread, again: reread });
  outbox.addEventListener("sent", reread);
  reread();
  let close = null;
  if (conversation) close = openTalk(talk, conversation);
  else {
    watch("");
    talk.append(empty(t("pick"), "message"));
  }
  return () => {
    ignore();
    outbox.removeEventListener("sent", reread);
    close?.();
    watch("");
  };
}

// newGroup asks who is in a group, and creates it.
function newGroup() {
  const chosen = new Set(), list = h("ul", { class: "list people" });
  const create = h("button", { type: "button", class: "button primary", disabled: true, onclick: make }, t("create"));
  const find = h("input", { class: "field", type: "search", placeholder: t("search"), "aria-label": t("search"), oninput: draw });
  const dialog = h("dialog", { class: "card pad group-dialog", "aria-label": t("group"), onclose: () => dialog.remove() }, h("h2", {}, t("choose")), find, list, create);
  function draw() {
    const text = find.value.trim().toLowerCase();
    const found = people().filter((p) => p.id !== me() && (chosen.has(p.id) || `${p.id} ${p.name}`.toLowerCase().includes(text))).slice(0, 60);
    list.replaceChildren(...found.map((p) => h("li", {}, h("label", { class: "row" },
      h("input", { type: "checkbox", checked: chosen.has(p.id), onchange: (e) => { chosen[e.target.checked ? "add" : "delete"](p.id); create.disabled = chosen.size < 2; } }), avatar(p.id, 32), p.name))));
  }
  const group = `group_${newKey()}`; // a repeat creates no other
  async function make() {
    try {
      await put(`/api/talks/${group}`, { members: [...chosen] });
      dialog.close();
      go(`/messages/${group}`);
    } catch (error) {
      toast(error.message);
    }
  }
  draw();
  document.body.append(dialog);
  dialog.showModal();
}
