import * as api from "./api.js";
import { byId, element, spell } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: { there: "Go there", elsewhere: (id) => `On video ${id}`, recall: "Recall" },
  zh: { there: "跳到这里", elsewhere: (id) => `在视频 ${id} 中`, recall: "撤回" },
});

const before = 0.2; // seconds before a comment, so that it is seen to come

// Mine lists the user's comments on all videos, the last sent first.
export class Mine {
  #rows = new Map(); // id to its row
  #gone = new Set(); // ids that a read may still have
  #next = "";
  #round = 0;

  constructor(video, user, { seek, removed, failed }) {
    Object.assign(this, { video, user, seek, removed, failed });
    this.list = byId("mine");
    byId("more").addEventListener("click", async () => {
      const last = this.list.lastElementChild;
      await this.#more();
      if (byId("more").hidden) focusIn(last?.nextElementSibling); // it had the focus
    });
  }

  async reread() {
    this.#round++;
    this.#next = "";
    this.#rows.clear();
    this.list.replaceChildren();
    byId("more").hidden = true;
    await this.#more();
  }

  add(comment) {
    if (comment.userId === this.user() && !this.#rows.has(comment.id)) this.list.prepend(this.#rowOf(comment));
  }

  remove(id) {
    this.#gone.add(id);
    const row = this.#rows.get(id);
    if (!row) return;
    if (row.contains(document.activeElement)) focusIn(row.nextElementSibling ?? row.previousElementSibling);
    this.#rows.delete(id);
    row.remove();
  }

  async #more() {
    const round = this.#round;
    try {
      const { data, cursor } = await api.mine(this.user(), this.#next);
      if (round !== this.#round) return; // the user has changed
      this.list.append(...data.filter((c) => !this.#rows.has(c.id) && !this.#gone.has(c.id)).map((c) => this.#rowOf(c)));
      this.#next = cursor;
      byId("more").hidden = cursor === "-1";
    } catch (error) {
      if (round !== this.#round) return;
      byId("more").hidden = false; // to try again
      this.failed(error.message);
    }
  }

  #rowOf(comment) {
    const { id, objectId, content } = comment;
    const here = objectId === this.video.id;
    const at = element("button", {
      className: "at", disabled: !here, title: here ? t("there") : t("elsewhere", objectId),
      onclick: () => this.seek(Math.max(content.time - before, 0)),
    }, spell(content.time));
    const text = element("span", { className: "text", title: content.text }, content.text);
    const undo = element("button", { className: "undo", onclick: () => this.#recall(comment) }, t("recall"));
    const left = api.recallLeft(comment);
    undo.hidden = !(left > 0);
    if (left > 0) setTimeout(() => { undo.hidden = true; }, left);
    const row = element("li", {}, at, text, undo);
    this.#rows.set(id, row);
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

// focusIn gives the focus to the first button of a row that can have it.
function focusIn(row) { row?.querySelector("button:not([hidden], :disabled)")?.focus(); }
