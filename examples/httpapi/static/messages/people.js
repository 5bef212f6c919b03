import * as api from "./api.js";
import { button, byId, element } from "../shared/dom.js";
import { listed, writing } from "./words.js";

const lasts = 6000; // milliseconds that a sign of typing holds

// People are those in the open conversation: who they are, who is here, who is writing,
// and whether they are blocked.
export class People {
  #user;
  #entry;
  #members = [];
  #here = [];
  #writers = new Map(); // to the timers that end their writing
  #blocked = false;

  constructor({ failed, left }) {
    Object.assign(this, { failed, left });
    byId("unblock").addEventListener("click", () => this.block(false));
  }

  get others() { return this.#members.filter((name) => name !== this.#user); }
  get group() { return this.#entry?.other === undefined; }
  get blocked() { return this.#blocked; }

  open(user, entry) {
    this.#user = user;
    this.#entry = entry;
    this.#members = entry.other === undefined ? [] : [user, entry.other];
    this.#here = [];
    this.#blocked = false;
    this.#render();
  }

  close() {
    for (const timer of this.#writers.values()) clearTimeout(timer);
    this.#writers.clear();
    this.#entry = undefined;
  }

  async reread() {
    const [user, entry] = [this.#user, this.#entry];
    if (!entry) return;
    try {
      const read = this.group ? await api.members(user, entry.conversation) : await api.pair(user, entry.other);
      if (entry !== this.#entry) return;
      if (this.group) this.#members = read.sort();
      else this.#blocked = read.blocked;
      this.#render();
    } catch (error) {
      if (entry !== this.#entry) return;
      if (error.status === 403) this.left();
      else this.failed(error);
    }
  }

  // here takes the names of those who have the conversation open, on this server.
  here(names) {
    this.#here = names;
    this.#render();
  }

  writes(user, on) {
    clearTimeout(this.#writers.get(user));
    this.#writers.delete(user);
    if (on) this.#writers.set(user, setTimeout(() => this.writes(user, false), lasts));
    byId("typing").textContent = writing([...this.#writers.keys()]);
  }

  wrote(user) { if (this.#writers.has(user)) this.writes(user, false); }

  async block(on) {
    const { other } = this.#entry;
    await (on ? api.block : api.unblock)(this.#user, other).catch(this.failed);
    await this.reread();
    byId("text").focus();
  }

  #render() {
    const here = this.#here.filter((name) => name !== this.#user);
    byId("typing").textContent = writing([...this.#writers.keys()]);
    byId("presence").classList.toggle("here", here.length > 0);
    if (this.group) {
      const there = here.length > 0 ? ` · ${listed(here)} ${here.length === 1 ? "is" : "are"} here` : "";
      byId("presence").textContent = this.#members.length > 0 ? `${this.#members.length} members${there}` : "";
    } else byId("presence").textContent = here.length > 0 ? "Here now" : "Not here now";
    byId("composer").hidden = this.#blocked;
    byId("blocked").hidden = !this.#blocked;
    byId("blockedwho").textContent = this.group ? "" : `You have blocked ${this.#entry?.other}.`;
  }
}

// choices are what can be done with a conversation.
export function choices(people, { clear, add, leave, failed }) {
  const choice = (text, click, what) => button(text, click, { class: "quiet", "data-part": what });
  const clearing = choice("Clear the history for me", clear, "clear");
  if (!people.group) {
    return [people.blocked ? choice("Unblock", () => people.block(false), "unblock") : choice("Block", () => people.block(true), "block"), clearing];
  }
  const name = element("input", { maxlength: "64", placeholder: "Add somebody", "aria-label": "Somebody to add", "data-part": "name", spellcheck: "false", autocomplete: "off" });
  return [
    element("p", { class: "hint" }, listed(people.others.concat("you"))),
    element("form", { class: "line", submit: (e) => { e.preventDefault(); add(name.value.trim()).then(() => { name.value = ""; }, failed); } }, name, element("button", { "data-part": "add" }, "Add")),
    clearing,
    choice("Leave the group", leave, "leave"),
  ];
}
