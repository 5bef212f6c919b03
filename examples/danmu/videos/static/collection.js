import * as api from "./api.js";

const most = 20_000; // comments that are read; of a larger number, every second, fourth and so on
const bound = 2 * most; // comments that are kept
const deepest = 5; // halvings, as the service has it
const atOnce = 2; // requests
const settling = 5000; // milliseconds after which every read shows what has happened
const again = 3000; // milliseconds until a read that failed is repeated, at first
const slowest = 30_000; // milliseconds from when a read begins until its answer
const remembered = 2000; // ids of removed comments, which a read may still show
const long = 100; // segments of a video whose empty ones are not read

// Collection has all comments of a video, in playing order. It reads while it is open,
// segment by segment, those around the playing time first, and goes on with live ones.
export class Collection {
  total = null; // as far as known
  failing = false;

  #list = null; // the known ones in their order, or null if they have changed
  #known = new Map();
  #left = new Set(); // segments to be read
  #busy = 0;
  #lately = new Map(); // id to a comment that came live, and when, for a while
  #gone = new Set(); // ids
  #counts = null;
  #sample = 0;
  #open = false;
  #begun = false;
  #round = 0;
  #joined = false;
  #quiet; // until then reads may miss what was sent before
  #again = 0; // when to read after a failure
  #failures = 0;
  #now = 0;
  #timer;

  // changed is called after the list or what is known of it has changed.
  constructor(video, { changed, now = () => performance.now() }) {
    Object.assign(this, { video, changed, now });
    this.#quiet = now() + settling;
    this.#plan();
  }

  get list() { return this.#list ??= [...this.#known.values()].sort((a, b) => (a.id < b.id ? -1 : 1)); }

  get reading() { return this.#left.size > 0 || this.#busy > 0; }

  // part is whether the list is not all that there is.
  get part() { return this.#sample > 0 || this.#known.size >= bound; }

  get(id) { return this.#known.get(id); }

  at(seconds) { this.#now = seconds; }

  // open reads, until it is closed, what is not read yet.
  open(open) {
    this.#open = open;
    if (open && !this.#begun) {
      this.#begun = true;
      for (const { comment } of this.#lately.values()) this.#put(comment);
    }
    this.#go();
  }

  // join reads again what was sent before this moment; the rest comes live.
  join() {
    this.#joined = true;
    this.#quiet = this.now() + settling;
    this.#plan();
  }

  // expect takes how many comments there are in equal parts of the video.
  expect(counts) {
    if (!Array.isArray(counts)) return;
    this.#counts = [...counts];
    this.total = counts.reduce((sum, n) => sum + n, 0);
    this.#thin(Math.max(Math.ceil(Math.log2(this.total / most)), 0));
    this.changed();
  }

  add(comment) {
    if (!this.#valid(comment) || this.#lately.has(comment.id) || this.#known.has(comment.id)) return;
    this.#settle();
    this.#lately.set(comment.id, { comment, came: this.now() });
    if (this.total !== null) this.total++;
    if (!this.#begun) return;
    if (this.#known.size >= bound) this.#thin(this.#sample + 1);
    this.#put(comment);
    this.changed();
  }

  remove(id) {
    if (this.total !== null && !this.#gone.has(id)) this.total--;
    this.#gone.add(id);
    if (this.#gone.size > remembered) this.#gone.delete(this.#gone.values().next().value);
    this.#lately.delete(id);
    this.#drop(id);
    this.changed();
  }

  // #settle forgets what every read shows by now.
  #settle() {
    for (const [id, { came }] of this.#lately) {
      if (came > this.now() - slowest) break;
      this.#lately.delete(id);
    }
  }

  #valid(comment) {
    const { id, objectId, content } = comment ?? {};
    return typeof id === "string" && !this.#gone.has(id) && objectId === this.video.id &&
      typeof content?.text === "string" && Number.isFinite(content.time);
  }

  #segment(seconds) { return Math.floor(seconds / this.video.segment); }

  // #thin reads a half of the comments, a quarter and so on.
  #thin(sample) {
    const halvings = Math.min(sample, deepest);
    if (halvings === this.#sample) return;
    this.#sample = halvings;
    this.#plan();
  }

  // #plan begins a round, in which every segment is read.
  #plan() {
    this.#round++;
    const last = this.#segment(this.video.duration);
    this.#left = new Set(Array.from({ length: last + 1 }, (_, n) => n));
    this.#go();
  }

  // #empty reports whether a segment of a very long video needs no read, since nothing
  // was counted around it.
  #empty(n) {
    if (!this.#counts || this.#segment(this.video.duration) < long) return false;
    const part = (segment) => (segment * this.video.segment * this.#counts.length) / this.video.duration;
    const around = this.#counts.slice(Math.max(Math.floor(part(n) - 0.5), 0), Math.ceil(part(n + 1) + 0.5));
    return around.every((count) => count === 0);
  }

  // #next is the unread segment nearest to the playing time. Only that of the playing time
  // itself is read before everything has settled: such a read costs twice as much, and no
  // other viewer shares it.
  #next() {
    const now = this.#segment(this.#now);
    let next = null;
    for (const n of this.#left) {
      if (next === null || Math.abs(n - now) < Math.abs(next - now)) next = n;
    }
    const since = next === now && this.#joined ? 0 : this.#quiet;
    return { next, wait: Math.max(since, this.#again) - this.now() };
  }

  #go() {
    clearTimeout(this.#timer);
    while (this.#open && this.#left.size > 0 && this.#busy < atOnce) {
      const { next, wait } = this.#next();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#go(), wait);
        return;
      }
      this.#left.delete(next);
      if (this.#empty(next)) this.#replace(next, []);
      else this.#read(next, this.#round);
    }
  }

  async #read(n, round) {
    this.#busy++;
    try {
      const { data } = await api.segment(this.video.id, n, this.#sample, this.now() < this.#quiet);
      if (round === this.#round) this.#replace(n, data);
      this.#failures = 0;
    } catch {
      if (round === this.#round) this.#left.add(n);
      this.#again = this.now() + again * 2 ** Math.min(this.#failures++, 4);
    }
    this.failing = this.#failures > 0;
    this.#busy--;
    this.changed();
    this.#go();
  }

  // #replace makes the comments of a segment those that were read, and what happened
  // too lately to be read.
  #replace(n, data) {
    this.#settle();
    const read = new Set();
    for (const comment of data) {
      if (!this.#valid(comment)) continue;
      read.add(comment.id);
      this.#put(comment);
    }
    for (const [id, { content }] of this.#known) {
      if (this.#segment(content.time) === n && !read.has(id) && !this.#lately.has(id)) this.#drop(id);
    }
  }

  // #put keeps the object of a comment that is known: others know it by that.
  #put(comment) {
    const known = this.#known.get(comment.id);
    if (known) Object.assign(known, comment);
    else if (this.#known.size < bound) this.#known.set(comment.id, comment);
    else return;
    this.#list = null;
  }

  #drop(id) {
    if (this.#known.delete(id)) this.#list = null;
  }
}
