// Pins as cards, in columns of any width.
import { del, put } from "./api.js";
import { glyph, h, sheet } from "./dom.js";
import { optimistic } from "./parts.js";
import { avatar, person } from "./people.js";
import { ago, exact, number, words } from "./words.js";

const t = words({
  en: {
    like: (title) => `Like “${title}”`, likes: (n) => (n === 1 ? "1 like" : `${number(n)} likes`), comments: (n) => (n === 1 ? "1 comment" : `${number(n)} comments`),
    to: (board) => `to ${board}`, group: (name, n, board) => `${name} pinned ${n} pictures to ${board}`, more: (n) => `+${n}`,
  },
  zh: {
    like: (title) => `喜欢「${title}」`, likes: (n) => `${number(n)} 人喜欢`, comments: (n) => `${number(n)} 条评论`,
    to: (board) => `收入「${board}」`, group: (name, n, board) => `${name} 在「${board}」中收藏了 ${n} 张图片`, more: (n) => `+${n}`,
  },
});

export const ready = sheet("/cards.css");
export const pinHref = (picture) => `/pins/${encodeURIComponent(picture)}`;
export const boardHref = (board) => `/boards/${encodeURIComponent(board)}`;
const pictureSrc = (picture) => `/pictures/${encodeURIComponent(picture)}.svg`;

// Each item of a masonry spans as many of the grid's low rows as it is high. So the items
// stay in the order of the document, for the keyboard and for screen readers.
const rowHeight = 4;
const heights = new ResizeObserver((entries) => fit(entries.map((e) => e.target)));
// New items get their place before a browser lays them out by itself, or they would move.
const added = new MutationObserver((changes) => fit(changes.flatMap((c) => [...c.addedNodes]).map((li) => li.firstElementChild)));

function fit(articles) {
  const spans = articles.filter((a) => a?.isConnected).map((a) => { // others are of a screen that is kept for later
    const gap = parseFloat(getComputedStyle(a.parentElement).paddingBottom) || 0;
    return [a.parentElement, Math.ceil((a.offsetHeight + gap) / rowHeight)];
  });
  for (const [li, rows] of spans) li.style.gridRowEnd = `span ${rows}`;
}

export function masonry() {
  const list = h("ul", { class: "masonry list" });
  added.observe(list, { childList: true });
  return list;
}

// cell is an item of a masonry.
function cell(article) {
  heights.observe(article);
  return h("li", {}, article);
}

// waiting is the skeleton of cards that endless reads.
export const waiting = (n = 8) => [h("ul", { class: "masonry list waiting", "aria-hidden": "true" },
  Array.from({ length: n }, () => h("li", { class: "skeleton" })))];

// picture is a picture in a box of its known shape, so that nothing moves when it comes.
export function picture(pin, properties = {}) {
  const image = h("img", { src: pictureSrc(pin.picture), alt: pin.title, width: pin.width, height: pin.height, loading: "lazy", decoding: "async", ...properties });
  image.style.aspectRatio = `${pin.width} / ${pin.height}`;
  return image;
}

// heart likes what is at path, such as /api/pins/…/like, and takes it back. Quick clicks
// are sent one after the other.
const latest = new Map(); // what was liked in this window, by path
export function heart({ path, liked, likes, label }) {
  let sent = Promise.resolve();
  const count = h("span", { class: "count" });
  const button = h("button", { class: "heart", type: "button", onclick: toggle }, glyph("heart"), count);
  function show(on) {
    if (on !== liked) likes += on ? 1 : -1;
    liked = on;
    latest.set(path, { liked, likes });
    draw();
  }
  function draw() {
    button.setAttribute("aria-pressed", String(liked));
    button.title = t("likes", likes);
    button.setAttribute("aria-label", likes ? `${label}, ${button.title}` : label);
    count.textContent = likes ? number(likes) : "";
  }
  function toggle() {
    const on = !liked;
    optimistic(() => show(on), () => show(!on), () => (sent = sent.catch(() => {}).then(() => (on ? put(path) : del(path)))));
    if (on) button.classList.add("beat");
    else button.classList.remove("beat");
  }
  draw();
  button.sync = () => {
    ({ liked, likes } = latest.get(path) ?? { liked, likes });
    draw();
  };
  return button;
}

// love is the heart of a picture.
export const love = (pin) => heart({ path: `/api${pinHref(pin.picture)}/like`, label: t("like", pin.title), ...pin });

// card is a pin in a masonry.
export function card(pin) {
  return cell(h("article", { class: "pincard" },
    h("a", { class: "shown", href: pinHref(pin.picture), tabIndex: -1, "aria-hidden": "true" }, picture(pin, { alt: "" })),
    h("div", { class: "about" },
      h("a", { class: "title", href: pinHref(pin.picture) }, pin.title),
      h("p", { class: "by" },
        h("a", { class: "face", href: `/people/${encodeURIComponent(pin.by)}`, tabIndex: -1, "aria-hidden": "true" }, avatar(pin.by, 28)),
        h("span", { class: "names" },
          h("a", { href: `/people/${encodeURIComponent(pin.by)}` }, person(pin.by).name), " ",
          h("a", { class: "dim", href: boardHref(pin.boardId) }, t("to", pin.board)))),
      h("p", { class: "numbers" },
        love(pin),
        h("a", { class: "talk", href: pinHref(pin.picture), "aria-label": t("comments", pin.comments), title: t("comments", pin.comments) }, glyph("comment"), pin.comments ? number(pin.comments) : ""),
        h("time", { dateTime: pin.at, title: exact(pin.at) }, ago(pin.at))))));
}

// collage is up to four pictures in a square; the last one says how many more there are.
export const collage = (pictures, more = 0) => h("span", { class: `collage of${Math.min(pictures.length, 4)}` },
  pictures.slice(0, 4).map((p) => h("img", { src: pictureSrc(p), alt: "", loading: "lazy", decoding: "async" })),
  more > 0 && h("span", { class: "rest" }, t("more", more)));

// groupCard has the pins of a board and a day.
export function groupCard(pins) {
  if (pins.length === 1) return card(pins[0]);
  const [first] = pins;
  return cell(h("article", { class: "pincard groupcard" },
    h("div", { class: `collage of${Math.min(pins.length, 4)}` },
      pins.slice(0, 4).map((pin) => h("a", { href: pinHref(pin.picture) }, h("img", { src: pictureSrc(pin.picture), alt: pin.title, loading: "lazy", decoding: "async" }))),
      pins.length > 4 && h("a", { class: "rest", href: boardHref(first.boardId), title: first.board }, t("more", pins.length - 4), h("span", { class: "visually-hidden" }, ` ${t("to", first.board)}`))),
    h("div", { class: "about" },
      h("a", { class: "title", href: boardHref(first.boardId) }, t("group", person(first.by).name, pins.length, first.board)),
      h("p", { class: "by" },
        h("a", { class: "face", href: `/people/${encodeURIComponent(first.by)}`, "aria-label": person(first.by).name }, avatar(first.by, 28)),
        h("time", { dateTime: first.at, title: exact(first.at) }, ago(first.at))))));
}
