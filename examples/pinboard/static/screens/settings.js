import { del, get, me, newKey, post, put } from "../api.js";
import { glyph, h, sheet } from "../dom.js";
import { on, once } from "../live.js";
import { failure, optimistic, skeleton, toast } from "../parts.js";
import { avatar, person, personLink } from "../people.js";
import { ago, exact, language, languages, speak, words } from "../words.js";

const t = words({
  en: {
    title: "Settings", notify: "What you are notified of", verb: "When somebody", bell: "Bell", mail: "Mail",
    like: "likes your picture or comment", pin: "saves your picture", comment: "comments on your picture", reply: "replies to your comment", mention: "mentions you", follow: "follows you or your board", any: "does anything else",
    mailNeedsBell: "Mail carries only what the bell shows.",
    digest: "Digest by mail", digestHint: "Everything unread comes as one mail.", every: "How often", off: "Never", minute: "Every minute, to try it", hour: "Every hour", day: "Every day", week: "Every week",
    at: "At", on: "On", zone: (zone) => `by the clock of ${zone}`, quiet: "Quiet hours", from: "from", to: "until", saved: "Saved.",
    now: "Send my digest now", nothing: "There is nothing unread that you want by mail.", sent: (n) => (n === 1 ? "Sent, with 1 notification." : `Sent, with ${n} notifications.`),
    box: "Your mailbox", boxHint: "Mails never leave this machine. Here is what Pinboard sent you.", noMails: "No mails yet.", fromName: "From", toName: "To", subject: "Subject", unsubscribe: "No more mails", unsubscribed: "You get no more mails. The switches above turn them on again.",
    blocked: "Blocked people", noBlocked: "You have blocked nobody.", unblock: "Unblock", muted: "Muted", noMuted: "You have muted nothing. The bell's menu does it.", unmute: "Unmute",
    looks: "Looks", language: "Language", theme: "Colours", system: "Same as the system", light: "Light", dark: "Dark", greeting: (name) => `Hello ${name},`, bye: "Pinboard",
  },
  zh: {
    title: "设置", notify: "通知设置", verb: "当有人", bell: "通知", mail: "邮件",
    like: "赞了你的图片或评论", pin: "收藏了你的图片", comment: "评论了你的图片", reply: "回复了你的评论", mention: "提到了你", follow: "关注了你或你的画板", any: "有其他互动",
    mailNeedsBell: "邮件只包含通知中显示的内容。",
    digest: "邮件摘要", digestHint: "未读通知会汇总成一封邮件。", every: "频率", off: "从不", minute: "每分钟（试用）", hour: "每小时", day: "每天", week: "每周",
    at: "时间", on: "星期", zone: (zone) => `时区：${zone}`, quiet: "免打扰时段", from: "从", to: "到", saved: "已保存。",
    now: "立即发送摘要", nothing: "没有需要邮件通知的未读内容。", sent: (n) => `已发送，包含 ${n} 条通知。`,
    box: "你的邮箱", boxHint: "邮件不会离开本机。以下是 Pinboard 发给你的邮件。", noMails: "还没有邮件。", fromName: "发件人", toName: "收件人", subject: "主题", unsubscribe: "不再接收邮件", unsubscribed: "你将不再收到邮件，可在上方重新开启。",
    blocked: "已屏蔽的人", noBlocked: "你没有屏蔽任何人。", unblock: "取消屏蔽", muted: "已静音", noMuted: "你没有静音任何内容，可在通知菜单中设置。", unmute: "取消静音",
    looks: "外观", language: "语言", theme: "颜色", system: "跟随系统", light: "浅色", dark: "深色", greeting: (name) => `${name}，你好：`, bye: "Pinboard",
  },
});

const channels = { "in-app": "bell", email: "mail" };
const weekdays = Array.from({ length: 7 }, (_, day) => new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "long" }).format(new Date(2024, 0, 7 + day))); // from Sunday

