import { APIError, get, me, put } from "../api.js";
import { card, masonry, ready, waiting } from "../cards.js";
import { ask } from "../dialog.js";
import { glyph, h } from "../dom.js";
import { followButton } from "../follow.js";
import { empty, endless, failure, missing, toast } from "../parts.js";
import { personLink } from "../people.js";
import { number, words } from "../words.js";

const t = words({
  en: { none: "This board is empty.", unknown: "There is no such board.", followers: (n) => (n === 1 ? "1 follower" : `${number(n)} followers`), rename: "Rename", save: "Save", name: "Name of the board" },
  zh: { none: "这个画板还是空的。", unknown: "没有这个画板。", followers: (n) => `${number(n)} 人关注`, rename: "改名", save: "保存", name: "画板名称" },
});

export async function show(main, { board }) {
  const root = h("div");
  main.replaceChildren(root);
  await ready;
  const path = `/api/boards/${encodeURIComponent(board)}`;
  try {
    const about = await get(path);
    const name = h("h1", {}, about.name), followers = h("span", { class: "dim" }, t("followers", about.followers));
    async function rename() {
      const text = await ask(t("name"), { value: about.name, done: t("save"), most: 60 });
      if (!text) return;
      try {
        await put(path, { name: text });
        name.textContent = about.name = text;
      } catch (error) {
        toast(error.message);
      }
    }
    const act = about.owner === me()
      ? h("button", { class: "button", type: "button", onclick: rename }, glyph("edit"), t("rename"))
      : followButton(`board:${board}`, about.name, about.follows, (by) => { about.followers += by; followers.textContent = t("followers", about.followers); });
    const list = masonry();
    root.append(h("div", { class: "headline" }, h("div", { class: "grow" }, name, h("p", { class: "row" }, personLink(about.owner), followers)), act), list);
    endless(list, { read: (cursor) => get(`${path}/pins${cursor && `?cursor=${encodeURIComponent(cursor)}`}`), draw: card, none: empty(t("none"), "board"), waiting });
  } catch (error) {
    root.replaceChildren(error instanceof APIError && error.status === 404 ? missing(t("unknown"), "board") : failure(error, () => show(main, { board })));
  }
}
