import { APIError, del, get, me, post, put } from "../api.js";
import { boardField } from "../boards.js";
import { boardHref, card, love, masonry, picture, pinHref, ready, waiting } from "../cards.js";
import { comments } from "../comments.js";
import { ask, confirm, dialog } from "../dialog.js";
import { glyph, h, sheet } from "../dom.js";
import { empty, endless, failure, missing, toast } from "../parts.js";
import { avatar, person, personLink } from "../people.js";
import { go } from "../router.js";
import { tagLink } from "../tags.js";
import { ago, exact, number, words } from "../words.js";

const t = words({
  en: {
    unknown: "This pin was removed, or never existed.", none: "There is nothing else like it yet.", to: "pinned this to", related: "More like this",
    save: "Save", saveTo: "Save to a board", saved: (board) => `Saved to ${board}.`, already: "You have it already: it is on one of your boards.",
    copy: "Copy link", copied: "The link is copied.", report: "Report", reportWhy: "What is wrong with this picture?", reported: "Thank you. The moderator will look at it.", send: "Send",
    edit: "Edit the title", remove: "Remove the pin", sure: "It will be gone from your boards and from every home, with its comments.", removed: "The pin is removed.",
    likers: (n) => (n === 1 ? "1 like" : `${number(n)} likes`), who: "Who liked it", nobody: "Nobody yet. Be the first.", done: "Done",
  },
  zh: {
    unknown: "这张图片已被删除，或从未存在。", none: "还没有类似的图片。", to: "收藏到", related: "更多类似图片",
    save: "收藏", saveTo: "收藏到画板", saved: (board) => `已收藏到「${board}」。`, already: "你已经收藏过它了。",
    copy: "复制链接", copied: "链接已复制。", report: "举报", reportWhy: "这张图片有什么问题？", reported: "谢谢，管理员会查看。", send: "发送",
    edit: "修改标题", remove: "删除图片", sure: "它会从你的画板和所有人的首页消失，评论也一并消失。", removed: "已删除。",
    likers: (n) => `${number(n)} 人喜欢`, who: "喜欢它的人", nobody: "还没有人，来做第一个吧。", done: "好",
  },
});

export async function show(main, { picture: id }) {
  const root = h("div");
  main.replaceChildren(root);
  await Promise.all([ready, sheet("/screens/pin.css"), sheet("/comments.css")]);
  root.append(h("div", { class: "pinpage card" }, h("div", { class: "skeleton" }), h("div", { class: "pad" }, h("div", { class: "skeleton" }), h("div", { class: "skeleton" }))));
  try {
    const pin = await get(`/api${pinHref(id)}`);
    const title = h("h1", {}, pin.title), mine = id.startsWith(`${me()}.`);
    const likers = h("button", { class: "button plain", type: "button", onclick: () => showLikers(id) });
    const button = love(pin);
    const count = () => { likers.textContent = t("likers", pin.likes + Number(button.getAttribute("aria-pressed") === "true") - Number(pin.liked)); };
    new MutationObserver(count).observe(button, { attributeFilter: ["aria-pressed"] });
    count();
    const act = (icon, name, onclick) => h("button", { class: "icon", type: "button", "aria-label": t(name), title: t(name), onclick }, glyph(icon));
    const related = masonry();
    document.title = `${pin.title} · Pinboard`;
    root.replaceChildren(
      h("article", { class: "pinpage card" },
        h("div", { class: "stage" }, picture(pin, { loading: "eager" })),
        h("div", { class: "side" },
          h("div", { class: "row actions" }, button, likers, h("span", { class: "grow" }),
            act("link", "copy", copy),
            mine && act("edit", "edit", () => retitle(pin, title)),
            mine && act("trash", "remove", () => remove(id)),
            !mine && act("flag", "report", () => report(`picture:${id}`, t("reportWhy"))),
            !mine && h("button", { class: "button primary", type: "button", onclick: () => save(pin) }, t("save"))),
          title,
          h("div", { class: "byline row" }, h("a", { href: personHref(pin.by), tabIndex: -1, "aria-hidden": "true" }, avatar(pin.by, 48)), h("p", { class: "grow" }, h("a", { class: "name", href: personHref(pin.by) }, person(pin.by).name), h("br"), t("to"), " ", h("a", { href: boardHref(pin.boardId) }, pin.board), " · ", h("time", { dateTime: pin.at, title: exact(pin.at) }, ago(pin.at)))),
          h("p", {}, tagLink(pin.tag)),
          comments(id, { mine: pin.mayHide, count: pin.comments, report }))),
      h("h2", {}, t("related")), related);
    const path = `/api/tags/${encodeURIComponent(pin.tag)}/pins`;
    endless(related, {
      read: async (cursor) => {
        const page = await get(cursor ? `${path}?cursor=${encodeURIComponent(cursor)}` : path);
        return { ...page, items: page.items.filter((other) => other.picture !== id) };
      },
      draw: card, none: empty(t("none")), waiting,
    });
  } catch (error) {
    root.replaceChildren(error instanceof APIError && (error.status === 404 || error.status === 400) ? missing(t("unknown")) : failure(error, () => show(main, { picture: id })));
  }
  return () => { document.title = "Pinboard · Plaza"; };
}

const personHref = (id) => `/people/${encodeURIComponent(id)}`;

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    toast(t("copied"));
  } catch {
    dialog(t("copy"), h("input", { class: "field", readOnly: true, value: location.href, "aria-label": t("copy"), onfocus: (e) => e.target.select() }));
  }
}

async function retitle(pin, shown) {
  const title = await ask(t("edit"), { value: pin.title, done: t("done") });
  if (!title) return;
  try {
    await put(`/api${pinHref(pin.picture)}`, { title });
    shown.textContent = pin.title = title;
  } catch (error) {
    toast(error.message);
  }
}

async function remove(id) {
  if (!await confirm(t("remove"), t("sure"), t("remove"))) return;
  try {
    await del(`/api${pinHref(id)}`);
    toast(t("removed"));
    go("/");
  } catch (error) {
    toast(error.message);
  }
}

// report brings an object before the moderators.
async function report(object, why) {
  const reason = await ask(why, { done: t("send"), most: 200, long: true });
  if (!reason) return;
  try {
    await put("/api/reports", { object, reason });
    toast(t("reported"));
  } catch (error) {
    toast(error.message);
  }
}

async function save(pin) {
  try {
    const board = await boardField();
    const button = h("button", { class: "button primary" }, t("save"));
    const opened = dialog(t("saveTo"), h("form", { onsubmit: send }, board.element, h("p", { class: "row buttons" }, button)));
    async function send(e) {
      e.preventDefault();
      button.disabled = true;
      try {
        const chosen = await board.chosen();
        const { created, board: id } = await post("/api/pins", { picture: pin.picture, title: pin.title, board: chosen });
        opened.close();
        toast(created ? t("saved", board.name()) : t("already"));
        if (!created && id !== chosen) go(boardHref(id));
      } catch (error) {
        toast(error.message);
        button.disabled = false;
      }
    }
  } catch (error) {
    toast(error.message);
  }
}

function showLikers(id) {
  const list = h("ul", { class: "list likers" });
  const shown = dialog(t("who"), h("div", {}, list));
  shown.addEventListener("click", (e) => { if (e.target.closest("a")) shown.close(); });
  endless(list, {
    read: (cursor) => get(`/api${pinHref(id)}/likes${cursor && `?cursor=${encodeURIComponent(cursor)}`}`),
    draw: (like) => h("li", {}, personLink(like.user, 40)), none: empty(t("nobody"), "heart"),
  });
}
