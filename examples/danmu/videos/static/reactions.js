import * as api from "./api.js";

const ahead = 20; // seconds before a segment is needed
const again = 10_000; // milliseconds until a read that failed is repeated
const kept = 2000; // counts

// Reactions are what the user likes and has reported, and how many likes comments have
// now.
export class Reactions {
  changed = () => {}; // called with an id

  #counts = new Map(); // ids to likes that came after the comment was read
  #read = new Set(); // segments
  #mine = none();

  constructor(video, user, { reported }) {
    Object.assign(this, { video, user, reported });
  }

  // become forgets what another user did.
  become() {
    this.#read.clear();
    this.#mine = none();
  }

  // reread forgets the counts: some may have been missed.
  reread() { this.#counts.clear(); }

  at(seconds) {
    const { segment, duration } = this.video;
    const last = Math.floor(Math.min(seconds + ahead, duration) / segment);
    for (let n = Math.floor(seconds / segment); n <= last; n++) {
      if (!this.#read.has(n)) this.#load(n, this.#mine);
    }
  }

  liked(id) { return this.#mine.chosen.get(id) ?? this.#mine.liked.has(id); }

  likes({ id, likes = 0 }) {
    const open = this.#mine.open.get(id);
    if (open) return Math.max(open.likes + this.liked(id) - open.was, 0);
    return this.#counts.get(id) ?? likes;
  }

  // heard is called with the number of likes that a comment has now.
  heard({ id, likes }) {
    const open = this.#mine.open.get(id);
    if (open) open.heard = likes;
    else this.#count(id, likes);
    this.changed(id);
  }

  // toggle likes a comment, or takes that back, and shows it at once. The requests for a
  // comment follow each other. One that fails changes it back and throws.
  async toggle(comment) {
    const { id } = comment, user = this.user(), mine = this.#mine;
    const was = this.liked(id), likes = this.likes(comment), open = { was, likes };
    const waits = mine.open.has(id);
    mine.chosen.set(id, !was);
    if (!waits) mine.open.set(id, open);
    this.changed(id);
    if (waits) return;
    let stored = was;
    try {
      for (let next = !was; next !== stored; next = mine.chosen.get(id)) {
        await api.like(this.video.id, id, user, next);
        stored = next;
      }
    } finally {
      mine.chosen.set(id, stored);
      mine.open.delete(id);
      if (mine === this.#mine) this.#count(id, open.heard ?? likes + stored - was);
      this.changed(id);
    }
  }

  async report({ id }) {
    await api.report(this.video.id, id, this.user());
    this.reported(id);
  }

  async #load(n, mine) {
    this.#read.add(n);
    try {
      const { liked, reported } = await api.reactions(this.video.id, n, this.user());
      if (mine !== this.#mine) return; // the user has changed
      for (const id of liked) mine.liked.add(id);
      reported.forEach((id) => this.reported(id));
      liked.forEach((id) => this.changed(id));
    } catch {
      setTimeout(() => { if (mine === this.#mine) this.#read.delete(n); }, again);
    }
  }

  #count(id, likes) {
    this.#counts.delete(id); // so that it becomes the last
    this.#counts.set(id, likes);
    if (this.#counts.size > kept) this.#counts.delete(this.#counts.keys().next().value);
  }
}

// Of one user: liked are the ids that were read, chosen those that were clicked, open
// those with a request under way.
const none = () => ({ liked: new Set(), chosen: new Map(), open: new Map() });