export async function show(main) {
  main.classList.add("narrow");
  await sheet("/screens/settings.css");
  const notify = part("notify", "bell"), digest = part("digest", "clock"), box = part("box", "mail"), blocked = part("blocked", "block"), muted = part("muted", "mute"), looks = part("looks", "sun");
  main.append(h("h1", {}, t("title")), ...[notify, digest, box, blocked, muted, looks].map((p) => p.section));
  look(looks.body);

  const readSettings = reading([notify.body, digest.body], async () => {
    const { verbs, digest: rhythm } = await get("/api/settings");
    table(notify.body, verbs);
    rhythmForm(digest.body, rhythm);
  });
  const readMails = reading([box.body], async () => mails(box.body, (await get("/api/mails")).items, readSettings));
  const readLists = reading([blocked.body, muted.body], async () => {
    const [people, things] = await Promise.all([get("/api/blocked"), get("/api/muted")]);
    ended(blocked.body, t("noBlocked"), t("unblock"), people.items.map((b) => [personLink(b.actor, 36), () => del(`/api/blocked/${encodeURIComponent(b.actor)}`)]));
    ended(muted.body, t("noMuted"), t("unmute"), things.items.map((m) => [thing(m.object, things.titles), () => del(`/api/muted/${encodeURIComponent(m.object)}`)]));
  });
  readSettings();
  readMails();
  readLists();
  return on({ bell: readMails, again: readMails });
}

function part(name, icon) {
  const body = h("div", {}, skeleton(1)), id = `settings-${name}`;
  return { body, section: h("section", { class: "card pad settings", "aria-labelledby": id }, h("h2", { id }, glyph(icon), t(name)), body) };
}

// reading reads; if that fails, it says so in the places of the result.
function reading(places, read) {
  const again = once(async () => {
    try {
      await read();
    } catch (error) {
      for (const place of places) place.replaceChildren(failure(error, again));
    }
  });
  return again;
}

function toggle(label, checked, change) {
  return h("input", { type: "checkbox", role: "switch", class: "toggle", checked, "aria-label": label, onchange: (e) => change(e.target.checked, e.target) });
}

function table(box, all) {
  const order = ["like", "pin", "comment", "reply", "mention", "follow", ""];
  const find = (verb, channel) => all.find((s) => (s.verb ?? "") === verb && s.channel === channel);
  box.replaceChildren(
    h("table", { class: "choices-table" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("verb")), Object.values(channels).map((name) => h("th", { scope: "col" }, t(name))))),
      h("tbody", {}, order.map((verb) => h("tr", {}, h("th", { scope: "row" }, t(verb || "any")), Object.entries(channels).map(([channel, name]) =>
        h("td", {}, toggle(`${t(verb || "any")}: ${t(name)}`, find(verb, channel).on, (on, input) =>
          optimistic(() => {}, () => { input.checked = !on; }, () => put("/api/settings", { verb, channel, on })))))))),
    ), h("p", { class: "dim" }, t("mailNeedsBell")));
}

function rhythmForm(box, rhythm) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const every = h("select", { class: "field", onchange: save }, ["off", "minute", "hour", "day", "week"].map((name) => h("option", { value: name, selected: name === rhythm.every }, t(name))));
  const at = h("input", { class: "field", type: "time", value: rhythm.at || "08:00", required: true, onchange: save });
  const day = h("select", { class: "field", onchange: save }, weekdays.map((name, i) => h("option", { value: i, selected: i === rhythm.day }, name)));
  const quiet = h("input", { type: "checkbox", role: "switch", class: "toggle", checked: Boolean(rhythm.quiet.from), onchange: save });
  const from = h("input", { class: "field", type: "time", value: rhythm.quiet.from || "22:00", "aria-label": `${t("quiet")} ${t("from")}`, onchange: save });
  const to = h("input", { class: "field", type: "time", value: rhythm.quiet.to || "07:00", "aria-label": `${t("quiet")} ${t("to")}`, onchange: save });
  const status = h("span", { class: "dim", role: "status" });
  const fields = { day: h("label", {}, h("span", {}, t("on")), day), at: h("label", {}, h("span", {}, t("at")), at) };
  const hours = h("span", { class: "row hours" }, t("from"), from, t("to"), to), clock = h("p", { class: "dim" }, t("zone", zone));
  const quietRow = h("div", { class: "row quiet" }, h("label", { class: "row" }, quiet, t("quiet")), hours);
  function arrange() {
    fields.day.hidden = every.value !== "week";
    fields.at.hidden = !["day", "week"].includes(every.value);
    hours.hidden = !quiet.checked;
    quietRow.hidden = every.value === "off";
    clock.hidden = every.value === "off";
  }
  async function save() {
    arrange();
    status.textContent = "";
    try {
      await put("/api/settings/digest", { every: every.value, at: at.value, day: Number(day.value), zone, quiet: quiet.checked ? { from: from.value, to: to.value } : { from: "", to: "" } });
      status.textContent = t("saved");
    } catch (error) {
      toast(error.message);
    }
  }
  let key = newKey();
  const now = h("button", { type: "button", class: "button primary", onclick: send }, glyph("mail"), t("now"));
  async function send() {
    now.disabled = true;
    try {
      const { entries } = await post("/api/digests", { key });
      key = newKey();
      toast(entries ? t("sent", entries) : t("nothing"));
    } catch (error) {
      toast(error.message);
    }
    now.disabled = false;
  }
  arrange();
  box.replaceChildren(h("p", { class: "dim" }, t("digestHint")),
    h("div", { class: "fields" }, h("label", {}, h("span", {}, t("every")), every), fields.day, fields.at), quietRow, clock,
    h("div", { class: "row" }, now, status));
}

