import { me } from "../api.js";
import { glyph, h } from "../dom.js";
import { menu } from "../menu.js";
import { avatar, person } from "../people.js";
import { exact } from "../words.js";
import { clockOf, t } from "./words.js";

const nameOf = (id) => (id === me() ? t("you") : person(id).name);

// textOf is the text of a message.
export function textOf(message) {
  if (!message.recalled) return message.text ?? "";
  return message.sender === me() ? t("youRecalled") : t("recalled", person(message.sender).name);
}

// bubble is a message in its conversation. act is called with its reader's choice.
export function bubble(message, { group, first, last, quoted, act }) {
  const mine = message.sender === me();
  return h("li", { class: ["said", mine ? "mine" : "theirs", first && "first", last && "last", message.recalled && "recalled"].filter(Boolean).join(" ") },
    group && !mine && (last ? avatar(message.sender, 28) : h("span", { class: "noface" })),
    h("div", { class: "bubble", tabIndex: -1, "data-part": "bubble" },
      h("span", { class: group && !mine && first ? "who" : "visually-hidden" }, nameOf(message.sender), h("span", { class: "visually-hidden" }, ": ")),
      quoted && quote(quoted, () => act("jump", message.replyTo)),
      h("p", { dir: "auto" }, textOf(message)),
      h("span", { class: "meta" }, message.edited && !message.recalled && `${t("edited")} · `, h("time", { datetime: message.time, title: exact(message.time) }, clockOf(message.time)))),
    !message.recalled && menu(t("more"), [
      [t("reply"), "reply", () => act("reply", message)],
      mine && [t("edit"), "edit", () => act("edit", message)],
      mine && [t("recall"), "trash", () => act("recall", message)],
    ]));
}

function quote(message, click) {
  return h("button", { type: "button", class: "quote", onclick: click, "data-part": "quote" },
    h("span", { class: "visually-hidden" }, `${t("inReply")} `), message.sender && h("span", { class: "by" }, nameOf(message.sender)),
    h("span", { class: "line", dir: "auto" }, message.missing ? t("earlier") : textOf(message)));
}

// pending is a message that is not known to be stored.
export function pending(item, { quoted, act }) {
  const choice = (text, what) => h("button", { type: "button", class: "button", "data-part": what, onclick: () => act(what, item) }, text);
  return h("li", { class: `said mine pending ${item.state}` },
    h("div", { class: "bubble", tabIndex: -1, "data-part": "bubble" },
      h("span", { class: "visually-hidden" }, `${t("you")}: `),
      quoted && quote(quoted, () => act("jump", item.replyTo)),
      h("p", { dir: "auto" }, item.text),
      h("span", { class: "meta" }, item.state === "sending" ? [glyph("clock"), t("sending")] : t("notSent"))),
    item.state !== "sending" && h("div", { class: "trouble" }, h("span", {}, item.reason),
      item.state === "failed" ? choice(t("again"), "retry") : choice(t("edit"), "rewrite"), choice(t("discard"), "discard")));
}

export const divider = (text, name) => h("li", { class: `divider ${name}` }, h("span", {}, text));
