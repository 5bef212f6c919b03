import { byId, element, spell } from "./dom.js";

// waiting lists what the outbox has not sent. Edit gives the text of a refused one back.
export function waiting(outbox, { edit }) {
  const list = byId("waiting");
  const rowOf = ({ name, message }) => {
    const { text, time } = message.content;
    const row = element("li", {},
      element("span", { className: "at" }, Number.isFinite(time) ? spell(time) : ""),
      element("span", { className: "text", title: text }, text),
      element("span", { className: "state" }),
      element("button", { className: "edit", hidden: true, ariaLabel: `Edit ${text}`, onclick: () => { if (edit(text)) outbox.drop(name); } }, "Edit"),
      element("button", { className: "drop", ariaLabel: `Drop ${text}`, onclick: () => outbox.drop(name) }, "Drop"));
    row.dataset.name = name;
    return row;
  };
  return () => {
    const entries = outbox.waiting();
    const rows = new Map([...list.children].map((row) => [row.dataset.name, row]));
    for (const entry of entries) {
      const row = rows.get(entry.name) ?? list.appendChild(rowOf(entry));
      rows.delete(entry.name);
      row.classList.toggle("refused", entry.refused !== undefined);
      row.querySelector(".edit").hidden = entry.refused === undefined;
      const state = entry.refused === undefined ? "Waiting" : `Not sent: ${entry.refused}`;
      if (row.querySelector(".state").textContent !== state) row.querySelector(".state").textContent = state;
    }
    for (const row of rows.values()) row.remove();
    list.hidden = entries.length === 0;
  };
}
