// The week's board: everyone, the people one follows, and the weeks before.
import { get, me } from "../api.js";
import { h, sheet } from "../dom.js";
import { empty, failure, skeleton } from "../parts.js";
import { avatar, person } from "../people.js";
import { ago, exact, number, words } from "../words.js";

const t = words({
  en: {
    title: "Most liked", this: "Everyone", following: "People you follow", last: "Last week", earlier: "Earlier weeks", which: "Which board",
    ends: (when) => `The week ends ${when}. Each like of your pictures by somebody else is a point.`, before: "Nobody has a like this week yet. The first one starts the board.",
    week: (from, to) => `${from} to ${to}`, over: "This week is over: its board stays as it is.",
    likes: (n) => n === 1 ? "1 like" : `${number(n)} likes`, you: "You", around: "Around you", none: "You have no likes yet. Pin a picture that others like.",
    nobody: "Nobody has likes here yet.", follow: "Neither you nor anybody you follow has likes yet.", more: "Show more", place: (n) => `Place ${n}`, podium: "The first three", board: "Standings",
  },
  zh: {
    title: "最受欢迎", this: "所有人", following: "我关注的人", last: "上周", earlier: "更早", which: "榜单",
    ends: (when) => `本周将于${when}结束。别人每赞一次你的图片，你就得一分。`, before: "本周还没有人获赞，第一个赞会开启榜单。",
    week: (from, to) => `${from} 至 ${to}`, over: "这一周已结束，榜单不再变化。",
    likes: (n) => `${number(n)} 个赞`, you: "你", around: "你附近的名次", none: "你还没有获赞。发布一张别人喜欢的图片吧。",
    nobody: "这里还没有人获赞。", follow: "你和你关注的人都还没有获赞。", more: "显示更多", place: (n) => `第 ${n} 名`, podium: "前三名", board: "排名",
  },
});

const every = 5000; // between two looks at the current week, in ms

const day = (when) => new Date(when).toLocaleDateString(document.documentElement.lang, { timeZone: "UTC", day: "numeric", month: "short" });

export async function show(main) {
  await sheet("/screens/weekly.css");
  const view = { tab: "this", pages: 1, periods: [], turn: 0 };
  const note = h("p", { class: "dim" });
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": t("which") });
  const board = h("div", { class: "weekly" }, skeleton(6));
  main.append(h("h1", {}, t("title")), note, tabs, board);

  function choose(tab) {
    Object.assign(view, { tab, pages: 1 });
    drawTabs();
    board.replaceChildren(...skeleton(6));
    drawn = null;
    refresh();
  }
  function drawTabs() {
    const ended = view.periods.filter((p) => new Date(p.end) <= Date.now());
    const tab = (name, text) => h("button", { "aria-pressed": String(view.tab === name), onclick: () => choose(name) }, text);
    const earlier = ended.slice(1);
    tabs.replaceChildren(tab("this", t("this")), tab("following", t("following")), ...(ended.length ? [tab(ended[0].name, t("last"))] : []),
      ...(earlier.length ? [h("select", { class: "earlier", "aria-label": t("earlier"), onchange: (e) => e.target.value && choose(e.target.value) },
        h("option", { value: "" }, t("earlier")), earlier.map((p) => h("option", { value: p.name, selected: p.name === view.tab }, t("week", day(p.start), day(new Date(p.end) - 1)))))] : []));
  }

  let drawn = null; // the tab that is on the screen
  async function refresh() {
    const turn = ++view.turn, { tab } = view;
    try {
      const answer = await read(tab, view.pages);
      if (turn !== view.turn) return;
      if (drawn !== tab) { board.replaceChildren(); drawn = tab; }
      note.textContent = noteOf(view, answer);
      draw(board, answer, { following: tab === "following", more: () => { view.pages++; refresh(); } });
    } catch (error) {
      if (turn === view.turn && drawn !== tab) board.replaceChildren(failure(error, refresh));
    }
  }

  try {
    view.periods = (await get("/api/weekly/periods")).items;
  } catch { /* without the weeks before */ }
  drawTabs();
  await refresh();
  const look = () => { if (!document.hidden && (view.tab === "this" || view.tab === "following")) refresh(); };
  const timer = setInterval(look, every);
  document.addEventListener("visibilitychange", look);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
    view.turn++;
  };
}

