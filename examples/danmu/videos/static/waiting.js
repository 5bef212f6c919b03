import { byId, element, spell } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: { edit: "Edit", editOf: (text) => `Edit ${text}`, drop: "Drop", dropOf: (text) => `Drop ${text}`, waits: "Waiting", refused: (reason) => `Not sent: ${reason}` },
  zh: { edit: "编辑", editOf: (text) => `编辑 ${text}`, drop: "删除", dropOf: (text) => `删除 ${text}`, waits: "等待发送", refused: (reason) => `未发送：${reason}` },
});

// waiting lists what the outbox has not sent. Edit gives the text of a refused one back.
export function waiting(outbox, { edit }) {
  const list = byId("waiting");
  const rowOf = ({ name, message }) => {
    const { text, time } = message.content;
    const row = element("li", {},
      element("span", { className: "at" }, Number.isFinite(time) ? spell(time) : ""),
      element("span", { className: "text", title: text }, text),
      element("span", { className: "state" }),
      element("button", { className: "edit", hidden: true, ariaLabel: t("editOf", text), onclick: () => { if (edit(text)) outbox.drop(name); } }, t("edit")),
      element("button", { className: "drop", ariaLabel: t("dropOf", text), onclick: () => outbox.drop(name) }, t("drop")));
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
      const state = entry.refused === undefined ? t("waits") : t("refused", entry.refused);
      if (row.querySelector(".state").textContent !== state) row.querySelector(".state").textContent = state;
    }
    for (const row of rows.values()) row.remove();
    list.hidden = entries.length === 0;
  };
}
