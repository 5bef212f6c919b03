import { get } from "../api.js";
import { card, groupCard, masonry, ready, waiting } from "../cards.js";
import { h, sheet } from "../dom.js";
import { empty, endless } from "../parts.js";
import { tagRow } from "../tags.js";
import { words } from "../words.js";

const t = words({
  en: { home: "Home", each: "Every pin", grouped: "Grouped", how: "How pins are shown", none: "Your home is empty. Follow a tag or somebody, and their pins come here.", fresh: (n) => (n === 1 ? "1 new pin" : `${n > 99 ? "99+" : n} new pins`) },
  zh: { home: "首页", each: "逐条", grouped: "合并", how: "显示方式", none: "首页还是空的。关注一个标签或一位用户，他们的收藏就会出现在这里。", fresh: (n) => `${n > 99 ? "99+" : n} 条新收藏` },
});

const every = 15_000; // milliseconds between looks for new pins
const remembered = "pinboard.grouped";

// Going back shows the home as it was left.
let kept = null, back = false;
addEventListener("popstate", () => { back = true; });
addEventListener("click", () => { back = false; }, true);

export async function show(main) {
  if (back && kept) {
    const { y } = kept; // which the router's scrolling to the top would change
    main.append(kept.root);
    for (const heart of kept.root.querySelectorAll(".heart")) heart.sync();
    requestAnimationFrame(() => scrollTo(0, y));
    return watch(kept);
  }
  const root = h("div");
  main.append(root);
  await Promise.all([ready, sheet("/screens/home.css")]);
  const choice = (grouped) => h("button", { type: "button", "aria-pressed": String(grouped === isGrouped()), onclick: () => choose(grouped) }, t(grouped ? "grouped" : "each"));
  const choices = h("div", { class: "tabs", role: "group", "aria-label": t("how") }, choice(false), choice(true));
  const shown = h("div", { class: "shownpins" });
  root.append(h("h1", { class: "visually-hidden" }, t("home")), h("div", { class: "homebar" }, tagRow(), choices), shown);

  let list;
  function open() {
    list?.leave();
    list = homeList(shown, isGrouped(), open);
  }
  function choose(grouped) {
    localStorage.setItem(remembered, grouped ? "yes" : "");
    [...choices.children].forEach((button, i) => button.setAttribute("aria-pressed", String((i === 1) === grouped)));
    open();
  }
  open();
  return watch({ root, y: 0, look: () => list.look() });
}

// watch looks for new pins until the screen is left, and keeps the screen.
function watch(screen) {
  const look = () => { if (document.visibilityState === "visible") screen.look(); };
  const place = () => { screen.y = scrollY; };
  const timer = setInterval(look, every);
  addEventListener("focus", look);
  addEventListener("scroll", place, { passive: true });
  kept = screen;
  return () => {
    clearInterval(timer);
    removeEventListener("focus", look);
    removeEventListener("scroll", place);
  };
}

const isGrouped = () => localStorage.getItem(remembered) === "yes";

// homeList fills place with the home. look() looks for new pins and offers them.
function homeList(place, grouped, reload) {
  const path = grouped ? "/api/home/grouped" : "/api/home", groups = new Map();
  const list = masonry(), pill = h("button", { class: "button primary pill", type: "button", hidden: true, onclick: showNew });
  let newest = "", waits = [], looking = false, left = false, read = false;

  const page = async (cursor) => get(cursor ? `${path}?cursor=${encodeURIComponent(cursor)}` : path);

  // draw returns an item's element, or nothing if it joined a group that is shown.
  function draw(item, above = false) {
    if (!grouped) return card(item);
    const known = groups.get(item.key);
    const pins = known ? (above ? [...item.pins, ...known.pins] : [...known.pins, ...item.pins]) : item.pins;
    const element = groupCard(pins);
    groups.set(item.key, { pins, element });
    if (known && above) known.element.remove();
    if (!known || above) return element;
    known.element.replaceWith(element);
    return "";
  }
  async function look() {
    if (looking || !read || waits.length > 99) return;
    looking = true;
    try {
      for (let got; !left && got !== 0 && waits.length <= 99;) {
        const above = await page(newest);
        newest = above.prev || newest;
        got = above.items.length;
        waits = [...above.items, ...waits];
      }
      const n = waits.reduce((sum, item) => sum + (item.pins?.length ?? 1), 0);
      pill.textContent = t("fresh", n);
      pill.hidden = n === 0;
    } catch {
      // The next look tries again; the bar says that the service does not answer.
    }
    looking = false;
  }
  function showNew() {
    pill.hidden = true;
    if (!list.children.length) return reload();
    for (const item of waits.toReversed()) list.prepend(draw(item, true));
    waits = [];
    scrollTo({ top: 0, behavior: "smooth" });
    list.querySelector("a.title")?.focus({ preventScroll: true });
  }
  place.replaceChildren(h("div", { role: "status" }, pill), list);
  endless(list, {
    read: async (cursor) => {
      const got = await page(cursor);
      if (cursor === "") newest = got.prev ?? "";
      read = true;
      return got;
    },
    draw: (item) => draw(item),
    none: empty(t("none")), waiting,
  });
  return { look, leave: () => { left = true; } };
}
