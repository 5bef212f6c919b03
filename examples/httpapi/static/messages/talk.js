import * as api from "./api.js";
import { bubble, divider, pending } from "./bubble.js";
import { Composer } from "./composer.js";
import { History } from "./history.js";
import { People } from "./people.js";
import { byId } from "../shared/dom.js";
import { fill } from "../shared/list.js";
import { nameOf } from "./inbox.js";
import { Scroller } from "./scroller.js";
import { dayOf, said } from "./words.js";

// Talk shows the conversation that is open.
export class Talk {
  #user;
  #entry; // of the inbox
  #history;
  #receipts = {};
  #newFrom = 0; // the first message that was unread when it was opened
  #read = 0; // up to where this page has marked it
  #gone = false; // whether the user has left
  #known; // the newest message that this page has announced

  constructor({ outbox, failed, gone, rejoined }) {
    Object.assign(this, { outbox, failed, gone, rejoined });
    this.people = new People({ failed, left: () => this.#left() });
    this.scroller = new Scroller({ top: () => this.#older(), end: () => this.#mark() });
    this.composer = new Composer({
      send: (text, answers) => { outbox.add(this.conversation, text, answers); this.scroller.toEnd(); },
      edit: (message, text) => this.#edit(message, text),
      last: () => this.#history?.all.findLast((message) => message.sender === this.#user && !message.recalled),
    });
    byId("older").addEventListener("click", () => this.#older());
    byId("history").addEventListener("keydown", (e) => this.#key(e));
    document.addEventListener("visibilitychange", () => this.#mark());
    addEventListener("focus", () => this.#mark());
  }

  get conversation() { return this.#entry?.conversation; }

  // open shows a conversation, which need not have begun.
  open(user, entry) {
    this.close();
    this.#user = user;
    this.#entry = entry;
    this.#read = entry.read ?? 0;
    this.#newFrom = entry.unread ? this.#read + 1 : Infinity;
    const failed = (error) => this.#refused(error);
    this.#history = new History(user, entry.conversation, { changed: () => this.render(), failed });
    byId("nobody").hidden = true;
    byId("talk").hidden = false;
    document.body.classList.add("open");
    byId("title").replaceChildren(nameOf(entry));
    byId("composer").hidden = false;
    byId("notice").textContent = "";
    this.composer.open(user, entry.conversation);
    this.people.open(user, entry);
    this.render();
    this.scroller.toEnd();
  }

  close() {
    this.#history?.close();
    this.people.close();
    this.#history = this.#entry = undefined;
    this.#receipts = {};
    this.#gone = false;
    this.#known = undefined;
    fill(byId("history"), []);
    byId("nobody").hidden = false;
    byId("talk").hidden = true;
    document.body.classList.remove("open");
  }

  // reread reads again what is shown.
  async reread() {
    if (!this.#entry) return;
    const history = this.#history;
    if (this.#gone && await api.members(this.#user, history.conversation).then(() => true, () => false)) {
      return history === this.#history && this.rejoined(history.conversation); // it was not told
    }
    await Promise.all([history.reread(), ...(this.#gone ? [] : [this.people.reread(), this.#readReceipts(history)])]);
  }

  // check reads again if the inbox says something else.
  check(entry) {
    if (!entry || entry.conversation !== this.conversation) return;
    const { newest, loaded } = this.#history, last = entry.last?.seq ?? 0;
    if (loaded && (last > newest || last === 0 && newest > 0)) this.#history.reread();
    this.#read = Math.max(this.#read, entry.read);
  }

  async #readReceipts(history) {
    try {
      const receipts = await api.receipts(this.#user, history.conversation);
      if (history !== this.#history) return;
      for (const [user, seq] of Object.entries(receipts)) this.#raise(user, seq);
      this.render();
    } catch (error) {
      if (history === this.#history) this.#refused(error);
    }
  }

  #raise(user, seq) { this.#receipts[user] = Math.max(this.#receipts[user] ?? 0, seq); }

  // happened takes what happened in the conversation.
  happened({ kind, message, user, seq }) {
    if (!this.#history) return;
    switch (kind) {
      case "sent":
      case "edited":
        this.people.wrote(user);
        this.#history.put(message);
        break;
      case "recalled": this.#history.recalled(seq); break;
      case "read": this.#raise(user, seq); this.render(); break;
      case "typing": if (user !== this.#user) this.people.writes(user, true); break;
      case "joined":
      case "left": this.people.reread(); break;
    }
  }

  // elsewhere takes what this user did in another window.
  elsewhere({ kind, conversation }) {
    if (conversation !== this.conversation) return;
    if (kind === "cleared") this.#history.reread();
    if (kind === "joined" && this.#gone) this.rejoined(conversation);
    if (kind === "blocked" || kind === "unblocked") this.people.reread();
  }

  // stored takes what the outbox has sent.
  stored(message) {
    if (message.conversation === this.conversation) this.#history.put(message);
  }

  render() {
    const history = this.#history;
    if (!history) return;
    const messages = history.all, keys = new Set();
    const others = this.people.others;
    const quotedBy = ({ replyTo }) => replyTo ? history.at(replyTo) ?? { missing: true, sender: "" } : undefined;
    const items = [];
    let before;
    for (const message of messages) {
      const { seq, sender } = message;
      if (sender === this.#user) keys.add(message.key);
      if (!before || dayOf(before.time) !== dayOf(message.time)) {
        const day = dayOf(message.time);
        items.push({ key: `day ${seq}`, content: day, make: () => divider(day, "day") });
      }
      if (seq >= this.#newFrom && (before ? before.seq < this.#newFrom : !history.hasOlder)) items.push({ key: "new", content: "", make: () => divider("New", "new") });
      const first = before?.sender !== sender;
      const quoted = message.recalled ? undefined : quotedBy(message);
      const ticks = sender === this.#user && others.length > 0 ? { of: others.length, read: others.filter((user) => this.#receipts[user] >= seq).length } : undefined;
      const look = { me: this.#user, group: this.#entry.other === undefined, first, quoted, ticks };
      items.push({ key: `${seq}`, was: `unsent ${message.key}`, content: JSON.stringify([message, look]), make: () => bubble(message, { ...look, act: this.#act }) });
      before = message;
    }
    for (const item of this.outbox.of(history.conversation)) {
      if (keys.has(item.key)) this.outbox.known(item.key);
      else items.push({ key: `unsent ${item.key}`, content: `${item.state} ${item.reason}`, make: () => pending(item, { quoted: quotedBy(item), act: this.#act }) });
    }
    this.scroller.keep(() => {
      fill(byId("history"), items);
      byId("older").hidden = !history.hasOlder;
    });
    this.#announce(messages);
    this.#mark();
  }

  // #announce tells a screen reader what came.
  #announce(messages) {
    if (!this.#history.loaded) return;
    const came = messages.filter((message) => message.seq > this.#known && message.sender !== this.#user);
    if (came.length > 0) {
      byId("status").textContent = came.map((message) => `${message.sender}: ${said(message)}`).join("\n");
      this.scroller.came(came.length);
    }
    this.#known = Math.max(this.#known ?? 0, this.#history.newest);
  }

  // #mark marks as read what a reader has before them.
  #mark() {
    const history = this.#history;
    const upTo = history?.all.findLast((message) => message.sender !== this.#user)?.seq ?? 0;
    if (upTo <= this.#read || document.visibilityState !== "visible" || !this.scroller.atEnd) return;
    const before = this.#read;
    this.#read = upTo;
    api.read(this.#user, history.conversation, upTo).catch((error) => {
      if (history !== this.#history) return;
      this.#read = before;
      this.failed(error);
    });
  }

  #older() { this.#history?.older(); }

  async #edit(message, text) {
    const history = this.#history;
    try {
      const edited = await api.edit(this.#user, history.conversation, message.seq, text);
      history.put(edited);
    } catch (error) {
      this.failed(error);
      if (history === this.#history) this.composer.rewrite({ ...message, text });
    }
  }

  #act = async (what, about) => {
    const history = this.#history;
    for (const menu of document.querySelectorAll("#history details[open]")) menu.open = false;
    switch (what) {
      case "reply": return this.composer.answer(about);
      case "edit": return this.composer.rewrite(about);
      case "recall": return api.recall(this.#user, history.conversation, about.seq).then(() => history.recalled(about.seq), this.failed);
      case "retry": return this.outbox.retry(about.key);
      case "discard": this.outbox.discard(about.key); return byId("text").focus();
      case "rewrite": this.outbox.discard(about.key); return this.composer.take(about.text);
      case "jump": return this.#jump(about);
    }
  };

  // #jump shows the message that another one answers.
  async #jump(seq) {
    const history = this.#history;
    while (!history.at(seq) && history.hasOlder && history === this.#history) await history.older();
    const li = byId("history").querySelector(`[data-key="${seq}"]`);
    if (!li) return;
    li.scrollIntoView({ block: "center" });
    li.querySelector(".bubble").focus();
  }

  #key(e) {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const rows = [...byId("history").querySelectorAll(".said")];
    const to = rows[rows.indexOf(e.target.closest(".said")) + (e.key === "ArrowDown" ? 1 : -1)];
    if (!to) return;
    e.preventDefault();
    to.querySelector(".bubble").focus();
  }

  // clear hides the messages so far from this user.
  async clear() {
    const history = this.#history;
    await api.clear(this.#user, history.conversation).then(() => history.reread(), this.failed);
  }

  #left() {
    if (this.#gone) return;
    this.#gone = true;
    byId("composer").hidden = true;
    byId("notice").textContent = "You are not in this group.";
    this.gone();
  }

  // A user who has left may read on what was said before.
  #refused(error) {
    if (error.status === 403) this.#left();
    else this.failed(error);
  }
}
