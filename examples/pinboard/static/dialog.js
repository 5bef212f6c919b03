// Dialogs. Each leaves the page when it is closed, and gives the focus back.
import { glyph, h } from "./dom.js";
import { words } from "./words.js";

const t = words({ en: { close: "Close", cancel: "Cancel" }, zh: { close: "关闭", cancel: "取消" } });

// dialog shows children under a title and returns the element.
export function dialog(title, ...children) {
  const close = () => shown.close();
  const shown = h("dialog", { class: "card dialog", "aria-label": title, onclose: () => shown.remove() },
    h("header", { class: "row" }, h("h2", { class: "grow" }, title), h("button", { class: "icon", type: "button", "aria-label": t("close"), onclick: close }, glyph("close"))),
    ...children);
  shown.addEventListener("click", (e) => { if (e.target === shown) close(); }); // beside it
  document.body.append(shown);
  shown.showModal();
  return shown;
}

// ask asks for a text and resolves with it, or with undefined if it is cancelled.
export function ask(title, { value = "", done, most = 100, long = false, hint } = {}) {
  return new Promise((resolve) => {
    const field = h(long ? "textarea" : "input", { class: "field", value, maxLength: most, required: true, autofocus: true, "aria-label": title });
    const form = h("form", { method: "dialog", onsubmit: () => { answer = field.value.trim(); } },
      hint && h("p", { class: "dim" }, hint), field, buttons(done, () => shown.close()));
    let answer;
    const shown = dialog(title, form);
    shown.addEventListener("close", () => resolve(answer || undefined));
    field.select?.();
  });
}

// confirm asks whether to do something and resolves with the answer.
export function confirm(title, text, done) {
  return new Promise((resolve) => {
    let sure = false;
    const shown = dialog(title, h("form", { method: "dialog", onsubmit: () => { sure = true; } }, h("p", {}, text), buttons(done, () => shown.close())));
    shown.addEventListener("close", () => resolve(sure));
  });
}

const buttons = (done, cancel) => h("p", { class: "row buttons" },
  h("button", { class: "button", type: "button", onclick: cancel }, t("cancel")), h("button", { class: "button primary" }, done));
