import * as api from "./api.js";
import { inSample, sameness, thin } from "./density.js";
import { crossings } from "./lanes.js";
import { Timeline } from "./timeline.js";
import { words } from "./words.js";

const t = words({
  en: { unread: (reason) => `The danmu of this moment could not be read: ${reason}` },
  zh: { unread: (reason) => `无法读取此刻的弹幕：${reason}` },
});

const ahead = 20; // seconds before a segment is needed
const settling = 5000; // milliseconds after which every read shows a comment
const behind = 10_000; // milliseconds until what came live is thinned with the rest
const jump = 1; // second of playing time between two frames

const kept = 2000; // live comments that are kept at least, and removed ones at most

// Recent reads the segments around the playing time, adds what comes live, and shows
// in its timeline what the viewer chose of both.
export class Recent {
  timeline = new Timeline();
  changed = () => {}; // called when other comments may be flying
  fly = () => {}; // called with a comment that flies at once, and whether it is the viewer's own

  #chosen = "";
  #read = new Map(); // segment to its answer, or to null while it is being read
  #stored = new Set(); // the ids in #read
  #live = new Map(); // id to {comment, came}
  #mine = []; // the viewer's own, which a sample leaves out
  #waiting = []; // live comments that blocks are still testing
  #gone = new Set();
  #round = 0;
  #joined = 0;
  #now = 0;
  #built = 0;
  #dirty = false;
  #untested = false; // whether the timeline lacks what blocks are still testing
  #lately = { second: -1, flew: 0, texts: new Map() }; // what flew at once

  constructor(video, { failed, me = () => "", now = () => performance.now() }) {
    Object.assign(this, { video, failed, me, now });
  }

