import { del, get, me, put } from "../api.js";
import { glyph, h, sheet } from "../dom.js";
import { fill } from "../fill.js";
import { on, once } from "../live.js";
import { menu } from "../menu.js";
import { empty, failure, optimistic, skeleton, toast } from "../parts.js";
import { avatar, person } from "../people.js";
import { ago, exact, language, words } from "../words.js";
import { about, byModerator, pathOf, pictureOf, sentence } from "../notices.js";

const t = words({
  en: {
    title: "Notifications", inbox: "All", snoozed: "Snoozed", archived: "Archived", shelves: "Which notifications",
    allread: "Mark all as read", settings: "What you are notified of", fresh: "New", earlier: "Earlier",
    none: "All quiet. Likes, comments and followers show up here.", noneSnoozed: "Nothing is snoozed.", noneArchived: "Nothing is archived.",
    more: "More about this", older: "Show older", read: "Mark as read", unread: "Mark as unread", archive: "Archive", unarchive: "Move back", wake: "Wake it now",
    hour: "Snooze for an hour", tomorrow: "Snooze until tomorrow", week: "Snooze until Monday", back: (when) => `back ${when}`,
    mutePicture: "Mute this picture", muteBoard: "Mute this board", block: (name) => `Block ${name}`, dismiss: "Dismiss",
    muted: "Muted. You can undo this in the settings.", blocked: (name) => `${name} is blocked. You can undo this in the settings.`, wasRead: "Read: ", wasUnread: "Unread: ", came: (n) => `${n} new notifications`,
  },
  zh: {
    title: "通知", inbox: "全部", snoozed: "稍后提醒", archived: "已归档", shelves: "通知分类",
    allread: "全部标为已读", settings: "通知设置", fresh: "新通知", earlier: "更早",
    none: "暂无通知。点赞、评论和新粉丝会显示在这里。", noneSnoozed: "没有稍后提醒的通知。", noneArchived: "没有已归档的通知。",
    more: "更多操作", older: "查看更早", read: "标为已读", unread: "标为未读", archive: "归档", unarchive: "移回", wake: "立即恢复",
    hour: "一小时后提醒", tomorrow: "明天提醒", week: "下周一提醒", back: (when) => `${when}恢复`,
    mutePicture: "不再接收此图片的通知", muteBoard: "不再接收此画板的通知", block: (name) => `屏蔽${name}`, dismiss: "关闭",
    muted: "已静音，可在设置中恢复。", blocked: (name) => `已屏蔽${name}，可在设置中恢复。`, wasRead: "已读：", wasUnread: "未读：", came: (n) => `${n} 条新通知`,
  },
});

const shelves = { inbox: "/api/bell", snoozed: "/api/bell/snoozed", archived: "/api/bell/archived" };

