import { button, element } from "../shared/dom.js";
import { face } from "../shared/face.js";
import { about, ago, at, naps, sentence, thing } from "./words.js";

// keyOf names an entry in its list.
export const keyOf = (entry) => entry.group ?? entry.announcement.id;

// row is an entry of a list. Act is called with what its reader chose.
export function row(entry, { me, view, fresh, act }) {
  const li = element("li", { class: ["row", !entry.read && "unread", fresh && "fresh"].filter(Boolean).join(" ") });
  const flag = element("span", { class: "flag" }, fresh ? "New" : "");
  const state = element("span", { class: "unseen" }, entry.read ? "Read. " : "Unread. ");
  if (entry.announcement) {
    const { title, text, until } = entry.announcement;
    li.append(
      element("span", { class: "face horn", "aria-hidden": "true" }, "!"),
      element("div", { class: "text", tabindex: "-1", "data-part": "text" }, state, element("strong", {}, title), text ? element("p", {}, text) : undefined),
      element("div", { class: "line" }, flag, element("span", { class: "time" }, `until ${at(until)}`),
        button("Dismiss", () => act("dismiss", entry), { "data-part": "dismiss", class: "quiet" })),
    );
    return li;
  }
  const parts = sentence(entry, me).map((part) => (Array.isArray(part) ? element("strong", {}, ...part) : part));
  li.append(
    face((entry.actors?.[0] ?? entry.activity.actor).replace(/^user:/, "")),
    button("", () => act("read", entry), { class: "text", "data-part": "text" }),
    element("div", { class: "line" }, flag, when(entry), ...actions(entry, view, me, act)),
  );
  li.querySelector(".text").append(state, ...parts);
  return li;
}

function when(entry) {
  if (entry.until) return element("span", { class: "time" }, `back ${at(entry.until)}`);
  const { time } = entry.activity;
  return element("time", { class: "time", datetime: time }, ago(time));
}

function actions(entry, view, me, act) {
  const choice = (text, what, ...more) => button(text, () => act(what, entry, ...more), { class: "quiet", "data-part": what });
  if (view === "archived") return [choice("Move to inbox", "unarchive")];
  if (view === "snoozed") return [choice("Wake now", "unsnooze")];
  const actor = (entry.actors?.[0] ?? entry.activity.actor).replace(/^user:/, "");
  return [
    choice("Archive", "archive"),
    menu("Snooze", naps().map(([text, until]) => choice(text, "snooze", until))),
    menu("⋯", [
      entry.read ? choice("Mark as unread", "unread") : choice("Mark as read", "read"),
      choice(`Mute ${thing(about(entry), me)}`, "mute", about(entry)),
      choice(`Block ${actor}`, "block", actor),
    ], "More"),
  ];
}

function menu(title, choices, label) {
  return element("details", { class: "menu" },
    element("summary", { class: "quiet", "data-part": title, "aria-label": label }, title),
    element("div", { class: "choices" }, ...choices));
}
