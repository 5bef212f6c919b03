// Parts of screens: notices, states of lists, endless lists.
import { glyph, h } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: { again: "Try again", failed: "This could not be loaded.", end: "That is all." },
  zh: { again: "重试", failed: "加载失败。", end: "没有更多了。" },
});

// toast shows a notice for a few seconds. Screen readers read it.
export function toast(text) {
  const shown = h("div", { class: "toast" }, text);
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), 5000);
}

export const empty = (text, icon = "pin") => h("div", { class: "state empty" }, glyph(icon), h("p", {}, text));

// missing is a screen for a thing that is not there.
export const missing = (text, icon = "pin") => h("div", { class: "state empty" }, glyph(icon), h("h1", {}, text));

export const failure = (error, again) => h("div", { class: "state failed", role: "alert" },
  h("p", {}, t("failed")), h("p", { class: "dim" }, error.message),
  again && h("button", { class: "button", onclick: again }, t("again")));

export const skeleton = (n = 4) => Array.from({ length: n }, () => h("div", { class: "skeleton", "aria-hidden": "true" }));

// endless fills a list with pages while its end is near the screen. read(cursor) gives
// {items, next}, draw(item) an element, none the element for no items at all.
export function endless(list, { read, draw, none, waiting = skeleton }) {
  let cursor = "", shown = 0, end = h("div", { class: "end" });
  list.after(end);
  const watch = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && more(), { rootMargin: "800px" });
  // at puts an element at the end of the list, a new one each time, so that nothing moves.
  function at(...children) {
    const before = end;
    end = h("div", { class: "end" }, children);
    before.replaceWith(end);
  }
  async function more() {
    watch.disconnect();
    at(waiting());
    try {
      const page = await read(cursor);
      list.append(...page.items.map(draw));
      shown += page.items.length;
      cursor = page.next ?? "";
      at(!cursor && (shown === 0 && none ? none : h("p", { class: "state dim" }, t("end"))));
      if (cursor) watch.observe(end); // after the layout it calls again, if the end is near
    } catch (error) {
      at(failure(error, more));
    }
  }
  watch.observe(end);
}

// optimistic shows the result of a write at once, and takes it back if the write fails.
export async function optimistic(show, takeBack, write) {
  show();
  try {
    return await write();
  } catch (error) {
    takeBack();
    toast(error.message);
    return undefined;
  }
}
