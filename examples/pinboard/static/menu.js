import { glyph, h } from "./dom.js";

// menu is a button that opens choices, which are [text, icon, chosen]. Falsy ones are left
// out.
export function menu(label, choices, icon = "more") {
  const button = h("button", { class: "icon", type: "button", "aria-label": label, "aria-haspopup": "menu", "aria-expanded": "false", "data-part": "menu", onclick: () => toggle(!box.classList.contains("opened")) }, glyph(icon));
  const sheet = h("div", { class: "sheet", role: "menu" }, choices.filter(Boolean).map(([text, symbol, chosen]) =>
    h("button", { type: "button", role: "menuitem", onclick: () => { toggle(false); chosen(); } }, glyph(symbol), text)));
  const box = h("div", { class: "choices", onkeydown: key }, button, sheet);
  const outside = (e) => { if (!box.contains(e.target)) toggle(false); };
  function toggle(opened) {
    box.classList.toggle("opened", opened);
    button.setAttribute("aria-expanded", String(opened));
    document[opened ? "addEventListener" : "removeEventListener"]("pointerdown", outside);
    if (!opened) return;
    sheet.classList.remove("up");
    sheet.classList.toggle("up", sheet.getBoundingClientRect().bottom > innerHeight - 70);
    sheet.firstElementChild.focus();
  }
  function key(e) {
    if (!box.classList.contains("opened")) return;
    const items = [...sheet.children], at = items.indexOf(document.activeElement);
    if (e.key === "Escape" || e.key === "Tab") {
      toggle(false);
      button.focus();
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      items.at((at + (e.key === "ArrowDown" ? 1 : -1)) % items.length).focus();
    } else return;
    e.stopPropagation();
    if (e.key !== "Tab") e.preventDefault();
  }
  return box;
}
