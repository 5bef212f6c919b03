import * as api from "./api.js";

const prefix = "plaza.messages.unsent.";

const makeKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

// Outbox keeps the messages of a user that are not known to be stored, over reloads too.
// Each keeps its key however often it is sent, so it is stored once.
export class Outbox {
  #user;
  #items = new Map(); // by key, oldest first
  #last = Promise.resolve(); // of the sending before

  constructor({ changed, sent }) {
    Object.assign(this, { changed, sent });
    addEventListener("online", () => {
      for (const item of this.#items.values()) if (item.state === "failed") this.retry(item.key);
    });
  }

  // become sends what another user's page has left behind.
  become(user) {
    this.#user = user;
    this.#items.clear();
    const left = [];
    for (let i = 0; i < localStorage.length; i++) {
      const name = localStorage.key(i);
      if (name.startsWith(this.#place(""))) left.push(JSON.parse(localStorage.getItem(name)));
    }
    for (const item of left.sort((a, b) => a.at - b.at)) {
      this.#items.set(item.key, item);
      this.#send(item);
    }
  }

  #place(key) { return `${prefix}${encodeURIComponent(this.#user)}.${key}`; }

  of(conversation) { return [...this.#items.values()].filter((item) => item.conversation === conversation); }

  add(conversation, text, replyTo) {
    const item = { conversation, key: makeKey(), text, replyTo, at: Date.now() };
    this.#items.set(item.key, item);
    localStorage.setItem(this.#place(item.key), JSON.stringify(item));
    this.#send(item);
  }

  retry(key) { this.#send(this.#items.get(key)); }

  discard(key) {
    this.known(key);
    this.changed();
  }

  // known forgets what is known to be stored.
  known(key) {
    clearTimeout(this.#items.get(key)?.timer);
    this.#items.delete(key);
    localStorage.removeItem(this.#place(key));
  }

  // #send sends one after the other, so that they are stored in their order.
  #send(item) {
    const user = this.#user;
    clearTimeout(item.timer);
    item.state = "sending";
    this.changed();
    this.#last = this.#last.then(async () => {
      if (user !== this.#user || !this.#items.has(item.key)) return;
      const { key, text, replyTo } = item;
      try {
        const message = await api.send(user, item.conversation, { key, text, ...(replyTo && { replyTo }) });
        if (user !== this.#user) return localStorage.removeItem(`${prefix}${encodeURIComponent(user)}.${key}`);
        this.discard(key);
        this.sent(message);
      } catch (error) {
        if (user === this.#user) this.#failed(item, error);
      }
    });
  }

  #failed(item, error) {
    const later = !error.status || error.status >= 500 || error.status === 429 || error.status === 408;
    item.state = later ? "failed" : "refused";
    item.reason = !error.status ? "The server cannot be reached." : error.status === 429 ? "You write very fast: it will be sent in a moment." : error.message;
    if (error.status === 429) item.timer = setTimeout(() => this.retry(item.key), 1000 * (Number(error.after) || 1));
    this.changed();
  }
}
