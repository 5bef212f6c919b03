import * as api from "./api.js";

const prefix = "plaza.messages.unsent.";

const makeKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

const place = (user, key) => `${prefix}${encodeURIComponent(user)}.${key}`;

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
      if (name.startsWith(place(user, ""))) left.push(JSON.parse(localStorage.getItem(name)));
    }
    for (const item of left.sort((a, b) => a.at - b.at)) {
      this.#items.set(item.key, item);
      this.#send(item);
    }
  }

  of(conversation) { return [...this.#items.values()].filter((item) => item.conversation === conversation); }

  add(conversation, text, replyTo) {
    const item = { conversation, key: makeKey(), text, replyTo, at: Date.now() };
    this.#items.set(item.key, item);
    localStorage.setItem(place(this.#user, item.key), JSON.stringify(item));
    this.#send(item);
  }

  retry(key) { this.#send(this.#items.get(key)); }

  discard(key) {
    this.known(key);
    this.changed();
  }

  // known forgets what is known to be stored.
  known(key) {
    this.#items.delete(key);
    localStorage.removeItem(place(this.#user, key));
  }

  // #send sends one after the other, so that they are stored in their order.
  #send(item) {
    const user = this.#user;
    item.state = "sending";
    this.changed();
    this.#last = this.#last.then(() => this.#deliver(user, item));
  }

  // #deliver waits where the service says that it was too fast.
  async #deliver(user, item) {
    const { conversation, key, text, replyTo } = item;
    while (user === this.#user && this.#items.has(key)) {
      try {
        const message = await api.send(user, conversation, { key, text, ...(replyTo && { replyTo }) });
        localStorage.removeItem(place(user, key));
        if (user !== this.#user) return;
        this.known(key);
        this.sent(message);
      } catch (error) {
        if (user !== this.#user) return;
        if (error.status !== 429) return this.#failed(item, error);
        await new Promise((done) => setTimeout(done, 1000 * (Number(error.after) || 1)));
      }
    }
  }

  #failed(item, error) {
    item.state = !error.status || error.status >= 500 || error.status === 408 ? "failed" : "refused";
    item.reason = error.status ? error.message : "The server cannot be reached.";
    this.changed();
  }
}