// read returns the rows of a tab, and those around the person of this window.
async function read(tab, pages) {
  if (tab === "following") return { rows: (await get("/api/weekly/following")).items, around: [], next: "" };
  const period = tab === "this" ? "" : `period=${encodeURIComponent(tab)}`;
  const around = get(`/api/weekly/around?${period}`);
  around.catch(() => {}); // reported below
  const rows = [];
  let next = "";
  for (let n = 0; n < pages && (n === 0 || next); n++) {
    const page = await get(`/api/weekly?${period}${next ? `&cursor=${encodeURIComponent(next)}` : ""}`);
    const there = new Set(rows.map((r) => r.player));
    rows.push(...page.items.filter((r) => !there.has(r.player)));
    next = page.next ?? "";
  }
  return { rows, around: (await around).items, next };
}

function noteOf({ tab, periods }, { rows }) {
  const period = periods.find((p) => p.name === tab);
  if (period) return `${t("week", day(period.start), day(new Date(period.end) - 1))}. ${t("over")}`;
  const open = periods.find((p) => new Date(p.end) > Date.now());
  const end = open ? new Date(open.end) : nextMonday();
  return rows.length || open ? t("ends", ago(end)) : t("before");
}

function nextMonday() {
  const day = new Date();
  day.setUTCHours(0, 0, 0, 0);
  day.setUTCDate(day.getUTCDate() + ((8 - day.getUTCDay()) % 7 || 7));
  return day;
}

// draw shows rows. Those that were there move to their new places.
function draw(board, { rows, around, next }, { following, more }) {
  const places = new Map([...board.querySelectorAll("[data-player]")].map((e) => [e.dataset.player, e.getBoundingClientRect()]));
  const scores = new Map([...board.querySelectorAll("[data-player]")].map((e) => [e.dataset.player, e.dataset.score]));
  const focused = document.activeElement?.closest?.("[data-player]")?.dataset.player;
  const top = rows.slice(0, 3), rest = rows.slice(3);
  const shown = new Set(rows.map((r) => r.player));
  const mine = around.some((r) => r.player === me()) ? around : [];
  const near = mine.filter((r) => !shown.has(r.player));
  board.replaceChildren(
    ...(rows.length ? [] : [empty(following ? t("follow") : t("nobody"), "trophy")]),
    ...(top.length ? [h("ol", { class: "podium", "aria-label": t("podium") }, top.map((r) => step(r)))] : []),
    ...(rest.length ? [h("ol", { class: "standings card", "aria-label": t("board") }, rest.map((r) => row(r)))] : []),
    ...(next ? [h("button", { class: "button more", onclick: more }, t("more"))] : []),
    ...(!shown.has(me()) && near.length ? [h("h2", {}, t("around")), h("ol", { class: "standings card", "aria-label": t("around") }, mine.map((r) => row(r)))] : []),
    ...(!following && rows.length && !mine.length ? [h("p", { class: "mine card pad" }, avatar(me(), 36), t("none"))] : []));
  for (const element of board.querySelectorAll("[data-player]")) {
    const { player, score } = element.dataset, from = places.get(player);
    if (player === focused) element.querySelector("a")?.focus({ preventScroll: true });
    if (!from) continue;
    if (scores.get(player) !== score) element.classList.add("changed");
    move(element, from);
  }
}

function move(element, from) {
  const to = element.getBoundingClientRect();
  const x = from.left - to.left, y = from.top - to.top;
  if ((x || y) && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    element.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 500, easing: "cubic-bezier(.2, .8, .2, 1)" });
  }
}

const who = (r, size) => h("a", { class: "person", href: `/people/${encodeURIComponent(r.player)}` }, avatar(r.player, size),
  h("span", {}, person(r.player).name, r.player === me() && h("span", { class: "you" }, t("you"))));

const step = (r) => h("li", { class: `step place-${Math.min(r.rank, 3)}${r.player === me() ? " me" : ""}`, "data-player": r.player, "data-score": r.score },
  who(r, 72), h("strong", { class: "score", title: exact(r.at) }, t("likes", Number(r.score))),
  h("span", { class: "block", "aria-label": t("place", r.rank) }, String(r.rank)));

const row = (r) => h("li", { class: r.player === me() ? "me" : "", "data-player": r.player, "data-score": r.score },
  h("span", { class: "rank", "aria-label": t("place", r.rank) }, number(r.rank)), who(r, 40),
  h("span", { class: "score", title: exact(r.at) }, t("likes", Number(r.score))));
