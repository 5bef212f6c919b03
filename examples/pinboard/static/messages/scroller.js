const near = 80; // pixels

// Scroller keeps the place of a reader in a box while messages come, above or below.
export class Scroller {
  #end = true; // whether the newest message shows

  constructor(box, { top, end }) {
    Object.assign(this, { box, top, end });
    box.addEventListener("scroll", () => this.#scrolled());
    this.watch = new ResizeObserver(() => { if (this.#end) this.toEnd(); }); // a phone's keyboard opens
    this.watch.observe(box);
  }

  get atEnd() { return this.#end; }
  close() { this.watch.disconnect(); }

  toEnd() {
    this.box.scrollTop = this.box.scrollHeight;
    this.#scrolled();
  }

  // keep changes the list. The messages that the reader sees stay in place.
  keep(change) {
    const end = this.#nearEnd(); // the event of a scroll may be still to come
    const top = this.box.getBoundingClientRect().top;
    const seen = [...this.box.querySelectorAll(".said")].filter((e) => e.getBoundingClientRect().bottom > top);
    const before = seen.map((e) => e.getBoundingClientRect().top);
    change();
    if (end) return this.toEnd();
    const i = seen.findIndex((e) => e.isConnected);
    if (i >= 0) this.box.scrollTop += seen[i].getBoundingClientRect().top - before[i];
    this.#scrolled();
  }

  #nearEnd() { return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < near; }

  #scrolled() {
    this.#end = this.#nearEnd();
    if (this.box.scrollTop < near) this.top();
    this.end(this.#end);
  }
}
