import { get } from "../api.js";
import { card, masonry, ready, waiting } from "../cards.js";
import { h } from "../dom.js";
import { followButton } from "../follow.js";
import { APIError } from "../api.js";
import { empty, endless, failure, missing } from "../parts.js";
import { tagName, tagRow } from "../tags.js";
import { number, words } from "../words.js";

const t = words({
  en: { none: "Nobody has pinned anything here yet.", unknown: "There is no such tag.", followers: (n) => (n === 1 ? "1 follower" : `${number(n)} followers`) },
  zh: { none: "这里还没有图片。", unknown: "没有这个标签。", followers: (n) => `${number(n)} 人关注` },
});

export async function show(main, { tag }) {
  const root = h("div");
  main.append(root);
  await ready;
  const path = `/api/tags/${encodeURIComponent(tag)}`;
  try {
    const about = await get(path);
    const followers = h("p", { class: "dim" }, t("followers", about.followers));
    const follow = followButton(`tag:${tag}`, tagName(tag), about.follows, (by) => { about.followers += by; followers.textContent = t("followers", about.followers); });
    const list = masonry();
    root.append(tagRow(tag), h("div", { class: "headline" }, h("div", { class: "grow" }, h("h1", {}, tagName(tag)), followers), follow), list);
    endless(list, { read: (cursor) => get(`${path}/pins${cursor && `?cursor=${encodeURIComponent(cursor)}`}`), draw: card, none: empty(t("none")), waiting });
  } catch (error) {
    root.replaceChildren(error instanceof APIError && error.status === 404 ? missing(t("unknown")) : failure(error, () => show(main, { tag })));
  }
}
