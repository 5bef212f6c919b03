import { byId } from "../shared/dom.js";

const near = 80; // pixels

// Scroller keeps the place of a reader in the history while messages come, above or below.
export class Scroller {
  #end = true; // whether the newest message shows
  #count = 0; // of messages that came since

  constructor({ top, end }) {
    Object.assign(this, { top, end });
    this.box = byId("scroll");
    this.box.addEventListener("scroll", () => this.#scrolled());
    byId("to-end").addEventListener("click", () => { this.toEnd(); byId("text").focus(); });
    new ResizeObserver(() => { if (this.#end) this.toEnd(); }).observe(this.box); // a phone's keyboard opens
  }

  get atEnd() { return this.#end; }

  toEnd() {
    this.box.scrollTop = this.box.scrollHeight;
    this.#scrolled();
  }

  // keep changes the list. The messages that the reader sees stay in place.
  keep(change) {
    const end = this.#nearEnd(); // the event of a scroll may be still to come
    const top = this.box.getBoundingClientRect().top;
    const seen = [...byId("history").querySelectorAll(".said")].filter((e) => e.getBoundingClientRect().bottom > top);
    const before = seen.map((e) => e.getBoundingClientRect().top);
    change();
    if (end) return this.toEnd();
    const i = seen.findIndex((e) => e.isConnected);
    if (i >= 0) this.box.scrollTop += seen[i].getBoundingClientRect().top - before[i];
    this.#scrolled();
  }

  // came counts messages that came below.
  came(n) {
    if (this.#end) return;
    this.#count += n;
    this.#show();
  }

  #nearEnd() { return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < near; }

  #scrolled() {
    this.#end = this.#nearEnd();
    if (this.#end) this.#count = 0;
    this.#show();
    if (this.box.scrollTop < near && !byId("older").hidden) this.top();
    if (this.#end) this.end();
  }

  #show() {
    byId("to-end").hidden = this.#end;
    byId("to-end").textContent = this.#count > 0 ? `${this.#count} new ↓` : "↓";
    byId("to-end").setAttribute("aria-label", this.#count > 0 ? `${this.#count} new, to the newest message` : "To the newest message");
  }
}
