import { get } from "../api.js";

// newer returns the newer of two versions of a message: a recalled one stays recalled.
function newer(one, two) {
  if (!one || one.recalled || two.recalled) return one?.recalled ? one : two;
  return (one.edited ?? "") > (two.edited ?? "") ? one : two;
}

// History holds the messages of a conversation from the newest back to some older one.
export class History {
  #messages = new Map(); // by number
  #arrived = new Map(); // since the read that runs began
  #gone = new Map(); // when a message was recalled, by number
  #next = ""; // where older ones are
  #reading;
  #again = false; // whether to read the held messages once more
  #more = false; // whether to read an older page
  #closed = false;
  loaded = false;

  constructor(path, { changed, failed }) {
    Object.assign(this, { path, changed, failed });
  }

  get all() { return [...this.#messages.values()].sort((a, b) => a.seq - b.seq); }
  get newest() { return Math.max(0, ...this.#messages.keys()); }
  get hasOlder() { return this.#next !== ""; }
  at(seq) { return this.#messages.get(seq); }
  close() { this.#closed = true; }

  // put adds a message as it is now. One that leaves a gap makes it read again.
  put(message) {
    if (this.#closed) return;
    const gap = this.loaded && message.seq > this.newest + 1;
    this.#arrived.set(message.seq, message);
    this.#keep(message);
    this.changed();
    if (gap) this.reread();
  }

  recalled(seq) {
    this.#gone.set(seq, new Date().toISOString());
    if (this.#messages.has(seq)) this.put(this.#messages.get(seq));
  }

  // #keep leaves out messages older than the oldest: they would leave a gap.
  #keep(message) {
    if (this.#next && message.seq < Math.min(...this.#messages.keys())) return;
    const gone = this.#gone.get(message.seq);
    if (gone && !message.recalled) message = { ...message, text: "", recalled: gone };
    this.#messages.set(message.seq, newer(this.#messages.get(message.seq), message));
  }

  // reread reads the held messages again. Calls during a read are one read after it.
  reread() {
    this.#again = true;
    return this.#run();
  }

  // older reads one more page. Calls until it has come are for the same page.
  older() {
    this.#more = true;
    return this.#run();
  }

  #run() {
    this.#reading ??= (async () => {
      try {
        while (!this.#closed && (this.#again || this.#more && this.#next)) {
          this.#arrived.clear();
          await (this.#again ? this.#readAll() : this.#readOlder());
        }
      } catch (error) {
        this.#again = this.#more = false;
        if (!this.#closed) this.failed(error);
      }
      this.#reading = undefined;
    })();
    return this.#reading;
  }

  async #readAll() {
    this.#again = false;
    const oldest = Math.min(...this.#messages.keys()), found = [];
    let cursor = "";
    do {
      const page = await get(`${this.path}?cursor=${encodeURIComponent(cursor)}`);
      found.push(...page.items);
      cursor = page.next;
    } while (cursor && found.at(-1)?.seq > oldest);
    this.#show(cursor, found, true);
  }

  async #readOlder() {
    const page = await get(`${this.path}?cursor=${encodeURIComponent(this.#next)}`);
    this.#more = false;
    this.#show(page.next, page.items, false);
  }

  #show(next = "", found, whole) {
    if (this.#closed) return;
    this.loaded = true;
    if (whole) this.#messages = new Map();
    this.#next = "";
    for (const message of found) this.#keep(message);
    this.#next = next;
    for (const message of this.#arrived.values()) this.#keep(message);
    this.changed();
  }
}
