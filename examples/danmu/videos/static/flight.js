import { Lanes, crossing, ends, modes, worths } from "./lanes.js";

const known = new Set(Object.values(modes));
const jump = 1; // second of playing time between two frames

// Flight has the comments that are flying. It follows the playing time: a pause stops
// them all, a jump starts again with those that would be flying at that moment.
export class Flight {
  aloft = [];
  dropped = 0; // because no lane was free, since it began
  crossing = crossing; // seconds, of those that begin to fly

  #missed = []; // when those that found no lane would have left

  #last = null;
  #stale = false;
  #arrived = [];

  constructor(timeline, measure) {
    Object.assign(this, { timeline, measure });
    this.lanes = new Lanes(0, 0);
  }

  // begin forgets the comments that were flying.
  begin() { this.#last = null; }

  // refresh starts again too, but live comments go on.
  refresh() { this.#stale = true; }

  // arrive lets a comment that was just sent fly at once, whatever its moment. The
  // viewer's own always finds a lane.
  arrive(comment, own) {
    this.#arrived.push({ comment, worth: own ? worths.own : worths.live });
  }

  // missing are those that would be flying now if a lane had been free.
  get missing() { return this.#missed.length; }

  remove(id) {
    const gone = this.aloft.find((c) => c.comment.id === id);
    this.lanes.remove(gone);
    this.aloft = this.aloft.filter((c) => c !== gone);
    this.#arrived = this.#arrived.filter(({ comment }) => comment.id !== id);
  }

  // resize moves the flying comments to a stage of another size.
  resize(width, height) {
    const old = this.aloft;
    this.#clear(width, height);
    for (const c of old) this.#launch(c.comment, c.start, c.worth, c.crossing);
  }

  step(at) {
    const jumped = this.#last === null || at < this.#last || at > this.#last + jump;
    const restart = jumped || this.#stale;
    const kept = jumped ? [] : this.aloft.filter((c) => c.worth > worths.timeline && at < ends(c) && this.timeline.has(c.comment.id));
    if (restart) this.#clear(this.lanes.width, this.lanes.height);
    const due = this.timeline.between(restart ? at - this.crossing : this.#last, at);
    this.#last = at;
    this.#stale = false;
    if (restart) kept.forEach((c) => this.#launch(c.comment, c.start, c.worth, c.crossing));
    this.aloft = this.aloft.filter((c) => at < ends(c));
    for (const comment of due) this.#launch(comment, comment.content.time);
    for (const { comment, worth } of this.#arrived) this.#launch(comment, at, worth);
    this.#arrived = [];
    if (restart) this.aloft = this.aloft.filter((c) => at < ends(c));
    this.#missed = this.#missed.filter((end) => at < end);
  }

  #clear(width, height) {
    this.lanes = new Lanes(width, height);
    this.aloft = [];
    this.dropped = 0;
    this.#missed = [];
  }

  // #launch drops a comment that finds no lane, or those that give way to it.
  #launch(comment, start, worth = worths.timeline, crossing = this.crossing) {
    const mode = comment.content.position;
    if (!known.has(mode)) return; // those are placed by programs, which this page does not run
    if (this.aloft.some((c) => c.comment.id === comment.id)) return;
    const c = { comment, start, mode, worth, crossing, ...this.measure(comment) };
    const gone = this.lanes.place(c);
    this.dropped += gone ? gone.length : 1;
    this.#missed.push(...(gone ?? [c]).map(ends));
    if (!gone) return;
    this.aloft = this.aloft.filter((other) => !gone.includes(other));
    this.aloft.push(c);
  }
}
