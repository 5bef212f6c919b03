import { Flight } from "./flight.js";
import { leftOf, modes } from "./lanes.js";
import { imageOf, sprite } from "./sprite.js";

// A viewer who wants less motion sees standing comments, each for its time.
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const homing = 350; // milliseconds in which a comment that was held returns to its place
const margin = 10; // pixels between a comment that is held and the edges

// Standing comments have both ends on the stage.
const standing = ({ content: { position } }) => position === modes.top || position === modes.bottom;

// Stage draws a flight over the picture, frame by frame.
export class Stage {
  opacity = 1;
  visible = true;
  font = 1; // times the usual size
  area = 1; // of the height

  #held = null;
  #homing = new Map(); // ids to where and when they were let go

  constructor(canvas, timeline, ticker, { me, onFrame }) {
    Object.assign(this, { canvas, ticker, me, onFrame });
    this.pen = canvas.getContext("2d");
    this.flight = new Flight(timeline, (comment) => ({
      ...sprite(comment, {
        scale: this.scale, ratio: this.ratio, mine: comment.userId === this.me(),
        fit: standing(comment) || calm.matches ? this.width : undefined,
      }),
      ...(!standing(comment) && calm.matches && { mode: modes.top }),
    }));
    calm.addEventListener("change", () => this.flight.refresh());
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
    const frame = () => {
      this.#draw(); // a hidden page has no frames, so the first one after it is a jump
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // boxes are the comments on the stage, with their places. Those in front are held, or
  // return to their places.
  boxes() {
    return [...this.#shown()].map(({ c, left, top, front }) => ({
      id: c.comment.id, text: c.comment.content.text, mode: c.mode,
      left, top, width: c.width, height: c.height, front,
    }));
  }

  // hit is the comment at a point of the stage or, if none is there, the nearest within
  // reach.
  hit(x, y, reach = 0) {
    if (!this.visible) return null;
    let found = null, least = reach;
    for (const { c, left, top, held } of this.#shown()) {
      const off = Math.hypot(
        Math.max(left - x, 0, x - left - c.width),
        Math.max(top - y, 0, y - top - c.height),
      );
      if (!held && off <= least) [found, least] = [c, off];
    }
    return found;
  }

  // hold lets a comment stand still in front, with both ends on the stage if it fits, and
  // returns its place. Its place in the flight stays free, so it touches nothing when it
  // is released and returns to that.
  hold(c) {
    this.release();
    const seen = [...this.#shown()].find((other) => other.c.comment.id === c.comment.id);
    const at = seen?.left ?? leftOf(c, this.at, this.width);
    const left = Math.max(Math.min(at, this.width - c.width - margin), margin);
    this.#homing.delete(c.comment.id);
    this.#held = { c, left, top: seen?.top ?? c.top };
    return this.#held;
  }

  // release lets the comment that is held fly on. It fades if its time is over.
  release() {
    if (this.#held) this.#homing.set(this.#held.c.comment.id, { ...this.#held, since: performance.now() });
    this.#held = null;
  }

  // remove takes a comment away, also if it is held.
  remove(id) {
    this.flight.remove(id);
    this.#homing.delete(id);
    if (this.#held?.c.comment.id === id) this.#held = null;
  }

  *#shown() {
    const held = this.#held?.c.comment.id, places = new Map();
    for (const c of this.flight.aloft) {
      const { id } = c.comment, left = leftOf(c, this.at, this.width);
      if (id === held) continue;
      if (this.#homing.has(id)) places.set(id, { c, left });
      else yield { c, left, top: c.top };
    }
    for (const [id, { c, left, top, since }] of this.#homing) {
      const gone = Math.min((performance.now() - since) / homing, 1), home = places.get(id);
      const done = gone * (2 - gone); // it slows down
      const toward = (from, to) => from + (to - from) * done;
      if (home) yield { c: home.c, left: toward(left, home.left), top: toward(top, home.c.top), front: true };
      else yield { c, left, top, front: true, faint: 1 - gone };
      if (gone === 1) this.#homing.delete(id);
    }
    if (this.#held) yield { ...this.#held, front: true, held: true };
  }

  // look changes how comments are shown.
  look({ opacity, visible, font, area, crossing }) {
    const refit = font !== this.font || area !== this.area;
    Object.assign(this, { opacity, visible, font, area });
    this.flight.crossing = crossing;
    if (!refit) return;
    this.#fit();
    this.flight.refresh();
  }

  #fit() {
    const { clientWidth, clientHeight } = this.canvas;
    this.width = clientWidth;
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.scale = Math.min(Math.max(clientHeight / 540, 0.62), 1.6) * this.font; // small players stay readable
    this.canvas.width = clientWidth * this.ratio;
    this.canvas.height = clientHeight * this.ratio;
    this.flight.resize(clientWidth, clientHeight * this.area);
  }

  #draw() {
    this.at = this.ticker.now();
    this.flight.step(this.at);
    const { pen, ratio, canvas } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (this.visible) {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const { c, left, top, held, faint = 1 } of this.#shown()) {
        if (held) continue; // the page shows it
        pen.globalAlpha = this.opacity * faint;
        pen.drawImage(imageOf(c), left, top, c.width, c.height);
      }
    }
    this.onFrame(this.at);
  }
}
