import * as api from "./api.js";
import { crossing } from "./lanes.js";
import { Timeline } from "./timeline.js";

const ahead = 20; // seconds before a segment is needed
const settling = 5000; // milliseconds after which any read shows what was sent before

const kept = 2000; // of what came live, at least; and of what is gone, at most

// Recent reads the segments around the playing time, thinned as the viewer
// chose, and takes in what comes live.
export class Recent {
  timeline = new Timeline();
  changed = () => {}; // what is in the air may be another now

  #chosen = null;
  #read = new Map(); // segment: its answer, or null while it is on its way
  #live = new Map(); // what came while this page was open
  #gone = new Set();
  #round = 0;
  #joined = 0;
  #now = 0;

  constructor(video, { failed }) {
    Object.assign(this, { video, failed });
  }

  choose(chosen) {
    const { cap, sample, merge, words } = chosen;
    const now = JSON.stringify({ cap, sample, merge, words });
    if (now === this.#chosen) return;
    this.#chosen = now;
    this.chosen = chosen;
    this.reread();
  }

  // join reads again what was sent before this moment, from which on the rest
  // comes live.
  join() {
    this.#joined = performance.now();
    this.reread();
  }

  // reread forgets what was read, not what came live.
  reread() {
    this.#round++;
    this.#read.clear();
  }

  at(seconds) {
    this.#now = seconds;
    const last = Math.min(seconds + ahead, this.video.duration);
    const first = Math.max(seconds - crossing, 0);
    for (let n = this.#segment(first); n <= this.#segment(last); n++) {
      if (!this.#read.has(n)) this.#load(n, this.#round);
    }
  }

  // add reports whether a comment is new here and wanted.
  add(comment) {
    if (this.#gone.has(comment.id) || this.timeline.has(comment.id)) return false;
    this.#live.set(comment.id, comment);
    if (this.#live.size > 2 * kept) this.#settle();
    if (!this.#wanted(comment)) return false;
    return this.timeline.add([comment]);
  }

  remove(id) {
    this.#gone.add(id);
    if (this.#gone.size > kept) this.#gone.delete(this.#gone.values().next().value);
    for (const [n, data] of this.#read) {
      if (data) this.#read.set(n, data.filter((c) => c.id !== id));
    }
    this.#live.delete(id);
    this.timeline.remove(id);
  }

  #segment(seconds) { return Math.floor(seconds / this.video.segment); }

  async #load(n, round) {
    this.#read.set(n, null);
    try {
      const { data } = await api.segment(this.video.id, n, this.chosen, performance.now() < this.#joined + settling);
      if (round !== this.#round) return;
      this.#read.set(n, data.filter((c) => !this.#gone.has(c.id)));
      const before = this.#aloft();
      this.#build();
      if (this.#aloft() !== before) this.changed();
    } catch (error) {
      this.failed(`The danmu of this moment could not be read: ${error.message}`);
      setTimeout(() => { if (round === this.#round) this.#read.delete(n); }, 3000);
    }
  }

  // #settle forgets what came live long ago. By now the segments have it.
  #settle() {
    this.#live = new Map([...this.#live].slice(-kept));
    this.reread();
  }

  // #aloft is which may be in the air.
  #aloft() {
    return this.timeline.between(this.#now - crossing, this.#now).map((c) => c.id).join();
  }

  #build() {
    this.timeline.clear();
    for (const data of this.#read.values()) {
      if (data) this.timeline.add(data);
    }
    this.timeline.add([...this.#live.values()].filter((c) => this.#wanted(c)));
  }

  #wanted({ content }) {
    const text = content.text.toLowerCase();
    return !this.chosen.words.some((word) => text.includes(word.toLowerCase()));
  }
}
