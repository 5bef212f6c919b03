import * as api from "./api.js";
import { button, byId, element } from "../shared/dom.js";
import { thing, titles } from "./words.js";

const channels = { "in-app": "Here", email: "Mail" };

let turn = 0;

// settings shows what a user wants to be notified of. The last of several calls counts.
export async function settings(user, failed) {
  const mine = ++turn;
  const change = (call) => call.catch((error) => failed(error.message)).then(() => settings(user, failed));
  let read;
  try {
    read = await Promise.all([api.settings(user), api.blocked(user), api.muted(user)]);
  } catch (error) {
    return failed(error.message);
  }
  if (mine !== turn) return;
  const [all, blocked, muted] = read;
  const held = document.activeElement?.id;
  byId("settings").replaceChildren(
    table(all, (choice) => change(api.set(user, choice))),
    ended("Blocked", blocked.items.map((b) => [b.actor, () => change(api.unblock(user, b.actor))]), "Unblock", "Nobody."),
    ended("Muted", muted.items.map((m) => [thing(m.object, user), () => change(api.unmute(user, m.object))]), "Unmute", "Nothing."),
  );
  if (held) byId(held)?.focus();
}

function table(all, choose) {
  const names = Object.keys(channels);
  const verbs = [...new Set(all.map((setting) => setting.verb ?? ""))].sort((a, b) => (a === "") - (b === ""));
  return element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Notify me of"), ...names.map((name) => element("th", { scope: "col" }, channels[name])))),
    element("tbody", {}, ...verbs.map((verb) => element("tr", {},
      element("th", { scope: "row" }, titles[verb] ?? verb),
      ...names.map((channel) => {
        const { on } = all.find((setting) => (setting.verb ?? "") === verb && setting.channel === channel);
        return element("td", {}, element("input", {
          type: "checkbox", id: `set-${verb}-${channel}`, checked: on,
          "aria-label": `${titles[verb] ?? verb}: ${channels[channel]}`,
          change: (e) => choose({ verb, channel, on: e.target.checked }),
        }));
      })))));
}

function ended(title, items, end, none) {
  return element("section", {}, element("h3", {}, title),
    items.length === 0 ? element("p", { class: "hint" }, none) :
    element("ul", {}, ...items.map(([text, click]) => element("li", {}, element("span", {}, text), button(end, click, { class: "quiet" })))));
}