export async function show(main) {
  main.classList.add("narrow");
  await sheet("/screens/bell.css");
  let shelf = "inbox", entries = [], titles = {}, view = null, next = "", loaded = false, turn = 0;
  const fresh = new Set(); // entries that were unseen when this screen showed them first

  const status = h("p", { class: "visually-hidden", role: "status" });
  const list = h("ul", { class: "list notices", onkeydown: step });
  const state = h("div", {}, skeleton(5));
  const allread = h("button", { class: "button", type: "button", title: t("allread"), onclick: readAll, hidden: true }, glyph("check"), h("span", {}, t("allread")));
  const older = h("button", { class: "button older", type: "button", onclick: more, hidden: true }, t("older"));
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": t("shelves") }, Object.keys(shelves).map((name) =>
    h("button", { type: "button", "data-shelf": name, "aria-pressed": String(name === shelf), onclick: () => choose(name) }, t(name))));
  main.append(
    h("div", { class: "row bell-head" }, h("h1", { class: "grow" }, t("title")), allread, h("a", { class: "icon", href: "/settings", "aria-label": t("settings"), title: t("settings") }, glyph("gear"))),
    tabs, list, state, older, status);

  const keyOf = (e) => e.group ?? e.announcement.id;
  const refresh = once(async () => {
    const mine = ++turn;
    try {
      const page = await get(shelves[shelf]);
      if (mine !== turn) return;
      const known = new Set(entries.map(keyOf)), came = page.items.filter((e) => loaded && shelf === "inbox" && !known.has(keyOf(e)));
      const oldest = page.items.at(-1)?.last ?? "", shown = new Set(page.items.map(keyOf));
      const rest = page.next && loaded ? entries.filter((e) => e.last < oldest && !shown.has(keyOf(e))) : [];
      if (rest.length === 0) next = page.next;
      entries = [...page.items, ...rest];
      titles = { ...titles, ...page.titles };
      view = page.view;
      if (came.length) status.textContent = t("came", came.length);
      loaded = true;
      render();
      see();
    } catch (error) {
      if (mine === turn && !loaded) state.replaceChildren(failure(error, refresh));
    }
  });

  // see marks the entries on the screen as seen, which clears the badge.
  function see() {
    if (shelf !== "inbox" || document.visibilityState !== "visible" || entries.every((e) => e.seen)) return;
    put("/api/bell/seen", view).catch(() => {}); // it stays unseen
    for (const e of entries) e.seen = true;
  }

  async function more() {
    older.disabled = true;
    try {
      const page = await get(`${shelves[shelf]}?cursor=${encodeURIComponent(next)}`);
      const known = new Set(entries.map(keyOf));
      entries.push(...page.items.filter((e) => !known.has(keyOf(e))));
      titles = { ...titles, ...page.titles };
      next = page.next;
      render();
    } catch (error) {
      toast(error.message);
    }
    older.disabled = false;
  }

  function choose(name) {
    shelf = name;
    entries = [];
    next = "";
    loaded = false;
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.shelf === name));
    fill(list, []);
    allread.hidden = older.hidden = true;
    state.replaceChildren(...skeleton(5));
    turn++;
    refresh();
  }

  function render() {
    for (const e of entries) if (!e.seen) fresh.add(`${keyOf(e)} ${e.last}`);
    const isFresh = (e) => shelf === "inbox" && fresh.has(`${keyOf(e)} ${e.last}`);
    const items = [];
    let before = null;
    for (const e of entries) {
      const part = isFresh(e) ? "fresh" : "earlier";
      if (shelf === "inbox" && part !== before && (before || part === "fresh")) items.push({ key: part, content: "", make: () => h("li", { class: "part" }, h("h2", {}, t(part))) });
      before = part;
      items.push({ key: keyOf(e), content: JSON.stringify([{ ...e, seen: true, listed: "" }, titles[pictureOf(e)], part, shelf]), make: () => row(e) });
    }
    fill(list, items);
    state.replaceChildren(...(entries.length ? [] : [empty(t({ inbox: "none", snoozed: "noneSnoozed", archived: "noneArchived" }[shelf]), { inbox: "bell", snoozed: "clock", archived: "archive" }[shelf])]));
    allread.hidden = shelf !== "inbox" || entries.every((e) => e.read);
    older.hidden = !next;
  }

  function row(e) {
    const label = h("span", { class: "visually-hidden" }, e.read ? t("wasRead") : t("wasUnread"));
    if (e.announcement) {
      const { title, text } = { ...e.announcement, ...e.announcement.data?.[language] };
      return h("li", { class: e.read ? "notice said" : "notice said unread" },
        h("span", { class: "seal" }, glyph("pin")),
        h("div", { class: "grow" }, h("p", { class: "text" }, label, h("strong", {}, title)), text && h("p", { class: "dim" }, text)),
        h("button", { class: "icon", type: "button", "aria-label": t("dismiss"), title: t("dismiss"), "data-part": "dismiss", onclick: () => away(e, () => del(`/api/bell/announcements/${e.announcement.id}`)) }, glyph("close")));
    }
    const actors = (e.actors ?? [e.activity.actor]).slice(0, 3), picture = pictureOf(e), reason = e.activity.data?.reason;
    return h("li", { class: e.read ? "notice" : "notice unread" },
      h("a", { class: "open", href: pathOf(e), "data-part": "open", onclick: () => mark(e) },
        byModerator(e) ? h("span", { class: "seal" }, glyph("shield")) : h("span", { class: `faces n${actors.length}` }, actors.map((id) => avatar(id, 44))),
        h("span", { class: "grow" },
          h("span", { class: "text" }, label, sentence(e, titles[picture]).map((part) => (Array.isArray(part) ? h("strong", {}, part[0]) : part))),
          reason && h("span", { class: "reason" }, reason),
          h("span", { class: "when" }, e.until ? [glyph("clock"), t("back", exact(e.until))] : h("time", { datetime: e.activity.time, title: exact(e.activity.time) }, ago(e.activity.time)))),
        picture && h("img", { class: "thumb", src: `/pictures/${encodeURIComponent(picture)}.svg`, width: 64, height: 64, alt: "", loading: "lazy" })),
      !e.read && h("span", { class: "dot", "aria-hidden": "true" }),
      menu(t("more"), choices(e)));
  }

  function choices(e) {
    const group = `/api/bell/groups/${encodeURIComponent(e.group)}`;
    if (shelf === "archived") return [[t("unarchive"), "bell", () => away(e, () => del(`${group}/archived`))]];
    if (shelf === "snoozed") return [[t("wake"), "bell", () => away(e, () => del(`${group}/snoozed`))]];
    const snooze = (until) => () => away(e, () => put(`${group}/snoozed`, { until: until.toISOString() }));
    const [kind] = about(e).split(":"), actor = e.actors?.[0] ?? e.activity.actor;
    const now = new Date(), morning = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
    return [
      e.read ? [t("unread"), "eye", () => flip(e, false, () => del(`${group}/read`))] : [t("read"), "check", () => mark(e)],
      [t("archive"), "archive", () => away(e, () => put(`${group}/archived`))],
      [t("hour"), "clock", snooze(new Date(now.getTime() + 3600e3))],
      [t("tomorrow"), "clock", snooze(morning(1))],
      [t("week"), "clock", snooze(morning(((8 - now.getDay()) % 7) || 7))],
      ["picture", "board"].includes(kind) && !byModerator(e) && [t(kind === "picture" ? "mutePicture" : "muteBoard"), "mute", () => said(put(`/api/muted/${encodeURIComponent(about(e))}`), t("muted"))],
      actor !== me() && !byModerator(e) && [t("block", person(actor).name), "block", () => said(put(`/api/blocked/${encodeURIComponent(actor)}`), t("blocked", person(actor).name))],
    ];
  }

  const said = (write, text) => write.then(() => toast(text), (error) => toast(error.message));

  // flip shows an entry as read or not, and writes it.
  function flip(e, read, write) {
    const set = (value) => {
      for (const other of entries) if (keyOf(other) === keyOf(e)) other.read = value; // they may have been read again
      render();
    };
    return optimistic(() => set(read), () => set(!read), write);
  }

  function mark(e) {
    if (!e.read) flip(e, true, () => put("/api/bell/read", { shown: [{ group: e.group, last: e.last }] }));
  }

  // away removes a row, and brings it back if the write fails.
  function away(e, write) {
    const before = entries, at = [...list.children].findIndex((li) => li.dataset.key === keyOf(e));
    turn++; // a read that runs still has it
    return optimistic(() => {
      entries = entries.filter((other) => keyOf(other) !== keyOf(e)); // they may have been read again
      render();
      const beside = list.children[Math.min(at, list.children.length - 1)];
      (beside?.querySelector("[data-part]") ?? tabs.querySelector("[aria-pressed=true]")).focus();
    }, () => { entries = before; render(); }, write);
  }

  function readAll() {
    const unread = entries.filter((e) => !e.read), set = (read) => { for (const e of unread) e.read = read; render(); };
    optimistic(() => set(true), () => set(false), () => put("/api/bell/allread", view));
  }

  // step moves between rows with the arrow keys.
  function step(e) {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const rows = [...list.querySelectorAll("a.open")], at = rows.indexOf(document.activeElement);
    const to = at < 0 ? null : rows[at + (e.key === "ArrowDown" ? 1 : -1)];
    if (!to) return;
    e.preventDefault();
    to.focus();
  }

  const visible = () => see();
  document.addEventListener("visibilitychange", visible);
  const ignore = on({ bell: refresh, again: refresh });
  refresh();
  return () => {
    turn++;
    ignore();
    document.removeEventListener("visibilitychange", visible);
  };
}
