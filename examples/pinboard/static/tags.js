import { h } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: { sea: "Sea", mountains: "Mountains", forest: "Forest", city: "City", desert: "Desert", night: "Night", flowers: "Flowers", patterns: "Patterns", tags: "Tags" },
  zh: { sea: "大海", mountains: "山", forest: "森林", city: "城市", desert: "沙漠", night: "夜晚", flowers: "花", patterns: "图案", tags: "标签" },
});

export const tags = ["sea", "mountains", "forest", "city", "desert", "night", "flowers", "patterns"];
export const tagName = (tag) => t(tag) ?? tag;
export const tagLink = (tag, current) => h("a", { class: `chip tag-${tag}`, href: `/tags/${encodeURIComponent(tag)}`, "aria-current": tag === current && "page" }, tagName(tag));

// tagRow links to every tag. The current one is in view, also on a phone.
export function tagRow(current) {
  const row = h("nav", { class: "tagrow", "aria-label": t("tags") }, tags.map((tag) => tagLink(tag, current)));
  requestAnimationFrame(() => row.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" }));
  return row;
}
