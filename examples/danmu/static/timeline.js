// Timeline keeps the comments of a video in playing order, each once. The texts of
// ids sort in playing order.
export class Timeline {
  #list = [];
  #known = new Map();

  add(comments) {
    let added = false;
    for (const c of comments) {
      if (this.#known.has(c.id)) continue;
      this.#known.set(c.id, c);
      this.#list.push(c);
      added = true;
    }
    if (added) this.#list.sort((a, b) => (a.id < b.id ? -1 : 1));
    return added;
  }

  has(id) { return this.#known.has(id); }

  remove(id) {
    if (this.#known.delete(id)) this.#list = this.#list.filter((c) => c.id !== id);
  }

  clear() {
    this.#list = [];
    this.#known.clear();
  }

  // between are the comments after from, up to and including to, in seconds.
  between(from, to) {
    return this.#list.slice(this.#after(from), this.#after(to));
  }

  // #after is the number of comments at or before a moment.
  #after(at) {
    let low = 0, high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#list[middle].content.time <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
