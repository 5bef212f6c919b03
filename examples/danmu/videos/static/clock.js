const longest = 2 ** 31 - 1; // milliseconds that a timer can wait

// Clock plays nothing for some seconds. It has the parts of a <video> that the
// player uses.
export class Clock extends EventTarget {
  #base = 0;
  #since = 0;
  #rate = 1;
  #end = 0; // the timer
  paused = true;
  seeking = false;

  constructor(duration) {
    super();
    this.duration = duration;
  }

  get currentTime() {
    const gone = this.paused ? 0 : ((performance.now() - this.#since) / 1000) * this.#rate;
    return Math.min(this.#base + gone, this.duration);
  }

  set currentTime(at) {
    this.#set(Math.min(Math.max(at, 0), this.duration));
    this.dispatchEvent(new Event("seeked"));
  }

  get playbackRate() { return this.#rate; }

  set playbackRate(rate) {
    const at = this.currentTime;
    this.#rate = rate;
    this.#set(at);
  }

  async play() {
    const at = this.currentTime;
    this.paused = false;
    this.#set(at >= this.duration ? 0 : at);
    this.dispatchEvent(new Event("play"));
  }

  pause() {
    const at = this.currentTime;
    this.paused = true;
    this.#set(at);
    this.dispatchEvent(new Event("pause"));
  }

  #set(at) {
    this.#base = at;
    this.#since = performance.now();
    clearTimeout(this.#end);
    if (this.paused) return;
    const left = ((this.duration - at) / this.#rate) * 1000;
    this.#end = setTimeout(() => {
      if (this.currentTime >= this.duration) this.pause();
      else this.#set(this.currentTime);
    }, Math.min(left, longest));
  }
}

// Ticker smooths the time of a medium, which browsers report in steps.
export class Ticker {
  #at = 0;
  #seen = 0;

  constructor(medium) {
    this.medium = medium;
    medium.addEventListener("seeked", () => { this.#seen = 0; });
  }

  now() {
    const { currentTime, paused, playbackRate } = this.medium;
    const seen = performance.now();
    const guess = this.#at + ((seen - this.#seen) / 1000) * playbackRate;
    const off = currentTime - (paused ? this.#at : guess);
    const steady = this.#seen > 0 && Math.abs(off) < 0.3;
    if (!steady) this.#at = currentTime;
    else if (!paused) this.#at = Math.max(this.#at, guess + off * 0.1);
    this.#seen = seen;
    return this.#at;
  }
}
