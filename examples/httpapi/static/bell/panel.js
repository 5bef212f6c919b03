import * as api from "./api.js";
import { byId } from "../shared/dom.js";
import { settings } from "./settings.js";
import { keyOf, row } from "./row.js";
import { ago } from "./words.js";

const most = 100; // rows of one request

const empty = {
  inbox: "You are all caught up.",
  snoozed: "Nothing is snoozed.",
  archived: "Nothing is archived.",
};

// joined is what two pages of a list showed.
function joined(one, two) {
  const recent = [...new Set([...one.recent ?? [], ...two.recent ?? []])].sort().reverse().slice(0, most);
  return { at: one.at < two.at ? one.at : two.at, newest: one.newest > two.newest ? one.newest : two.newest, recent };
}

// Panel shows one of a user's lists, and the number of those unseen.
export class Panel {
  #user;
  #view = "inbox";
  #page = { items: [], next: "" };
  #fresh = new Set(); // keys of what was unseen when this panel opened
  #contents = new WeakMap(); // of rows
  #count = { n: 0, more: false };
  #mark = ""; // what was marked as seen last
  #reading = false;
  #again = false;

  constructor({ failed }) {
    this.failed = failed;
    byId("bell").addEventListener("click", () => (this.open ? this.close() : this.show()));
    byId("close").addEventListener("click", () => this.close());
    byId("more").addEventListener("click", () => this.#older());
    byId("allread").addEventListener("click", () => this.#do(() => api.markAllRead(this.#user, this.#page.view)));
    byId("views").addEventListener("click", (e) => e.target.dataset.view && this.#choose(e.target.dataset.view));
    byId("panel").addEventListener("keydown", (e) => this.#key(e));
    document.addEventListener("click", (e) => {
      for (const menu of document.querySelectorAll("details[open]")) if (!menu.contains(e.target)) menu.open = false;
    });
    setInterval(() => document.querySelectorAll("time").forEach((e) => { e.textContent = ago(e.dateTime); }), 60_000);
  }

  get open() { return !byId("panel").hidden; }

  // become shows the lists of another user.
  become(user) {
    this.#user = user;
    this.#page = { items: [], next: "" };
    this.#fresh.clear();
    this.#mark = "";
    this.#tell({ n: 0, more: false });
    this.#render();
    this.#showSettings();
  }

  show() {
    byId("panel").hidden = false;
    byId("bell").setAttribute("aria-expanded", "true");
    byId("panel").focus();
    this.reread();
  }

  close() {
    byId("panel").hidden = true;
    byId("bell").setAttribute("aria-expanded", "false");
    byId("bell").focus();
    this.#fresh.clear();
  }

  // reread reads again what is shown. Calls during a read are one read after it.
  async reread() {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#again) {
      this.#again = false;
      try {
        await this.#read(this.#user, this.#view);
      } catch (error) {
        this.failed(error.message);
      }
    }
    this.#reading = false;
  }

  async #read(user, view) {
    const open = this.open;
    const limit = Math.min(Math.max(20, this.#page.items.length), most);
    const [count, page] = await Promise.all([api.unseen(user), open && view !== "settings" && api.list(user, view, { limit })]);
    if (user !== this.#user) return; // the page has another user by now
    this.#tell(count);
    if (!page || view !== this.#view) return;
    if (this.#page.items.length > limit && limit < most) { // older ones came meanwhile
      this.#again = true;
      return;
    }
    this.#page = page;
    if (view !== "inbox") return this.#render();
    await this.#shown(user, page);
  }

  async #older() {
    const [user, view, from] = [this.#user, this.#view, this.#page];
    const page = await api.list(user, view, { cursor: this.#page.next }).catch((error) => this.failed(error.message));
    if (!page || user !== this.#user || view !== this.#view) return;
    if (from !== this.#page) return this.#older(); // it was read again meanwhile
    const known = new Set(this.#page.items.map(keyOf));
    this.#page.items.push(...page.items.filter((entry) => !known.has(keyOf(entry))));
    this.#page.next = page.next;
    if (view !== "inbox") return this.#render();
    this.#page.view = joined(this.#page.view, page.view);
    await this.#shown(user, page);
  }

  // #shown shows the inbox, and marks what came to it as seen.
  async #shown(user, { items, view }) {
    const unseen = items.filter((entry) => !entry.seen);
    for (const entry of unseen) this.#fresh.add(keyOf(entry));
    this.#render();
    if (unseen.length === 0 || document.visibilityState !== "visible") return;
    const mark = JSON.stringify(unseen.map((entry) => [keyOf(entry), entry.last]));
    if (mark === this.#mark) return; // a mark rings, which must not cause another mark
    this.#mark = mark;
    await api.markSeen(user, view).catch((error) => this.failed(error.message));
  }

  #choose(view) {
    this.#view = view;
    this.#page = { items: [], next: "" };
    for (const e of byId("views").children) e.setAttribute("aria-current", e.dataset.view === view);
    this.#render();
    byId("empty").hidden = true; // until it is read
    this.#showSettings();
    this.reread();
  }

  // #do makes a change and reads again. The user's other pages get a ring by their streams.
  async #do(change) {
    try {
      await change();
    } catch (error) {
      this.failed(error.message);
    }
    this.#showSettings();
    await this.reread();
  }

  #showSettings() {
    if (this.#view === "settings") settings(this.#user, this.failed);
  }

  #act = (what, entry, ...more) => this.#do(() => {
    const user = this.#user;
    switch (what) {
      case "read": return api.markRead(user, entry);
      case "unread": return api.markUnread(user, entry);
      case "archive": return api.archive(user, entry);
      case "unarchive": return api.unarchive(user, entry);
      case "snooze": return api.snooze(user, entry, ...more);
      case "unsnooze": return api.unsnooze(user, entry);
      case "dismiss": return api.dismiss(user, entry);
      case "mute": return api.mute(user, ...more);
      case "block": return api.block(user, ...more);
    }
  });

  #tell(count) {
    const text = count.n > 0 ? `${count.n}${count.more ? "+" : ""}` : "";
    byId("badge").textContent = text;
    byId("badge").hidden = !text;
    byId("bell").setAttribute("aria-label", text ? `Notifications, ${text} new` : "Notifications");
    document.title = (text ? `(${text}) ` : "") + "Bell · Plaza";
    if (count.n > this.#count.n) {
      byId("status").textContent = `${text} new notification${count.n === 1 ? "" : "s"}`;
      byId("bell").classList.remove("rings");
      void byId("bell").offsetWidth; // so that the animation begins once more
      byId("bell").classList.add("rings");
    } else if (!text) {
      byId("status").textContent = "";
    }
    this.#count = count;
  }

  // #render leaves rows that are the same in their place, with open menus. It keeps the
  // focus: a row of the same key has the same parts.
  #render() {
    const list = byId("rows"), before = [...list.children];
    const held = document.activeElement?.closest?.("#rows [data-part]");
    const part = held?.dataset.part, key = held?.closest("li").dataset.key;
    const place = before.indexOf(held?.closest("li"));
    const rows = this.#page.items.map((entry) => this.#row(entry, before));
    for (const li of before) if (!rows.includes(li)) li.remove();
    rows.forEach((li, i) => list.children[i] !== li && list.insertBefore(li, list.children[i] ?? null));
    const lists = this.#view !== "settings";
    byId("rows").hidden = !lists;
    byId("settings").hidden = lists;
    byId("empty").hidden = !lists || rows.length > 0;
    byId("empty").textContent = empty[this.#view] ?? "";
    byId("more").hidden = !this.#page.next;
    byId("allread").hidden = this.#view !== "inbox" || !this.#page.items.some((entry) => !entry.read);
    if (!held || document.activeElement === held) return;
    const same = rows.find((li) => li.dataset.key === key);
    const next = same?.querySelector(`[data-part="${part}"]`) ?? (same ?? rows[place] ?? rows.at(-1))?.querySelector("[data-part=text]");
    (next ?? byId("panel")).focus();
  }

  #row(entry, before) {
    const fresh = this.#fresh.has(keyOf(entry));
    const content = JSON.stringify([this.#user, this.#view, fresh, { ...entry, listed: "", seen: true }]);
    const same = before.find((li) => this.#contents.get(li) === content);
    if (same) return same;
    const li = row(entry, { me: this.#user, view: this.#view, fresh, act: this.#act });
    li.dataset.key = keyOf(entry);
    this.#contents.set(li, content);
    return li;
  }

  #key(e) {
    if (e.key === "Escape") {
      const menu = document.activeElement?.closest("details[open]");
      if (menu) {
        menu.open = false;
        menu.querySelector("summary").focus();
      } else this.close();
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const rows = [...byId("rows").children];
      const at = rows.indexOf(document.activeElement?.closest("#rows > li"));
      const to = rows[e.key === "ArrowDown" ? at + 1 : at - 1];
      if (!to) return;
      to.querySelector("[data-part=text]").focus();
      e.preventDefault();
    }
  }
}
