import * as api from "./api.js";
import { keysOf, read, remove, write } from "./storage.js";
import { words } from "./words.js";

const t = words({
  en: { full: (n) => `${n} of your danmu are waiting already. Drop one first.` },
  zh: { full: (n) => `已有 ${n} 条弹幕在等待发送，请先删除一条。` },
});

const prefix = "plaza.danmu.outbox/";
const most = 20;
const slowest = 30; // seconds between two attempts
const soon = 2000; // milliseconds after which a danmu that is being sent counts as waiting

// Outbox keeps what the viewer wrote until the service has it: in the order of writing,
// over reloads, and once for all tabs. Each danmu has an entry of its own in the
// browser's storage, so that two tabs cannot overwrite each other's, and a key, so that
// the service takes it once however often it is sent.
export class Outbox {
  #memory = new Map(); // entries that the browser does not keep
  #fresh = new Set(); // names of entries that are being sent for the first time
  #writers = new Map(); // name to {resolve, reject} of send
  #last = 0;
  #failures = 0;
  #until = 0; // before then the service wants no attempt
  #timer = 0;
  #busy = false;

  // sent is called with each comment that the service has taken, changed when others wait.
  constructor({ sent, changed }) {
    Object.assign(this, { sent, changed });
    addEventListener("storage", (e) => {
      if (e.key !== null && !e.key.startsWith(prefix)) return;
      this.#look();
      this.again();
    });
    this.again();
  }

  // waiting are the entries {name, message, refused} that have not gone out at once.
  // Refused is the reason if they never will.
  waiting() { return this.#all().filter(({ name }) => !this.#fresh.has(name)); }

  // send returns once the danmu is sent or waits. A refusal throws.
  send(message) {
    if (this.#all().length >= most) return Promise.reject(new Error(t("full", most)));
    const key = api.token();
    this.#last = Math.max(Date.now(), this.#last + 1);
    const name = `${prefix}${String(this.#last).padStart(15, "0")}/${key}`;
    const entry = { message: { ...message, key } };
    if (!write(name, entry)) this.#memory.set(name, entry);
    this.#fresh.add(name);
    setTimeout(() => this.#wait(name), soon);
    return new Promise((resolve, reject) => {
      this.#writers.set(name, { resolve, reject });
      if (this.#timer) this.#wait(name);
      else this.#work();
    });
  }

  drop(name) {
    this.#remove(name);
    this.#writers.get(name)?.resolve();
    this.#writers.delete(name);
    this.changed();
  }

  // again tries at once, unless the service asked for a pause.
  again() {
    if (Date.now() < this.#until) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#failures = 0;
    this.#work();
  }

  #all() {
    const stored = keysOf(prefix).map((name) => ({ name, ...this.#valid(name) })).filter((entry) => entry.message);
    const memory = [...this.#memory].map(([name, entry]) => ({ name, ...entry }));
    return [...stored, ...memory].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  // #valid returns a stored entry. It removes one that is damaged.
  #valid(name) {
    const entry = read(name), { message, refused } = entry ?? {};
    const fits = typeof message?.key === "string" && name.endsWith(`/${message.key}`) && typeof message.content?.text === "string";
    if (!fits) remove(name);
    return fits ? { message, refused: typeof refused === "string" ? refused : undefined } : {};
  }

  #remove(name) {
    remove(name);
    this.#memory.delete(name);
    this.#fresh.delete(name);
  }

  // #wait shows an entry as waiting.
  #wait(name) {
    this.#writers.get(name)?.resolve();
    this.#writers.delete(name);
    if (this.#fresh.delete(name)) this.changed();
  }

  // #look lets writers go whose danmu another tab has sent.
  #look() {
    const names = new Set(this.#all().map(({ name }) => name));
    for (const name of this.#writers.keys()) if (!names.has(name)) this.#wait(name);
    this.changed();
  }

  async #work() {
    if (this.#busy || this.#timer) return;
    this.#busy = true;
    let pause = 0;
    while (pause === 0) pause = await alone(() => this.#first());
    this.#busy = false;
    if (pause === null) this.#look();
    else this.#timer = setTimeout(() => { this.#timer = 0; this.#work(); }, pause);
  }

  // #first sends the first entry. It returns the milliseconds until the next attempt, or
  // null if nothing is left.
  async #first() {
    const entry = this.#all().find(({ refused }) => refused === undefined);
    if (!entry) return null;
    const { name, message } = entry;
    let comment;
    try {
      comment = await api.send(message);
    } catch (error) {
      if (!passes(error)) {
        this.#refuse(name, message, error);
        return 0;
      }
      for (const other of [...this.#fresh]) this.#wait(other);
      const backoff = Math.min(2 ** this.#failures++, slowest) * (0.5 + Math.random() / 2);
      const after = error.after ?? 0;
      this.#until = Date.now() + after * 1000;
      return Math.max(after, backoff) * 1000;
    }
    this.#failures = 0;
    this.#remove(name);
    this.#wait(name);
    this.sent(comment);
    this.changed();
    return 0;
  }

  #refuse(name, message, error) {
    const writer = this.#writers.get(name);
    if (writer) { // who still has the text at hand
      this.#writers.delete(name);
      this.#remove(name);
      writer.reject(error);
    } else if (this.#all().some((entry) => entry.name === name)) {
      const entry = { message, refused: error.message };
      if (this.#memory.has(name) || !write(name, entry)) this.#memory.set(name, entry);
    }
    this.changed();
  }
}

// passes reports whether a failure may be gone at the next attempt.
const passes = ({ status }) => status === 0 || status === 408 || status === 429 || status >= 500;

// alone runs while no other tab does, where browsers can tell.
async function alone(do_) {
  let begun = false;
  const once = () => {
    begun = true;
    return do_();
  };
  try {
    return await (navigator.locks ? navigator.locks.request("plaza.danmu.outbox", once) : once());
  } catch (error) {
    if (begun) throw error;
    return do_(); // where storage is forbidden, locks are too
  }
}