function mails(box, all, changed) {
  const opened = new Set([...box.querySelectorAll("details[open]")].map((d) => d.dataset.key)), first = !box.querySelector(".mails");
  box.replaceChildren(h("p", { class: "dim" }, t("boxHint")), all.length === 0 ? h("p", { class: "state" }, glyph("mail"), h("br"), t("noMails")) :
    h("ul", { class: "list mails" }, all.map((m, i) => h("li", {}, h("details", { class: "mail", "data-key": m.key, open: opened.has(m.key) || (first && i === 0) },
      h("summary", {}, h("span", { class: "grow" }, m.subject), h("time", { class: "dim", datetime: m.time, title: exact(m.time) }, ago(m.time))),
      h("div", { class: "paper" },
        h("dl", {}, [["fromName", "Pinboard <digest@pinboard.example>"], ["toName", m.to], ["subject", m.subject]].map(([name, value]) => [h("dt", {}, t(name)), h("dd", {}, value)])),
        h("p", {}, t("greeting", person(me()).name)),
        h("ul", {}, m.lines.map((line) => h("li", {}, line.text, " ", h("a", { href: line.path }, new URL(line.path, location.href).href)))),
        h("p", {}, t("bye")),
        h("button", { type: "button", class: "button", onclick: () => leave(m, changed) }, t("unsubscribe"))))))));
}

// leave follows the link of a mail that unsubscribes.
async function leave(m, changed) {
  try {
    await post("/api/unsubscribe", { token: m.unsubscribe });
    toast(t("unsubscribed"));
    changed();
  } catch (error) {
    toast(error.message);
  }
}

function thing(ref, titles) {
  const [kind, id] = [ref.slice(0, ref.indexOf(":")), ref.slice(ref.indexOf(":") + 1)];
  if (kind === "picture") return h("a", { class: "person", href: `/pins/${encodeURIComponent(id)}` }, h("img", { class: "muted-picture", src: `/pictures/${encodeURIComponent(id)}.svg`, width: 44, height: 44, alt: "" }), titles[id] ?? id);
  if (kind === "board") return h("a", { class: "person", href: `/boards/${encodeURIComponent(id)}` }, glyph("board"), id.slice(id.indexOf(".") + 1));
  return h("span", { class: "person" }, kind ? id : [avatar(id, 36), person(id).name]);
}

// ended lists blocks and mutes. A row goes at once, and comes back if that fails.
function ended(box, none, end, items) {
  const list = h("ul", { class: "list ended" }), nothing = h("p", { class: "dim" }, none);
  const show = () => { nothing.hidden = list.children.length > 0; };
  for (const [what, write] of items) {
    const mark = document.createComment(""), li = h("li", { class: "row" }, h("span", { class: "grow" }, what), h("button", { type: "button", class: "button", onclick: () =>
      optimistic(() => { li.replaceWith(mark); show(); }, () => { mark.replaceWith(li); show(); }, write) }, end));
    list.append(li);
  }
  box.replaceChildren(list, nothing);
  show();
}

function look(box) {
  const theme = localStorage.getItem("plaza.theme") ?? "";
  const pick = (e) => {
    if (e.target.value) {
      document.documentElement.dataset.theme = e.target.value;
      localStorage.setItem("plaza.theme", e.target.value);
    } else {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem("plaza.theme");
    }
  };
  box.replaceChildren(h("div", { class: "fields" },
    h("label", {}, h("span", {}, t("language")), h("select", { class: "field", onchange: (e) => speak(e.target.value) }, Object.entries(languages).map(([code, name]) => h("option", { value: code, lang: code, selected: code === language }, name)))),
    h("label", {}, h("span", {}, t("theme")), h("select", { class: "field", onchange: pick }, [["", "system"], ["light", "light"], ["dark", "dark"]].map(([value, name]) => h("option", { value, selected: value === theme }, t(name)))))));
}