  // choose takes {sample, cap, merge, blocks}. Call it too when blocks have changed.
  choose(chosen) {
    const { sample, cap, merge, blocks } = chosen;
    const now = JSON.stringify([sample, cap, merge, blocks.version]);
    if (now === this.#chosen) return;
    const other = sample !== this.chosen?.sample;
    this.#chosen = now;
    this.chosen = chosen;
    if (other) this.#sample();
    this.rebuild();
  }

  // decided is called when blocks have tested what they did not know.
  decided() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const c of waiting) {
      if (this.#live.has(c.id)) this.#admit(c);
    }
    if (this.#untested) this.#rebuildIfSeen();
  }

  // become is called when the viewer has another name.
  become() {
    this.#sample();
    this.rebuild();
  }

  // join reads again what was sent before this moment; the rest comes live.
  join() {
    this.#joined = this.now();
    this.reread();
  }

  // reread forgets the segments, but not the live comments.
  reread() {
    this.#round++;
    this.#read.clear();
    this.#stored.clear();
  }

  at(seconds) {
    const jumped = seconds < this.#now || seconds > this.#now + jump;
    this.#now = seconds;
    if (this.#dirty && (jumped || this.now() > this.#built + behind)) this.#build(!jumped);
    const last = Math.min(seconds + ahead, this.video.duration);
    const first = Math.max(seconds - crossings[0], 0);
    for (let n = this.#segment(first); n <= this.#segment(last); n++) {
      if (!this.#read.has(n)) this.#load(n, this.#round);
    }
  }

  // add reports whether a comment is new here.
  add(comment) {
    const { id } = comment;
    if (this.#gone.has(id) || this.#live.has(id) || this.#stored.has(id)) return false;
    this.#live.set(id, { comment, came: this.now() });
    if (this.#live.size > 2 * kept) this.#settle();
    this.#admit(comment);
    return true;
  }

  remove(id) {
    this.#gone.add(id);
    if (this.#gone.size > kept) this.#gone.delete(this.#gone.values().next().value);
    for (const [n, data] of this.#read) {
      if (data) this.#read.set(n, data.filter((c) => c.id !== id));
    }
    this.#live.delete(id);
    this.#mine = this.#mine.filter((c) => c.id !== id);
    this.timeline.remove(id);
    if (this.#thins()) this.#dirty = true; // another may take its place
  }

  // rebuild shows what is chosen now, also of what is flying.
  rebuild() {
    this.#build(false);
    this.changed();
  }

  #segment(seconds) { return Math.floor(seconds / this.video.segment); }

  #thins() { return this.chosen.cap > 0 || this.chosen.sample > 0 || this.chosen.merge; }

  async #load(n, round) {
    this.#read.set(n, null);
    const asked = this.now();
    try {
      const { data } = await api.segment(this.video.id, n, this.chosen.sample, asked < this.#joined + settling);
      if (round !== this.#round) return;
      this.#read.set(n, data.filter((c) => !this.#gone.has(c.id)));
      data.forEach((c) => this.#stored.add(c.id));
      this.#forget(n, asked - settling);
      this.#rebuildIfSeen();
    } catch (error) {
      if (error.status !== 0) this.failed(t("unread", error.message));
      setTimeout(() => { if (round === this.#round) this.#read.delete(n); }, 3000);
    }
  }

  // #forget drops what came live before a moment and is not stored any more: it was
  // removed or hidden while this page was cut off.
  #forget(n, before) {
    for (const [id, { comment, came }] of this.#live) {
      const missing = this.#segment(comment.content.time) === n && came < before && !this.#stored.has(id);
      if (missing && inSample(id, this.chosen.sample)) this.#live.delete(id);
    }
  }

  // #settle forgets old live comments. By now the segments have them.
  #settle() {
    this.#live = new Map([...this.#live].slice(-kept));
    this.reread();
  }

  // #sample reads the segments again, and the viewer's own that the sample leaves out.
  async #sample() {
    this.reread();
    this.#mine = [];
    if (!this.chosen?.sample) return;
    const round = this.#round;
    const { data } = await api.mine(this.me(), "", 100).catch(() => ({ data: [] }));
    if (round !== this.#round) return;
    this.#mine = data.filter((c) => c.objectId === this.video.id);
    this.rebuild();
  }

  // #aloft are the comments that may be flying.
  #aloft() {
    return this.timeline.between(this.#now - crossings[0], this.#now).map((c) => c.id).join();
  }

  #rebuildIfSeen() {
    const before = this.#aloft();
    this.#build(true);
    if (this.#aloft() !== before) this.changed();
  }

  // #build shows the wanted ones of all comments. Live ones that fly already fly on if wanted.
  #build(goesOn) {
    this.#dirty = this.#untested = false;
    this.#built = this.now();
    const all = new Map();
    const take = (c) => {
      if (this.#gone.has(c.id) || !this.#own(c) && !inSample(c.id, this.chosen.sample)) return;
      const blocked = this.chosen.blocks.blocks(c);
      if (blocked === false) all.set(c.id, c);
      this.#untested ||= blocked === undefined;
    };
    for (const data of this.#read.values()) data?.forEach(take);
    for (const { comment } of this.#live.values()) take(comment);
    this.#mine.forEach(take);
    const sorted = [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const guests = goesOn ? [...all.keys()].filter((id) => this.timeline.has(id)) : [];
    this.timeline.show(thin(sorted, this.chosen, (c) => this.#stays(c)), guests);
  }

  // #admit lets a live comment fly now, unless the viewer wants fewer.
  #admit(comment) {
    const blocks = this.chosen.blocks.blocks(comment);
    if (blocks === undefined) this.#waiting.push(comment);
    if (blocks !== false) return;
    const own = this.#own(comment);
    if (!this.#thins()) {
      this.timeline.add([comment]);
    } else {
      this.#dirty = true;
      if (!own && !this.#hasRoom(comment)) return;
      this.timeline.welcome(comment.id);
    }
    this.fly(comment, own);
  }

  // #hasRoom reports whether a live comment may fly beside those of this second.
  #hasRoom(comment) {
    const { sample, cap, merge } = this.chosen;
    if (!inSample(comment.id, sample)) return false;
    const second = Math.floor(this.#now), last = this.#lately;
    if (second !== last.second) Object.assign(last, { second, flew: 0 });
    const same = sameness(comment), before = last.texts.get(same);
    if (merge && before <= this.#now && this.#now <= before + 5) return false;
    if (cap && this.timeline.between(second - 0.0005, second + 0.9995).length + last.flew >= cap) return false;
    last.flew++;
    if (last.texts.size > kept) last.texts.clear();
    last.texts.set(same, this.#now);
    return true;
  }

  #own(comment) { return comment.userId !== undefined && comment.userId === this.me(); }

  #stays(comment) {
    return comment.protected || this.#own(comment) || Boolean(this.video.ownerId) && comment.userId === this.video.ownerId;
  }
}
