import { APIError, get, me, post } from "../api.js";
import { boardHref, card, collage, masonry, ready, waiting } from "../cards.js";
import { ask, dialog } from "../dialog.js";
import { glyph, h, sheet } from "../dom.js";
import { followButton } from "../follow.js";
import { empty, endless, failure, missing, toast } from "../parts.js";
import { avatar, person, personLink } from "../people.js";
import { tagName } from "../tags.js";
import { go } from "../router.js";
import { number, words } from "../words.js";

const t = words({
  en: {
    people: "Followers", those: "Following", followers: "followers", follower: "follower", following: "following", back: "Follows you", pins: "Pins", boards: "Boards", noPins: "No pins yet.", noBoards: "No boards yet.", nobody: "Nobody yet.",
    unknown: "There is nobody of this name.", fresh: "New board", name: "Name of the new board", create: "Create", board: "Board", tag: "Tag",
  },
  zh: {
    people: "关注者", those: "关注", followers: "位关注者", follower: "位关注者", following: "个关注", back: "关注了你", pins: "收藏", boards: "画板", noPins: "还没有收藏。", noBoards: "还没有画板。", nobody: "还没有人。",
    unknown: "没有这位用户。", fresh: "新建画板", name: "新画板的名称", create: "创建", board: "画板", tag: "标签",
  },
});

export async function show(main, { person: id }) {
  const root = h("div");
  main.replaceChildren(root);
  await Promise.all([ready, sheet("/screens/profile.css")]);
  const path = `/api/people/${encodeURIComponent(id)}`;
  try {
    const p = await get(path);
    const followers = count(p.followers, "followers", () => neighbors(t("people"), `${path}/followers`));
    const following = count(p.following, "following", () => neighbors(t("those"), `${path}/following`));
    const follow = p.id !== me() && followButton(p.id, p.name, p.follows, (by) => { p.followers += by; followers.set(p.followers); });
    const shown = h("div", { class: "panel" });
    const tab = (name, open) => h("button", { type: "button", "aria-pressed": String(name === "pins"), onclick: (e) => {
      for (const other of e.currentTarget.parentElement.children) other.setAttribute("aria-pressed", String(other === e.currentTarget));
      open();
    } }, t(name));
    const pins = () => {
      const list = masonry();
      shown.replaceChildren(list);
      endless(list, { read: (cursor) => get(`${path}/pins${cursor && `?cursor=${encodeURIComponent(cursor)}`}`), draw: card, none: empty(t("noPins")), waiting });
    };
    root.append(
      h("header", { class: "whois" }, avatar(p.id, 112),
        h("h1", {}, p.name),
        h("p", { class: "dim" }, `@${p.id}`, p.place && ` · ${p.place}`, p.followedBy && h("span", { class: "back" }, t("back"))),
        p.bio && h("p", { class: "bio" }, p.bio),
        h("div", { class: "row counts" }, followers.element, following.element),
        follow && h("div", { class: "row" }, follow)),
      h("div", { class: "tabs", role: "group" }, tab("pins", pins), tab("boards", () => boards(shown, p))), shown);
    pins();
  } catch (error) {
    root.replaceChildren(error instanceof APIError && error.status === 404 ? missing(t("unknown"), "people") : failure(error, () => show(main, { person: id })));
  }
}

// count is a button with a number that opens a list.
function count(n, name, open) {
  const shown = h("strong");
  const element = h("button", { class: "count", type: "button", onclick: open }, shown, " ", h("span"));
  const set = (n) => { shown.textContent = number(n); element.lastChild.textContent = t(n === 1 && name === "followers" ? "follower" : name); };
  set(n);
  return { element, set };
}

// neighbors shows the followers of a person, or the sources that a person follows.
function neighbors(title, path) {
  const list = h("ul", { class: "list neighbors" });
  const shown = dialog(title, h("div", {}, list));
  shown.addEventListener("click", (e) => { if (e.target.closest("a")) shown.close(); });
  endless(list, { read: (cursor) => get(`${path}${cursor && `?cursor=${encodeURIComponent(cursor)}`}`), draw: neighbor, none: empty(t("nobody"), "people") });
}

function neighbor(n) {
  const [kind, rest] = n.id.includes(":") ? [n.id.slice(0, n.id.indexOf(":")), n.id.slice(n.id.indexOf(":") + 1)] : ["", n.id];
  const name = { "": () => person(rest).name, tag: () => tagName(rest), board: () => boardName(rest) }[kind]?.() ?? n.id;
  const link = kind === "" ? personLink(rest, 40) : h("a", { class: "person", href: kind === "tag" ? `/tags/${encodeURIComponent(rest)}` : boardHref(rest) },
    h("span", { class: "kind" }, glyph(kind === "tag" ? "flag" : "board")), name, " ", h("small", {}, t(kind)));
  return h("li", { class: "row" }, h("span", { class: "grow" }, link, n.followedBy && h("span", { class: "back" }, t("back"))),
    n.id !== me() && followButton(n.id, name, n.follows));
}

// boardName guesses a board's name from its id, which was made of its first name.
const boardName = (id) => id.slice(id.indexOf(".") + 1).replaceAll("-", " ").replace(/^./u, (first) => first.toUpperCase());

function boards(shown, p) {
  const list = h("ul", { class: "list boards" });
  const own = p.id === me() && h("button", { class: "button", type: "button", onclick: create }, glyph("plus"), t("fresh"));
  shown.replaceChildren(own && h("p", {}, own) || "", list);
  endless(list, {
    read: (cursor) => get(`/api/people/${encodeURIComponent(p.id)}/boards${cursor && `?cursor=${encodeURIComponent(cursor)}`}`),
    draw: (b) => h("li", {}, h("a", { href: boardHref(b.id) }, b.pictures ? collage(b.pictures) : h("span", { class: "collage of0" }, glyph("board")), h("strong", {}, b.name))),
    none: empty(t("noBoards"), "board"), waiting: () => [h("div", { class: "boards" }, waiting(4))],
  });
  async function create() {
    const name = await ask(t("name"), { done: t("create"), most: 60 });
    if (!name) return;
    try {
      go(boardHref((await post("/api/boards", { name })).id));
    } catch (error) {
      toast(error.message);
    }
  }
}
