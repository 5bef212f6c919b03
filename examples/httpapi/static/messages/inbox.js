import * as api from "./api.js";
import { byId, element } from "../shared/dom.js";
import { face } from "../shared/face.js";
import { fill } from "../shared/list.js";
import { preview, when } from "./words.js";

const most = 100; // conversations of one request

// nameOf is what a conversation is called.
export const nameOf = ({ conversation, other }) => other ?? conversation;

// Inbox lists a user's conversations, and counts what is unread.
export class Inbox {
  #user;
  #page = { items: [], next: "" };
  #open = "";
  #reading;
  #again = false;

  constructor({ choose, read, failed }) {
    Object.assign(this, { choose, read, failed });
    byId("older-talks").addEventListener("click", () => this.#older());
    byId("inbox").addEventListener("keydown", (e) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      const rows = [...byId("inbox").children];
      const to = step && rows[rows.indexOf(e.target.closest("li")) + step];
      if (!to) return;
      e.preventDefault();
      to.querySelector("button").focus();
    });
  }

  // become shows the inbox of another user.
  become(user) {
    this.#user = user;
    this.#page = { items: [], next: "" };
    this.#tell({ messages: 0 });
    this.#render();
    byId("no-talks").hidden = true;
  }

  mark(conversation) {
    this.#open = conversation;
    this.#render();
  }

  find(conversation) { return this.#page.items.find((entry) => entry.conversation === conversation); }

  // reread reads again what is shown. Calls during a read are one read after it.
  reread() {
    this.#again = true;
    this.#reading ??= (async () => {
      while (this.#again) {
        this.#again = false;
        try {
          await this.#readAll(this.#user);
        } catch (error) {
          this.failed(error);
        }
      }
      this.#reading = undefined;
    })();
    return this.#reading;
  }

  async #readAll(user) {
    const limit = Math.min(Math.max(30, this.#page.items.length), most);
    const [count, page] = await Promise.all([api.unread(user), api.inbox(user, { limit })]);
    if (user !== this.#user) return; // the page has another user by now
    const known = new Set(page.items.map((entry) => entry.conversation));
    const older = this.#page.items.slice(limit).filter((entry) => !known.has(entry.conversation));
    this.#page = { items: [...page.items, ...older], next: older.length > 0 ? this.#page.next : page.next };
    this.#tell(count);
    this.#render();
    byId("no-talks").hidden = this.#page.items.length > 0;
    this.read();
  }

  async #older() {
    const [user, from] = [this.#user, this.#page];
    const page = await api.inbox(user, { cursor: from.next }).catch(this.failed);
    if (!page || user !== this.#user) return;
    if (from !== this.#page) return this.#older(); // it was read again meanwhile
    const known = new Set(from.items.map((entry) => entry.conversation));
    from.items.push(...page.items.filter((entry) => !known.has(entry.conversation)));
    from.next = page.next;
    this.#render();
  }

  #tell({ messages, more }) {
    document.title = `${messages > 0 ? `(${messages}${more ? "+" : ""}) ` : ""}Messages · Plaza`;
    byId("total").textContent = messages > 0 ? `${messages}${more ? "+" : ""} unread` : "";
  }

  #render() {
    fill(byId("inbox"), this.#page.items.map((entry) => {
      const open = entry.conversation === this.#open;
      return { key: entry.conversation, content: JSON.stringify([this.#user, open, entry, entry.last && when(entry.last.time)]), make: () => this.#row(entry, open) };
    }));
    byId("older-talks").hidden = !this.#page.next;
  }

  #row(entry, open) {
    const { last, unread } = entry;
    return element("li", {}, element("button", {
      type: "button", class: unread ? "entry unread" : "entry", "data-part": "entry", "aria-current": open ? "true" : undefined, click: () => this.choose(entry),
    },
    face(nameOf(entry)),
    element("bdi", { class: "name" }, nameOf(entry)),
    last ? element("time", { class: "time", datetime: last.time }, when(last.time)) : element("span"),
    element("span", { class: "preview", dir: "auto" }, preview(entry, this.#user)),
    unread ? element("span", { class: "badge" }, `${unread}`, element("span", { class: "unseen" }, " unread")) : element("span")));
  }
}
