import { Lanes, crossing, ends, modes, worths } from "./lanes.js";

const known = new Set(Object.values(modes));
const jump = 1; // second of playing time between two frames

// Flight is what is in the air. It follows the playing time: a pause holds
// everything, a jump begins anew with what would be in the air at that moment.
export class Flight {
  aloft = [];
  dropped = 0; // for want of a lane, since it began

  #last = null;
  #stale = false;
  #arrived = [];

  constructor(timeline, measure) {
    Object.assign(this, { timeline, measure });
    this.lanes = new Lanes(0, 0);
  }

  // begin forgets what was in the air.
  begin() { this.#last = null; }

  // refresh begins anew too, but what came live goes on.
  refresh() { this.#stale = true; }

  // arrive lets a comment that was just sent fly at once, whatever its moment.
  // One's own always does.
  arrive(comment, own) {
    this.#arrived.push({ comment, worth: own ? worths.own : worths.live });
  }

  remove(id) {
    const gone = this.aloft.find((c) => c.comment.id === id);
    this.lanes.remove(gone);
    this.aloft = this.aloft.filter((c) => c !== gone);
    this.#arrived = this.#arrived.filter(({ comment }) => comment.id !== id);
  }

  // resize gives what is in the air new places on a stage of another size.
  resize(width, height) {
    const old = this.aloft;
    this.#clear(width, height);
    for (const c of old) this.#launch(c.comment, c.start, c.worth);
  }

  step(at) {
    const jumped = this.#last === null || at < this.#last || at > this.#last + jump;
    const anew = jumped || this.#stale;
    const kept = jumped ? [] : this.aloft.filter((c) => c.worth > worths.timeline && at < ends(c) && this.timeline.has(c.comment.id));
    if (anew) this.#clear(this.lanes.width, this.lanes.height);
    const due = this.timeline.between(anew ? at - crossing : this.#last, at);
    this.#last = at;
    this.#stale = false;
    if (anew) kept.forEach((c) => this.#launch(c.comment, c.start, c.worth));
    this.aloft = this.aloft.filter((c) => at < ends(c));
    for (const comment of due) this.#launch(comment, comment.content.time);
    for (const { comment, worth } of this.#arrived) this.#launch(comment, at, worth);
    this.#arrived = [];
    if (anew) this.aloft = this.aloft.filter((c) => at < ends(c));
  }

  #clear(width, height) {
    this.lanes = new Lanes(width, height);
    this.aloft = [];
    this.dropped = 0;
  }

  // #launch drops what finds no lane, or what had to go for it.
  #launch(comment, start, worth = worths.timeline) {
    const mode = comment.content.position;
    if (!known.has(mode)) return; // placed by programs, which nobody runs here
    if (this.aloft.some((c) => c.comment.id === comment.id)) return;
    const c = { comment, start, mode, worth, ...this.measure(comment) };
    const gone = this.lanes.place(c);
    this.dropped += gone ? gone.length : 1;
    if (!gone) return;
    this.aloft = this.aloft.filter((other) => !gone.includes(other));
    this.aloft.push(c);
  }
}
