import { element } from "./dom.js";

const spare = 4; // rows above and below those in view
const pointing = 2000; // milliseconds after a mouse moved
const lead = 0.4; // of the height, above a row that is followed
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// VirtualList is a long list of which only the rows in view are in the page. All rows
// have one height, --row. Items are objects; fill writes one into its row.
export class VirtualList {
  #items = [];
  #rows = new Map(); // item to its element
  #active = null; // the item that Tab leads to
  #current = null; // the item that is marked
  #top = 0; // where this list has scrolled to
  #height = 0;
  #pointed = -Infinity; // when a mouse moved over the rows
  #row = 1;

  // chosen is called for an item that was clicked, or chosen by Enter; scrolled when
  // somebody scrolls.
  constructor(view, { fill, chosen, scrolled }) {
    Object.assign(this, { view, fill, chosen, scrolled });
    this.body = view.firstElementChild;
    this.grid = view.closest("[role=grid]");
    view.addEventListener("scroll", () => {
      if (Math.abs(view.scrollTop - this.#top) > 1) this.scrolled();
      this.#top = view.scrollTop;
      this.#draw();
    });
    this.body.addEventListener("pointermove", (e) => { if (e.pointerType === "mouse") this.#pointed = performance.now(); });
    this.body.addEventListener("focusin", (e) => { this.#active = this.#itemOf(e.target); });
    this.body.addEventListener("click", (e) => {
      if (!e.target.closest("button")) this.#choose(e.target);
    });
    this.body.addEventListener("keydown", (e) => this.#press(e));
    new ResizeObserver(() => this.#fit()).observe(view);
    this.#fit();
  }

  // held is whether rows should stay where they are: somebody points at them, or moves
  // among them by keys.
  get held() { return performance.now() < this.#pointed + pointing || (this.body.contains(document.activeElement) && document.activeElement.matches(":focus-visible")); }

  get top() { return this.#top; }


  // show replaces the items. The rows in view stay where they are, and so does the focus;
  // if its item is gone, the next one has it.
  show(items) {
    const focused = this.#focused;
    const first = Math.floor(this.#top / this.#row);
    const old = this.#items;
    const left = new Set(items);
    const survivor = (from) => old.slice(Math.max(from, 0)).find((item) => left.has(item));
    const before = old.indexOf(focused);
    const seen = before >= first && before * this.#row < this.#top + this.#height;
    const anchor = seen ? before : first;
    const kept = survivor(anchor);
    const heir = focused && (left.has(focused) ? focused : survivor(before) ?? items.at(-1));

    this.#items = items;
    this.grid.ariaRowCount = String(items.length + 1); // with the header
    this.body.style.height = `${items.length * this.#row}px`;
    const still = kept && (seen || this.#top > 0 || this.held);
    this.#scroll(still ? this.#top + (items.indexOf(kept) - anchor) * this.#row : this.#top);
    this.#draw({ kept: heir });
    if (heir && heir !== focused) this.#rows.get(heir).focus({ preventScroll: true });
  }

  // refresh writes an item into its row again.
  refresh(item) {
    if (this.#rows.has(item)) this.fill(this.#rows.get(item), item);
  }

  refreshAll() { for (const [item, row] of this.#rows) this.fill(row, item); }

  // mark marks an item as the current one.
  mark(item) {
    if (item === this.#current) return;
    this.#rows.get(this.#current)?.removeAttribute("aria-current");
    this.#current = item;
    this.#rows.get(item)?.setAttribute("aria-current", "true");
  }

  // follow moves a row towards its place, a step for each call.
  follow(index) {
    const end = Math.max(this.#items.length * this.#row - this.#height, 0);
    const target = Math.min(Math.max((index + 0.5) * this.#row - lead * this.#height, 0), end);
    const way = target - this.#top;
    if (Math.abs(way) < 1) return;
    const seen = index * this.#row >= this.#top && (index + 1) * this.#row <= this.#top + this.#height;
    if (calm.matches && seen) return; // turns pages instead
    const far = calm.matches || Math.abs(way) > 2 * this.#height;
    this.#scroll(far ? target : this.#top + Math.sign(way) * Math.max(1, Math.abs(way) * 0.15));
    this.#draw();
  }

  // to scrolls to a row, which may get the focus.
  to(index, { focus = false } = {}) {
    this.#scroll((index + 0.5) * this.#row - lead * this.#height);
    this.#draw();
    if (focus) this.#rows.get(this.#items[index])?.focus({ preventScroll: true });
  }

  // #focused is the item whose row has the focus, if any.
  get #focused() { return this.#itemOf(document.activeElement); }

  #fit() {
    const style = getComputedStyle(this.view);
    const row = parseFloat(style.getPropertyValue("--row")) || 32;
    const at = this.#top / this.#row;
    this.#row = row;
    this.#height = this.view.clientHeight;
    this.body.style.height = `${this.#items.length * row}px`;
    this.#scroll(at * row);
    this.#draw({ moved: true });
  }

  // #scroll does not read scrollTop back, which would lay out the page at each row.
  #scroll(top) {
    this.#top = Math.max(Math.min(top, this.#items.length * this.#row - this.#height), 0);
    this.view.scrollTop = this.#top;
  }

  // #draw puts the rows in view into the page, in their order, and takes out the others,
  // except for the kept one, which has the focus and would lose it.
  #draw({ kept = this.#focused, moved = false } = {}) {
    const first = Math.max(Math.floor(this.#top / this.#row) - spare, 0);
    const last = Math.min(Math.ceil((this.#top + this.#height) / this.#row) + spare, this.#items.length);
    const places = new Map();
    for (let i = first; i < last; i++) places.set(this.#items[i], i);
    const order = [...places];
    const away = kept && !places.has(kept) ? this.#items.indexOf(kept) : -1;
    if (away >= 0) {
      places.set(kept, away);
      order.splice(away < first ? 0 : order.length, 0, [kept, away]);
    }
    for (const [item, row] of this.#rows) {
      if (places.has(item)) continue;
      this.#rows.delete(item);
      row.remove();
    }
    let next = this.body.firstElementChild;
    for (const [item, index] of order) {
      const row = this.#rows.get(item) ?? this.#make(item);
      while (item === kept && row.isConnected && next !== row) { // moved itself, it would lose the focus
        const other = next;
        next = next.nextElementSibling;
        other.remove();
      }
      if (row === next) next = next.nextElementSibling;
      else this.body.insertBefore(row, next);
      const place = String(index + 2);
      if (row.ariaRowIndex === place && !moved) continue;
      row.ariaRowIndex = place;
      row.style.transform = `translateY(${index * this.#row}px)`;
    }
    this.#rove();
  }

  #make(item) {
    const row = element("div", { className: "line", role: "row", tabIndex: -1 });
    this.fill(row, item);
    if (item === this.#current) row.setAttribute("aria-current", "true");
    this.#rows.set(item, row);
    return row;
  }

  // #rove lets Tab lead to one row, and to the buttons in it.
  #rove() {
    const place = Math.ceil(this.#top / this.#row);
    const way = this.#rows.has(this.#active) ? this.#active : this.#items[Math.min(place, this.#items.length - 1)];
    for (const [item, row] of this.#rows) {
      const tab = item === way ? 0 : -1;
      if (row.tabIndex === tab) continue;
      row.tabIndex = tab;
      for (const button of row.querySelectorAll("button")) button.tabIndex = tab;
    }
  }

  #itemOf(target) {
    const row = target.closest(".line");
    for (const [item, other] of this.#rows) if (other === row) return item;
    return null;
  }

  #choose(target) {
    const item = this.#itemOf(target);
    if (item) this.chosen(item);
  }

  #press(e) {
    if (e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
    const at = this.#items.indexOf(this.#active);
    const page = Math.max(Math.floor(this.#height / this.#row) - 1, 1);
    const ways = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const row = this.#rows.get(this.#active);
    if (e.key in ways) this.#focus(Math.min(Math.max(at + ways[e.key], 0), this.#items.length - 1));
    else if (e.key === "ArrowRight") row?.querySelector("button")?.focus();
    else if (e.key === "ArrowLeft") row?.focus();
    else if (e.key === "Enter" && e.target === row) this.#choose(row);
    else return;
    e.preventDefault();
    e.stopPropagation(); // these keys are the player's elsewhere
  }

  #focus(index) {
    const item = this.#items[index];
    if (!item) return;
    this.scrolled();
    const top = index * this.#row;
    this.#scroll(Math.min(Math.max(this.#top, top + this.#row - this.#height), top));
    this.#draw();
    this.#rows.get(item).focus({ preventScroll: true });
  }
}
