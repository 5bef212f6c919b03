// Where comments fly. No two flying comments ever touch.

export const crossings = [14, 11, 8, 6, 4]; // seconds from edge to edge that viewers can choose
export const crossing = 8; // of a comment that has none of its own
export const standing = 4; // seconds at the top or the bottom

export const modes = { scroll: 0, top: 1, bottom: 2, reverse: 3 };

// A comment may push out those of a lower worth.
export const worths = { timeline: 0, live: 1, own: 2 };

const step = 6; // pixels between the lanes that are tried
const strip = 0.1; // of the height, at the top and the bottom, which moving comments use last

const moves = (c) => c.mode === modes.scroll || c.mode === modes.reverse;

const crossingOf = (c) => c.crossing ?? crossing;

export const ends = (c) => c.start + (moves(c) ? crossingOf(c) : standing);

// leftOf is the left edge of c at a moment of the playing time.
export function leftOf(c, at, stageWidth) {
  const gone = ((at - c.start) / crossingOf(c)) * (stageWidth + c.width);
  switch (c.mode) {
    case modes.scroll: return stageWidth - gone;
    case modes.reverse: return gone - c.width;
    default: return (stageWidth - c.width) / 2;
  }
}

// Lanes places comments, {start, mode, worth, width, height, crossing}, by setting their
// top. Each keeps its own crossing, so that the viewer can change it while others fly.
// They come in the order of their start.
export class Lanes {
  placed = [];

  constructor(width, height, gap = 14) {
    Object.assign(this, { width, height, gap });
  }

  // place returns the comments that give way to c: none if a lane is free, and never
  // one of the same worth, except that the viewer's own always find a lane. It
  // returns null if there is no lane.
  place(c) {
    this.placed = this.placed.filter((other) => ends(other) > c.start);
    let best = null;
    for (const top of this.#tops(c)) {
      const gone = this.#inWay({ ...c, top });
      const worth = Math.max(-1, ...gone.map((other) => other.worth));
      if (worth >= c.worth && c.worth < worths.own) continue;
      if (!best || worth < best.worth || (worth === best.worth && gone.length < best.gone.length)) best = { top, worth, gone };
      if (gone.length === 0) break;
    }
    if (!best) return null;
    c.top = best.top;
    best.gone.forEach((other) => this.remove(other));
    this.placed.push(c);
    return best.gone;
  }

  remove(c) { this.placed = this.placed.filter((other) => other !== c); }

  *#tops(c) {
    const last = this.height - c.height;
    if (moves(c)) {
      const edge = Math.round(strip * this.height);
      for (let top = edge; top <= last - edge; top += step) yield top;
    }
    const reach = moves(c) ? last : last / 2; // the top is not below the middle
    for (let i = 0; i * step <= reach; i++) {
      yield c.mode === modes.bottom ? last - i * step : i * step;
    }
    if (last < 0 && c.worth === worths.own) yield 0; // higher than the stage
  }

  #inWay(c) {
    return this.placed.filter((other) =>
      other.top < c.top + c.height && c.top < other.top + other.height && !this.#apart(other, c));
  }

  // #apart reports whether two stay a gap apart. Their motion is steady, so it is
  // enough that one is on the same side when the later enters and when the first
  // leaves.
  #apart(a, b) {
    if (a.start >= ends(b) || b.start >= ends(a)) return true;
    const side = (at) => {
      const left = leftOf(a, at, this.width), right = leftOf(b, at, this.width);
      if (left + a.width + this.gap <= right) return 1;
      return right + b.width + this.gap <= left ? -1 : 0;
    };
    const first = side(Math.max(a.start, b.start));
    return first !== 0 && first === side(Math.min(ends(a), ends(b)));
  }
}
