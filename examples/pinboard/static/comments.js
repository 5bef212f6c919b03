// The comments on a picture: threads with replies, quotes, mentions and likes.
import { del, get, me, newKey, post, put } from "./api.js";
import { heart, pinHref } from "./cards.js";
import { ask, confirm } from "./dialog.js";
import { glyph, h } from "./dom.js";
import { empty, failure, skeleton, toast } from "./parts.js";
import { avatar, person, personLink } from "./people.js";
import { ago, exact, number, words } from "./words.js";

const t = words({
  en: {
    comments: (n) => (n === 1 ? "1 comment" : `${number(n)} comments`), newest: "Newest first", oldest: "Oldest first", order: "Order", say: "Say something …", send: "Send", none: "No comments yet. Say something kind.",
    reply: "Reply", quote: "Quote", edit: "Edit", delete: "Delete", hide: "Hide", unhide: "Show again", pin: "Pin", unpin: "Unpin", report: "Report", more: "More actions",
    pinned: "Pinned by the owner", hidden: "Hidden: only you, the owner and the moderator see it", removed: "This comment was removed.", reason: (text) => ` A moderator’s reason: ${text}`, edited: "edited",
    replying: (name) => `Replying to ${name}`, quoting: (name) => `Quoting ${name}`, cancel: "Cancel", all: (n) => (n === 1 ? "Show 1 reply" : `Show all ${number(n)} replies`), next: "More comments", nextReplies: "More replies",
    like: (name) => `Like the comment by ${name}`, sure: "Delete this comment?", sureText: "If somebody has replied, its place stays.", save: "Save", why: "What is wrong with this comment?", gone: "The quoted comment was removed.", label: (name) => `Comment by ${name}`,
  },
  zh: {
    comments: (n) => `${number(n)} 条评论`, newest: "最新在前", oldest: "最早在前", order: "排序", say: "说点什么…", send: "发送", none: "还没有评论，说句好话吧。",
    reply: "回复", quote: "引用", edit: "编辑", delete: "删除", hide: "隐藏", unhide: "恢复显示", pin: "置顶", unpin: "取消置顶", report: "举报", more: "更多操作",
    pinned: "作者置顶", hidden: "已隐藏：只有你、图片作者和管理员能看到", removed: "此评论已删除。", reason: (text) => `管理员的理由：${text}`, edited: "已编辑",
    replying: (name) => `回复 ${name}`, quoting: (name) => `引用 ${name}`, cancel: "取消", all: (n) => `展开全部 ${number(n)} 条回复`, next: "更多评论", nextReplies: "更多回复",
    like: (name) => `喜欢 ${name} 的评论`, sure: "删除这条评论？", sureText: "如果已有人回复，它的位置会保留。", save: "保存", why: "这条评论有什么问题？", gone: "被引用的评论已删除。", label: (name) => `${name} 的评论`,
  },
});

