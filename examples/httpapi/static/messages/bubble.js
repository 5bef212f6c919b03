import { button, element } from "../shared/dom.js";
import { face } from "../shared/face.js";
import { clockOf, said } from "./words.js";

// bubble is a message in its conversation. Act is called with what its reader chose.
export function bubble(message, { me, group, first, quoted, ticks, act }) {
  const mine = message.sender === me;
  const li = element("li", { class: ["said", mine ? "mine" : "theirs", first && "first", message.recalled && "recalled"].filter(Boolean).join(" ") });
  const body = element("div", { class: "bubble", tabindex: "-1", "data-part": "bubble" },
    element("span", { class: group && !mine && first ? "who" : "unseen" }, element("bdi", {}, mine ? "You" : message.sender), element("span", { class: "unseen" }, ": ")),
    quoted ? quote(quoted, () => act("jump", message.replyTo)) : undefined,
    element("p", { class: "text", dir: "auto" }, message.recalled ? `${mine ? "You" : message.sender} recalled this message.` : said(message)),
    element("span", { class: "meta" },
      message.edited && !message.recalled ? element("span", {}, "edited") : undefined,
      element("time", { datetime: message.time }, clockOf(message.time)),
      ticks && !message.recalled ? tick(ticks) : undefined));
  if (group && !mine) li.append(first ? face(message.sender) : element("span", { class: "noface" }));
  li.append(body);
  if (!message.recalled) {
    const choice = (text, what) => button(text, () => act(what, message), { class: "quiet", "data-part": what });
    li.append(element("details", { class: "menu" },
      element("summary", { class: "quiet", "data-part": "more", "aria-label": `More about “${said(message).slice(0, 40)}”` }, "⋯"),
      element("div", { class: "choices" }, choice("Reply", "reply"), ...(mine ? [choice("Edit", "edit"), choice("Recall", "recall")] : []))));
  }
  return li;
}

function quote(message, click) {
  return element("button", { type: "button", class: "quote", click, "data-part": "quote" },
    element("span", { class: "unseen" }, "In reply to "), element("bdi", { class: "by" }, message.sender),
    element("span", { class: "line", dir: "auto" }, message.missing ? "an earlier message" : said(message)));
}

// tick says who has read a message.
function tick({ read, of }) {
  const words = of === 1 ? (read ? "Read" : "Sent") : read ? `Read by ${read} of ${of}` : "Sent";
  return element("span", { class: read ? "ticks read" : "ticks", title: words },
    element("span", { "aria-hidden": "true" }, read ? (of > 1 ? `✓✓ ${read}` : "✓✓") : "✓"), element("span", { class: "unseen" }, words));
}

// pending is a message that is not known to be stored.
export function pending(item, { quoted, act }) {
  const choice = (text, what) => button(text, () => act(what, item), { class: "quiet", "data-part": what });
  return element("li", { class: `said mine pending ${item.state}` },
    element("div", { class: "bubble", tabindex: "-1", "data-part": "bubble" },
      element("span", { class: "unseen" }, "You: "),
      quoted ? quote(quoted, () => act("jump", item.replyTo)) : undefined,
      element("p", { class: "text", dir: "auto" }, item.text),
      element("span", { class: "meta" }, item.state === "sending" ? "Sending …" : "Not sent")),
    item.state === "sending" ? "" : element("div", { class: "trouble" },
      element("span", { class: "refusal" }, item.reason),
      item.state === "failed" ? choice("Send again", "retry") : choice("Edit", "rewrite"),
      choice("Discard", "discard")));
}

export const divider = (text, name) => element("li", { class: `divider ${name}` }, element("span", {}, text));
