const tick = 50; // milliseconds
const limit = 20; // ticks that one expression may take for a batch
const most = 3; // expressions that may be too slow before all rest
const batch = 200; // comments
const retry = 3000; // milliseconds until the worker's script is read again

// A browser that knows trusted types takes no other address for the worker.
const address = new URL("patterns-worker.js", import.meta.url).href;
const script = globalThis.trustedTypes?.createPolicy("patterns", { createScriptURL: () => address }).createScriptURL("") ?? address;

// Patterns tests texts against regular expressions in a worker, since some take years
// for some texts. Such a one is taken out.
export class Patterns {
  #patterns = [];
  #known = new WeakMap(); // comment to whether it is blocked
  #queue = [];
  #running = null; // comments at the worker
  #slow = 0;
  #worker = null;
  #timer = 0;
  #soon = 0;

  // decided is called when comments have been tested, and slow with an expression that
  // was taken out. resting says that the others are not used either.
  constructor({ decided, slow }) {
    Object.assign(this, { decided, slow });
  }

  get resting() { return this.#slow >= most; }

  use(patterns) {
    if (JSON.stringify(patterns) === JSON.stringify(this.#patterns)) return;
    this.#patterns = patterns;
    this.#known = new WeakMap();
    this.#queue = [];
    this.#slow = 0;
    this.#stop();
    if (patterns.length === 0) this.#wake(); // those that wait
  }

  // blocks is undefined until the comment has been tested.
  blocks(comment) {
    if (this.#patterns.length === 0 || this.resting) return false;
    const known = this.#known.get(comment);
    if (known !== undefined) return known ?? undefined;
    this.#known.set(comment, null);
    this.#queue.push(comment);
    this.#wake();
    return undefined;
  }

  #wake() { this.#soon ||= setTimeout(() => { this.#soon = 0; this.#next(); }); }

  #next() {
    if (this.#running) return;
    if (this.#queue.length === 0 || this.#patterns.length === 0 || this.resting) {
      this.decided();
      return;
    }
    this.#running = this.#queue.splice(0, batch);
    this.#send();
  }

  #send() {
    this.#worker ??= this.#start();
    this.#worker.postMessage({ patterns: this.#patterns, texts: this.#running.map((c) => c.content.text) });
  }

  #start() {
    const worker = new Worker(script);
    worker.addEventListener("message", ({ data }) => { if (worker === this.#worker) this.#hear(data); });
    worker.addEventListener("error", () => { // its script could not be read
      if (worker !== this.#worker) return;
      const again = this.#running;
      this.#stop();
      this.#queue.unshift(...again);
      this.#soon ||= setTimeout(() => { this.#soon = 0; this.#next(); }, retry);
    });
    return worker;
  }

  // The clock runs from the first answer on, since the script may take long to come.
  #hear({ trying, blocked }) {
    clearInterval(this.#timer);
    if (trying !== undefined) {
      let ticks = 0; // where the machine is busy, they come late too
      this.#timer = setInterval(() => { if (++ticks > limit) this.#takeOut(trying); }, tick);
      return;
    }
    this.#running.forEach((c, i) => this.#known.set(c, blocked[i]));
    this.#running = null;
    if (this.#queue.length === 0) this.decided();
    else this.#next();
  }

  #takeOut(index) {
    const [gone] = this.#patterns.splice(index, 1);
    const again = this.#running;
    this.#stop();
    this.#slow++;
    if (!this.resting && this.#patterns.length > 0) {
      this.#running = again;
      this.#send();
    } else {
      again.concat(this.#queue.splice(0)).forEach((c) => this.#known.set(c, false));
      this.#wake();
    }
    this.slow(gone);
  }

  #stop() {
    clearInterval(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#running = null;
  }
}