// comments is the section of a picture's comments. mine says whether one may hide and pin
// them; report(object, question) reports one.
export function comments(picture, { mine, count, report }) {
  const path = `/api${pinHref(picture)}/comments`;
  let oldest = false, pinned = null, next = "", turn = 0;
  const heading = h("h2", { class: "grow" }, t("comments", count));
  const order = h("select", { class: "field order", "aria-label": t("order"), onchange: () => { oldest = order.value === "oldest"; load(); } },
    h("option", { value: "newest" }, t("newest")), h("option", { value: "oldest" }, t("oldest")));
  const list = h("ol", { class: "list comments" }), end = h("div");
  const counted = (by) => { heading.textContent = t("comments", count += by); };

  const one = (c, what = "") => `${path}/${c.id}${what}${c.root ? `?root=${c.root}` : ""}`;
  const page = (cursor) => get(`${path}?oldest=${oldest}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);

  // load reads the first page again, and puts the focus back on a comment.
  async function load(focus) {
    if (!list.children.length) end.replaceChildren(...skeleton(3));
    const asked = ++turn;
    try {
      const got = await page("");
      if (asked !== turn) return; // another order was chosen
      pinned = got.pinned ?? null;
      list.replaceChildren();
      if (pinned) list.append(thread(pinned, true));
      append(got);
      if (focus) list.querySelector(`[data-comment="${focus}"]`)?.focus();
    } catch (error) {
      if (asked === turn) end.replaceChildren(failure(error, () => load(focus)));
    }
  }
  function append(got) {
    list.append(...got.items.filter((c) => c.id !== pinned?.id).map((c) => thread(c, false)));
    next = got.next ?? "";
    end.replaceChildren(next ? h("button", { class: "button", type: "button", onclick: more }, t("next")) : list.children.length ? "" : empty(t("none"), "comment"));
  }
  async function more() {
    end.replaceChildren(...skeleton(2));
    const asked = turn;
    try {
      const got = await page(next);
      if (asked === turn) append(got);
    } catch (error) {
      if (asked === turn) end.replaceChildren(failure(error, more));
    }
  }

  // thread is a root with its replies, of which the first ones are there.
  function thread(root, isPinned) {
    const replies = h("ol", { class: "list replies" }), rest = h("div");
    const place = h("div");
    const shown = (root.first ?? []).map((c) => row(c, { root, answer }));
    replies.append(...shown);
    if (root.replies > shown.length) rest.append(h("button", { class: "button plain small", type: "button", onclick: () => all("") }, t("all", root.replies)));
    async function all(cursor) {
      try {
        const got = await get(`${path}/${root.id}/replies${cursor && `?cursor=${encodeURIComponent(cursor)}`}`);
        const rows = got.items.map((c) => row(c, { root, answer }));
        if (cursor === "") replies.replaceChildren(...rows);
        else replies.append(...rows);
        rest.replaceChildren(got.next ? h("button", { class: "button plain small", type: "button", onclick: () => all(got.next) }, t("nextReplies")) : "");
      } catch (error) {
        rest.replaceChildren(failure(error, () => all(cursor)));
      }
    }
    function answer(to) {
      place.replaceChildren(composer({
        note: t("replying", person(to.user).name), autofocus: true,
        fields: { root: root.id, ...(to.id !== root.id && { parent: to.id }) },
        cancel: () => place.replaceChildren(),
        sent: (c) => { place.replaceChildren(); replies.append(row(c, { root, answer })); counted(1); },
      }));
    }
    const element = row(root, { root, answer, isPinned });
    element.append(replies, rest, place);
    return element;
  }

  // row is one comment.
  function row(c, { root, answer, isPinned = false }) {
    const isRoot = c.id === root.id, hidden = c.hidden && (isRoot || !root.hidden); // and not just its root
    if (c.removed) return h("li", { class: "comment gone", tabIndex: -1, "data-comment": c.id }, h("p", { class: "dim" }, t("removed"), c.removed.reason && t("reason", c.removed.reason)));
    const small = (name, onclick) => h("button", { class: "button plain small", type: "button", onclick }, t(name));
    const own = c.user === me();
    const extra = [
      own && small("edit", () => edit(c)), own && small("delete", () => remove(c)),
      mine && isRoot && !c.hidden && small(isPinned ? "unpin" : "pin", () => change(c, "/pinned", !isPinned)),
      mine && (isRoot || !root.hidden) && small(hidden ? "unhide" : "hide", () => change(c, "/hidden", !hidden)),
      !own && small("report", () => report(`comment:${picture}/${c.root ? `${c.root}/` : ""}${c.id}`, t("why"))),
    ].filter(Boolean);
    const menu = h("span", { class: "extra", hidden: true }, extra);
    const toggle = h("button", { class: "icon", type: "button", "aria-label": t("more"), "aria-expanded": "false", onclick: () => {
      menu.hidden = !menu.hidden;
      toggle.setAttribute("aria-expanded", String(!menu.hidden));
    } }, glyph("more"));
    return h("li", { class: c.hidden ? "comment hiddenone" : "comment", tabIndex: -1, "data-comment": c.id, "aria-label": t("label", person(c.user).name) },
      h("div", { class: "said" },
        h("a", { class: "face", href: `/people/${encodeURIComponent(c.user)}`, tabIndex: -1, "aria-hidden": "true" }, avatar(c.user, isRoot ? 36 : 28)),
        h("div", { class: "grow" },
          isPinned && h("p", { class: "mark" }, glyph("pin"), t("pinned")),
          hidden && h("p", { class: "mark" }, glyph("eye"), t("hidden")),
          h("p", { class: "meta" }, h("a", { class: "name", href: `/people/${encodeURIComponent(c.user)}` }, person(c.user).name), " ", h("time", { class: "dim", dateTime: c.at, title: exact(c.at) }, ago(c.at)), c.editedAt && h("span", { class: "dim" }, ` · ${t("edited")}`)),
          c.quote && quoted(c.quote),
          h("p", { class: "text", dir: "auto" }, mentioned(c.text, c.mentions ?? [])),
          h("div", { class: "doings" },
            heart({ path: one(c, "/like"), liked: c.liked, likes: c.likes, label: t("like", person(c.user).name) }),
            !root.hidden && !c.hidden && small("reply", () => answer(c)),
            isRoot && !c.hidden && small("quote", () => quote(c)),
            extra.length > 0 && toggle, menu))));
  }

  const quoted = (q) => h("blockquote", {}, q.removed ? h("p", { class: "dim" }, t("gone")) : [h("strong", {}, person(q.user).name), h("p", { dir: "auto" }, q.excerpt, [...q.excerpt].length >= 100 && "…")]);

  async function edit(c) {
    const text = await ask(t("edit"), { value: c.text, done: t("save"), most: 2000, long: true });
    if (text) await attempt(() => put(one(c), { text }), c);
  }
  async function remove(c) {
    if (await confirm(t("sure"), t("sureText"), t("delete"))) await attempt(() => del(one(c)), c);
  }
  const change = (c, what, on) => attempt(() => (on ? put(one(c, what)) : del(one(c, what))), c);

  // attempt writes and then reads the comments again: quotes and counts may have changed.
  async function attempt(write, c) {
    try {
      await write();
      await load(c.id);
      counted((await get(`/api${pinHref(picture)}`)).comments - count);
    } catch (error) {
      toast(error.message);
    }
  }

  const top = h("div");
  function quote(c) {
    top.replaceChildren(composer({
      note: t("quoting", person(c.user).name), excerpt: c.text, autofocus: true, fields: { quote: c.id }, cancel: fresh,
      sent: (said) => { fresh(); added(said); },
    }));
    top.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
  function fresh() { top.replaceChildren(composer({ fields: {}, sent: added })); }
  function added(c) {
    const element = thread(c, false);
    if (oldest) list.append(element);
    else if (pinned) list.firstElementChild.after(element);
    else list.prepend(element);
    end.querySelector(".empty")?.remove();
    counted(1);
    element.focus();
  }

  // composer writes a comment. Its key stays the same until the comment is there, so that
  // however often it is sent, it is one comment.
  function composer({ note, excerpt, fields, sent, cancel, autofocus }) {
    let key = newKey();
    const field = h("textarea", { class: "field", rows: 1, maxLength: 2000, required: true, placeholder: t("say"), "aria-label": note ?? t("say"), oninput: () => { key = newKey(); grow(); }, onkeydown: (e) => { if (e.key === "Enter" && (e.metaKey || e.ctrlKey)) form.requestSubmit(); } });
    const send = h("button", { class: "button primary" }, t("send"));
    const grow = () => { field.style.height = "auto"; field.style.height = `${field.scrollHeight + 2}px`; };
    const form = h("form", { class: "composer", onsubmit: submit },
      note && h("p", { class: "note" }, h("span", { class: "grow" }, note, excerpt && h("q", {}, excerpt.slice(0, 80))), h("button", { class: "icon", type: "button", "aria-label": t("cancel"), onclick: cancel }, glyph("close"))),
      h("div", { class: "row" }, avatar(me(), 36), field, send));
    async function submit(e) {
      e.preventDefault();
      if (!field.value.trim()) return;
      send.disabled = true;
      try {
        const said = await post(path, { key, text: field.value, ...fields });
        field.value = "";
        key = newKey();
        grow();
        sent(said);
      } catch (error) {
        toast(error.message);
      }
      send.disabled = false;
    }
    if (autofocus) requestAnimationFrame(() => field.focus());
    return form;
  }

  fresh();
  load();
  return h("section", { class: "talkabout", "aria-label": t("comments", count) }, h("div", { class: "row" }, heading, order), top, list, end);
}

// mentioned makes links of the people whom the service found in a text.
function mentioned(text, names) {
  return text.split(/(@[a-z0-9-]+)/).map((part, i) => (i % 2 && names.includes(part.slice(1)) ? h("a", { href: `/people/${part.slice(1)}` }, part) : part));
}
