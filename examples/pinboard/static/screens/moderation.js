// What people reported, for moderators, and what was done about it.
import { get, newKey, post, signIn } from "../api.js";
import { glyph, h, sheet } from "../dom.js";
import { empty, endless, optimistic, toast } from "../parts.js";
import { person, personLink } from "../people.js";
import { ago, exact, words } from "../words.js";

const t = words({
  en: {
    title: "Moderation", reports: "Reports", log: "What was done", which: "What to show", none: "Nothing is reported. All is well.", nothing: "Nothing was done yet.",
    refused: "Only moderators see what was reported.", mia: "Mia is one. Continue as Mia", people: (n) => n === 1 ? "1 person reported this" : `${n} people reported this`,
    picture: (by) => `Picture by ${by}`, comment: (by) => `Comment by ${by}`, why: "Why?", says: (name) => `${name} says`, noReason: "gave no reason",
    reason: "Why? Its author reads it, unless it is fine.", remove: "Remove", hide: "Hide", dismiss: "It is fine", again: "Show again", open: (title) => `Open “${title}”`,
    remove_done: "Removed.", hide_done: "Hidden.", dismiss_done: "Dismissed.", unhide_done: "It shows again.",
    did: { remove: "removed", hide: "hid", unhide: "showed again", dismiss: "found nothing wrong with" }, what: { picture: "a picture", comment: "a comment" }, by: (name) => `by ${name}`,
  },
  zh: {
    title: "审核", reports: "举报", log: "处理记录", which: "显示内容", none: "没有举报，一切正常。", nothing: "还没有处理记录。",
    refused: "只有管理员能看到举报。", mia: "Mia 是管理员，以 Mia 身份继续", people: (n) => `${n} 人举报`,
    picture: (by) => `${by} 的图片`, comment: (by) => `${by} 的评论`, why: "原因？", says: (name) => `${name}：`, noReason: "没有说明原因",
    reason: "处理理由（没有问题时作者不可见）", remove: "删除", hide: "隐藏", dismiss: "没有问题", again: "恢复显示", open: (title) => `打开“${title}”`,
    remove_done: "已删除。", hide_done: "已隐藏。", dismiss_done: "已驳回。", unhide_done: "已恢复显示。",
    did: { remove: "删除了", hide: "隐藏了", unhide: "恢复了", dismiss: "认为没有问题：" }, what: { picture: "图片", comment: "评论" }, by: (name) => `（${name}）`,
  },
});

const kind = (line) => line.object.split(":")[0];

export async function show(main) {
  await sheet("/screens/moderation.css");
  let tab = "reports";
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": t("which") });
  const body = h("div", { class: "moderation" });
  main.append(h("h1", {}, t("title")), tabs, body);
  function choose(name) {
    tab = name;
    tabs.replaceChildren(...["reports", "log"].map((n) => h("button", { "aria-pressed": String(n === tab), onclick: () => choose(n) }, t(n))));
    const list = h("ul", { class: "list" });
    body.replaceChildren(list);
    endless(list, {
      read: async (cursor) => {
        try {
          return await get(`/api/moderation/${tab === "log" ? "log" : "reports"}?cursor=${encodeURIComponent(cursor)}`);
        } catch (error) {
          if (error.status === 403) refused(main);
          throw error;
        }
      },
      draw: tab === "log" ? logged : reported,
      none: tab === "log" ? empty(t("nothing"), "clock") : empty(t("none"), "shield"),
    });
  }
  choose("reports");
}

function refused(main) {
  main.replaceChildren(h("h1", {}, t("title")), h("div", { class: "state" }, glyph("shield"), h("p", {}, t("refused")),
    h("button", { class: "button primary", onclick: () => signIn("mia", "/moderation") }, t("mia"))));
}

const subject = (line) => h("div", { class: "subject" },
  h("a", { class: "thumb", href: `/pins/${encodeURIComponent(line.picture)}`, "aria-label": t("open", line.title) }, h("img", { src: `/pictures/${encodeURIComponent(line.picture)}.svg`, alt: "", loading: "lazy" })),
  h("div", { class: "grow" },
    h("p", { class: "what" }, h("strong", {}, kind(line) === "comment" ? t("comment", person(line.by).name) : t("picture", person(line.by).name)), h("span", { class: "dim" }, line.title)),
    line.text && h("blockquote", {}, line.text)));

// reported is one thing that people reported.
function reported(line) {
  const reasons = h("ul", { class: "list reasons" });
  const why = h("details", { ontoggle: () => why.open && !reasons.childElementCount && load() }, h("summary", {}, t("people", line.reports || 1), " · ", h("time", { dateTime: line.at, title: exact(line.at) }, ago(line.at))), reasons);
  const load = () => endless(reasons, {
    read: (cursor) => get(`/api/moderation/reasons?object=${encodeURIComponent(line.object)}&cursor=${encodeURIComponent(cursor)}`),
    draw: (r) => h("li", {}, personLink(r.actor, 24), h("span", { class: r.reason ? "" : "dim" }, r.reason || t("noReason"))),
    waiting: () => [],
  });
  const reason = h("input", { class: "field", placeholder: t("reason"), "aria-label": t("reason"), maxLength: 200 });
  const act = (action, style = "") => h("button", { class: `button ${style}`, onclick: () => decide(item, line, action, reason.value.trim()) }, t(action));
  const item = h("li", { class: "card report" }, subject(line), line.reason && h("p", { class: "said" }, glyph("flag"), h("span", {}, h("strong", {}, t("says", person(line.actor).name)), " ", line.reason)), why, reason,
    h("div", { class: "acts" }, act("remove", "primary"), kind(line) === "comment" && act("hide"), act("dismiss")));
  return item;
}

// decide takes a report off the list at once, and puts it back if that fails. Its key
// makes a repeat of the request one decision.
function decide(item, line, action, reason) {
  const key = newKey(), next = item.nextElementSibling ?? item.previousElementSibling;
  optimistic(() => { item.hidden = true; next?.querySelector("button")?.focus(); }, () => { item.hidden = false; }, async () => {
    await post("/api/moderation/actions", { key, action, object: line.object, reason });
    item.remove();
    toast(t(`${action}_done`));
  });
}

// logged is one thing that a moderator did.
function logged(line) {
  const again = line.action === "hide" && h("button", { class: "button", onclick: () => optimistic(() => { again.disabled = true; }, () => { again.disabled = false; }, async () => {
    await post("/api/moderation/actions", { key: `unhide ${line.id}`, action: "unhide", object: line.object, reason: "" });
    toast(t("unhide_done"));
  }) }, t("again"));
  return h("li", { class: "card entry" },
    h("p", {}, personLink(line.actor, 24), " ", t("did")[line.action] ?? line.action, " ", t("what")[kind(line)], " ", line.by && t("by", person(line.by).name), " · ", h("time", { class: "dim", dateTime: line.at, title: exact(line.at) }, ago(line.at))),
    subject(line), line.reason && h("p", { class: "said" }, glyph("shield"), line.reason), again);
}
