import * as api from "./api.js";
import { byId, element } from "../shared/dom.js";
import { said } from "./words.js";

const prefix = "plaza.messages.draft.";
const every = 3000; // milliseconds between two signs that somebody writes

// Composer is where messages are written, edited and answered. It keeps a draft for each
// conversation.
export class Composer {
  #place; // of the draft
  #answers; // the message that is answered
  #edits; // the message that is edited
  #shift = false;
  #signed = 0; // when the others were told last

  constructor({ send, edit, last }) {
    Object.assign(this, { send, edit, last });
    byId("composer").addEventListener("submit", (e) => { e.preventDefault(); this.#submit(); });
    byId("text").addEventListener("keydown", (e) => this.#key(e));
    byId("text").addEventListener("beforeinput", (e) => this.#enter(e));
    byId("text").addEventListener("input", () => { this.#save(); this.#sign(); });
    byId("undo").addEventListener("click", () => this.#undo());
  }

  // open shows the draft of a user for a conversation.
  open(user, conversation) {
    this.#place = `${prefix}${encodeURIComponent(user)}.${encodeURIComponent(conversation)}`;
    Object.assign(this, { user, conversation });
    this.#signed = 0;
    this.#restore();
  }

  get editing() { return this.#edits?.seq; }

  answer(message) {
    if (this.#edits) this.#restore();
    this.#answers = message;
    this.#save();
    this.#show();
    byId("text").focus();
  }

  // rewrite edits a message that was sent.
  rewrite(message) {
    this.#edits = message;
    byId("text").value = message.text;
    this.#show();
    byId("text").focus();
  }

  // take continues a text that was refused.
  take(text) {
    byId("text").value = text;
    this.#save();
    byId("text").focus();
  }

  #submit() {
    const text = byId("text").value.trim();
    if (!text) return;
    if (this.#edits) {
      const edited = this.#edits;
      this.#restore();
      if (text !== edited.text) this.edit(edited, text);
    } else {
      const answers = this.#answers?.seq;
      byId("text").value = "";
      this.#answers = undefined;
      this.#signed = 0; // a message ends it
      this.#save();
      this.#show();
      this.send(text, answers);
    }
    byId("text").focus();
  }

  #key(e) {
    if (e.isComposing) return;
    this.#shift = e.shiftKey;
    if (e.key === "Escape" && (this.#edits || this.#answers)) {
      e.stopPropagation();
      this.#undo();
    } else if (e.key === "ArrowUp" && byId("text").value === "" && this.last()) {
      e.preventDefault();
      this.rewrite(this.last());
    }
  }

  // #enter sends on Enter, which a phone's keyboard reports in no other way.
  #enter(e) {
    if (e.inputType !== "insertLineBreak" || this.#shift) return;
    e.preventDefault();
    this.#submit();
  }

  #undo() {
    if (this.#edits) this.#restore();
    else {
      this.#answers = undefined;
      this.#save();
      this.#show();
    }
    byId("text").focus();
  }

  #save() {
    if (this.#edits) return; // the draft waits
    const [text, answers] = [byId("text").value, this.#answers];
    if (text || answers) localStorage.setItem(this.#place, JSON.stringify({ text, answers }));
    else localStorage.removeItem(this.#place);
  }

  #restore() {
    const draft = JSON.parse(localStorage.getItem(this.#place) ?? "{}");
    this.#edits = undefined;
    this.#answers = draft.answers;
    byId("text").value = draft.text ?? "";
    this.#show();
  }

  #show() {
    const about = this.#edits ?? this.#answers;
    byId("about").hidden = !about;
    byId("send").textContent = this.#edits ? "Save" : "Send";
    if (!about) return;
    byId("aboutwhat").replaceChildren(this.#edits ? "Editing " : "Replying to ",
      ...(this.#edits ? [] : [element("bdi", {}, about.sender), ": "]), element("span", { dir: "auto" }, said(about)));
  }

  // #sign shows the others that the user is typing. Nobody needs to know that it failed.
  #sign() {
    if (this.#edits || byId("text").value === "" || Date.now() - this.#signed < every) return;
    this.#signed = Date.now();
    api.typing(this.user, this.conversation).catch(() => {});
  }
}
