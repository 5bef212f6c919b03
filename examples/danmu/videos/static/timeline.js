// Timeline keeps the comments of a video in playing order, each once. The texts of
// ids sort in playing order.
export class Timeline {
  #list = [];
  #known = new Map();
  #guests = new Set();

  // show replaces all comments by others in playing order. Guests are not among them
  // but may go on flying.
  show(comments, guests = []) {
    this.#list = comments;
    this.#known = new Map(comments.map((c) => [c.id, c]));
    this.#guests = new Set(guests);
  }

  add(comments) {
    let added = false;
    for (const c of comments) {
      if (this.#known.has(c.id)) continue;
      this.#known.set(c.id, c);
      this.#list.splice(this.#place(c.id), 0, c);
      added = true;
    }
    return added;
  }

  // welcome lets a comment fly that has no place in the list.
  welcome(id) { this.#guests.add(id); }

  has(id) { return this.#known.has(id) || this.#guests.has(id); }

  remove(id) {
    this.#guests.delete(id);
    if (this.#known.delete(id)) this.#list = this.#list.filter((c) => c.id !== id);
  }

  // between are the comments after from, up to and including to, in seconds.
  between(from, to) {
    return this.#list.slice(this.#after(from), this.#after(to));
  }

  #place(id) { return this.#first((c) => c.id > id); }

  // #after is the number of comments at or before a moment.
  #after(at) { return this.#first((c) => c.content.time > at); }

  // #first is the index of the first comment for which later is true: it is for all
  // after it.
  #first(later) {
    let low = 0, high = this.#list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (later(this.#list[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
