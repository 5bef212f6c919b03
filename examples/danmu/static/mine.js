import * as api from "./api.js";
import { byId, element, spell } from "./dom.js";

const recallable = 2 * 60 * 1000; // milliseconds, as the service has it

// Mine lists the user's comments on all videos, the last sent first.
export class Mine {
  #next = "";
  #round = 0;

  constructor(video, user, { seek, removed, failed }) {
    Object.assign(this, { video, user, seek, removed, failed });
    this.list = byId("mine");
    byId("more").addEventListener("click", () => this.#more());
  }

  async reread() {
    this.#round++;
    this.#next = "";
    this.list.replaceChildren();
    await this.#more();
  }

  add(comment) {
    if (comment.userId === this.user() && !this.#row(comment.id)) this.list.prepend(this.#rowOf(comment));
  }

  remove(id) { this.#row(id)?.remove(); }

  async #more() {
    const round = this.#round;
    try {
      const { data, cursor } = await api.mine(this.user(), this.#next);
      if (round !== this.#round) return; // the user has changed
      this.list.append(...data.filter((c) => !this.#row(c.id)).map((c) => this.#rowOf(c)));
      this.#next = cursor;
      byId("more").hidden = cursor === "-1";
    } catch (error) {
      if (round === this.#round) this.failed(error.message);
    }
  }

  #row(id) { return this.list.querySelector(`[data-id="${id}"]`); }

  #rowOf(comment) {
    const { id, objectId, content, createdAt } = comment;
    const here = objectId === this.video.id;
    const at = element("button", { className: "at", title: "Go there", disabled: !here, onclick: () => this.seek(Math.max(content.time - 1, 0)) }, spell(content.time));
    const text = element("span", { className: "text", title: content.text }, content.text);
    const undo = element("button", { className: "undo", onclick: () => this.#recall(comment) }, "Recall");
    const left = createdAt + recallable - Date.now();
    undo.hidden = left <= 0;
    if (left > 0) setTimeout(() => { undo.hidden = true; }, left);
    const row = element("li", {}, at, text, undo);
    row.dataset.id = id;
    return row;
  }

  async #recall({ id, objectId }) {
    try {
      await api.recall(objectId, id, this.user());
      this.removed(id);
    } catch (error) {
      this.failed(error.message);
    }
  }
}
