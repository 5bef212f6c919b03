import { APIError, me, newKey, post, traffic } from "../api.js";
import { words } from "../words.js";

const t = words({ en: { unreachable: "Pinboard cannot be reached." }, zh: { unreachable: "无法连接 Pinboard。" } });

// outbox keeps the messages of this window that are not known to be stored, over reloads
// too. Each keeps its key however often it is sent, so it is stored once. It has the events
// "changed", and "sent" with the message.
class Outbox extends EventTarget {
  #place = `pinboard.unsent.${me()}`;
  #items = JSON.parse(sessionStorage.getItem(this.#place) ?? "[]");
  #last = Promise.resolve(); // of the sending before

  constructor() {
    super();
    for (const item of this.#items) if (item.state !== "refused") this.#send(item);
    const again = () => { for (const item of this.#items) if (item.state === "failed") this.#send(item); };
    addEventListener("online", again);
    traffic.addEventListener("reached", again);
  }

  of(conversation) { return this.#items.filter((item) => item.to === conversation); }

  add(to, text, replyTo) {
    const item = { to, key: newKey(), text, replyTo };
    this.#items.push(item);
    this.#send(item);
  }

  retry(key) { this.#send(this.#items.find((item) => item.key === key)); }

  // forget drops a message: it is stored, or nobody wants it any more.
  forget(key) {
    this.#items = this.#items.filter((item) => item.key !== key);
    this.#save();
  }

  #save() { sessionStorage.setItem(this.#place, JSON.stringify(this.#items)); }

  #set(item, state, reason) {
    Object.assign(item, { state, reason });
    this.#save();
    this.dispatchEvent(new Event("changed"));
  }

  // #send sends one after the other, so that they are stored in their order.
  #send(item) {
    this.#set(item, "sending");
    this.#last = this.#last.then(() => this.#deliver(item));
  }

  async #deliver(item) {
    if (!this.#items.includes(item)) return;
    const { to, key, text, replyTo } = item;
    try {
      const message = await post(`/api/talks/${encodeURIComponent(to)}/messages`, { key, text, ...(replyTo && { replyTo }) });
      this.forget(key);
      this.dispatchEvent(new CustomEvent("sent", { detail: { to, message } }));
    } catch (error) {
      const refused = error instanceof APIError && error.status < 500 && error.status !== 429;
      this.#set(item, refused ? "refused" : "failed", error instanceof APIError ? error.message : t("unreachable"));
    }
  }
}

export const outbox = new Outbox();
