// The drawer shows what each click cost, and loses answers on request.
import { lose, me, traffic } from "./api.js";
import { glyph, h, sheet } from "./dom.js";
import { routeInWords } from "./routes.js";
import { exact, words } from "./words.js";

const t = words({
  en: {
    title: "What clicks cost", open: "What clicks cost", close: "Close", clear: "Clear", clicks: (n) => n === 1 ? "1 click" : `${n} clicks`,
    requests: (n) => n === 1 ? "1 request" : `${n} requests`, thousandOfAll: "if 1,000 people did the same",
    thousand: "/ 1,000", none: "Click something: what it costs on DynamoDB shows here.", operation: "Plaza's operation", req: "Requests", rcu: "RCU", wcu: "WCU", dollars: "$ / 1,000",
    lose: "Lose the next answer", how: "The server applies your next write and drops its answer. The page repeats it.", armed: "The next write's answer will be lost.",
    lost: "Applied, answer lost", again: "Repeated: nothing doubled", free: "No request to DynamoDB",
    background: (when) => `In the background, since ${when}`, month: (text) => `At this rate ${text} a month`, other: "others",
    units: "Units as AWS bills them, prices of us-east-1 on demand, without storage and stream reads.", times: (n) => `${n} times`,
  },
  zh: {
    title: "点击的成本", open: "点击的成本", close: "关闭", clear: "清除", clicks: (n) => `${n} 次点击`,
    requests: (n) => `${n} 个请求`, thousandOfAll: "一千人做同样的事",
    thousand: "/ 千次", none: "点击任意内容，这里会显示它在 DynamoDB 上的成本。", operation: "Plaza 的操作", req: "请求", rcu: "RCU", wcu: "WCU", dollars: "$ / 千次",
    lose: "丢失下一个应答", how: "服务器会执行你的下一次写入，但丢弃应答；页面会重试。", armed: "下一次写入的应答将丢失。",
    lost: "已执行，应答丢失", again: "已重试：没有重复", free: "没有 DynamoDB 请求",
    background: (when) => `后台（自${when}起）`, month: (text) => `按此速率每月 ${text}`, other: "其他",
    units: "单位按 AWS 计费方式计算，价格为 us-east-1 按需价格，不含存储和流读取。", times: (n) => `${n} 次`,
  },
});

const locale = document.documentElement.lang;
const units = (n) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(n);
const money = (n) => new Intl.NumberFormat(locale, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", maximumSignificantDigits: 2, minimumFractionDigits: 0 }).format(n);
const clock = (when) => new Date(when).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });

const kept = 100; // clicks that are shown
const soon = 120; // after an answer, in ms

// drawer puts the drawer into a place, and its button into the page's tools. Its sheets can
// be in a shadow tree.
export async function drawer(place, sheets) {
  const tools = document.getElementById("tools");
  const button = h("button", { class: "icon", "aria-label": t("open"), "aria-expanded": "false", "aria-controls": "drawer", onclick: () => toggle(panel.hidden) }, glyph("meter"));
  await sheet("/drawer.css", sheets);
  tools.prepend(button); // from now on it can be clicked

  const switching = h("button", { class: "switch", role: "switch", "aria-checked": "false", "aria-describedby": "drawer-how", onclick: () => { lose.next = !lose.next; drawSwitch(); } }, h("span", {}, t("lose")), h("span", { class: "knob", "aria-hidden": "true" }));
  const how = h("p", { class: "dim", id: "drawer-how" });
  const total = h("div", { class: "total" });
  const list = h("ol", { class: "clicks", "aria-live": "polite" });
  const background = h("details", { class: "background", hidden: true });
  const panel = h("aside", { class: "panel", hidden: true, "aria-label": t("title"), onkeydown: (e) => { if (e.key === "Escape") { toggle(false); button.focus(); } } },
    h("header", { class: "row" }, h("h2", { class: "grow" }, t("title")), h("button", { class: "button", onclick: clear }, t("clear")),
      h("button", { class: "icon", "aria-label": t("close"), onclick: () => { toggle(false); button.focus(); } }, glyph("close"))),
    h("div", { class: "scroll", tabIndex: 0, role: "group", "aria-label": t("title") },
      h("section", { class: "losing" }, switching, how), total, list, background, h("p", { class: "dim" }, t("units"))));
  place.append(panel);

  const seen = { clicks: [], last: cleared(), since: "" };

  function toggle(shown) {
    panel.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    document.documentElement.classList.toggle("metered", shown);
    localStorage.setItem("pinboard.drawer", shown ? "open" : "");
    if (!shown) lose.next = false;
    drawSwitch();
    if (shown) look();
  }

  function drawSwitch() {
    switching.setAttribute("aria-checked", String(lose.next));
    how.textContent = lose.next ? t("armed") : t("how");
  }

  let looking = false, missed = false;
  async function look() {
    if (panel.hidden) return;
    if (looking) { missed = true; return; }
    looking = true;
    try {
      // Not by api.js, whose answers are what calls this.
      const answer = await fetch(`/api/costs?after=${seen.last}`, { headers: { "Pinboard-User": me() } });
      if (answer.ok) add(await answer.json());
    } catch { /* the service is away */ }
    looking = false;
    if (missed) { missed = false; look(); }
  }

  function add(answer) {
    if (seen.since && seen.since !== answer.since) { // another process counts from 1 again
      Object.assign(seen, { since: answer.since, last: 0 });
      sessionStorage.removeItem("pinboard.cleared");
      look();
      return;
    }
    seen.since = answer.since;
    for (const click of answer.clicks) seen.last = Math.max(seen.last, click.n);
    seen.clicks = [...seen.clicks, ...answer.clicks].slice(-kept);
    draw(answer);
  }

  function draw(answer) {
    total.replaceChildren(...summary(seen.clicks));
    const open = new Set([...list.querySelectorAll("details[open]")].map((d) => d.dataset.n));
    list.replaceChildren(...(seen.clicks.length ? grouped(seen.clicks).reverse().map((group, i) => clicked(group, i === 0, open)) : [h("li", { class: "state" }, glyph("meter"), h("p", {}, t("none")))]));
    if (answer) {
      background.replaceChildren(...inBackground(answer));
      background.hidden = false;
    }
  }

  function clear() {
    seen.clicks = [];
    sessionStorage.setItem("pinboard.cleared", String(seen.last));
    draw();
  }

  let timer;
  traffic.addEventListener("spent", () => {
    drawSwitch();
    clearTimeout(timer);
    timer = setTimeout(look, soon);
  });
  draw();
  drawSwitch();
  toggle(localStorage.getItem("pinboard.drawer") === "open");
}

const cleared = () => Number(sessionStorage.getItem("pinboard.cleared") ?? 0);

const plus = (costs) => costs.reduce((sum, c) => ({ requests: sum.requests + c.requests, read: sum.read + c.read, write: sum.write + c.write }), { requests: 0, read: 0, write: 0 });

function summary(clicks) {
  const cost = plus(clicks.flatMap((c) => c.calls));
  return [h("p", { class: "dim" }, `${t("clicks", clicks.length)}, ${t("requests", cost.requests)}, ${units(cost.read)} RCU, ${units(cost.write)} WCU`),
    h("p", { class: "sum" }, h("strong", {}, money(clicks.reduce((sum, c) => sum + c.thousand, 0))), h("small", {}, t("thousandOfAll")))];
}

// grouped joins reads that a page repeats by itself, such as those of the week's board, as
// long as nothing is written between them.
function grouped(clicks) {
  const groups = [];
  const isRead = (click) => click.route.startsWith("GET ");
  for (const click of clicks) {
    const reads = groups.slice(groups.findLastIndex((g) => !isRead(g[0])) + 1);
    const before = isRead(click) && reads.find((g) => g[0].route === click.route);
    if (before) before.push(click);
    else groups.push([click]);
  }
  return groups;
}

function clicked(group, newest, open) {
  const click = group.at(-1), cost = plus(click.calls);
  const mark = click.lost ? h("span", { class: "mark lost" }, glyph("close"), t("lost")) : click.again && h("span", { class: "mark again" }, glyph("check"), t("again"));
  const details = h("details", { open: newest || click.lost || click.again || open.has(String(group[0].n)), "data-n": group[0].n },
    h("summary", {}, h("span", { class: "what" }, routeInWords(click.route), group.length > 1 && h("span", { class: "times", title: t("times", group.length) }, `×${group.length}`), mark),
      h("span", { class: "price", title: exact(click.at) }, `${money(click.thousand)} `, h("small", {}, t("thousand")))),
    h("p", { class: "dim route" }, h("code", {}, click.route)),
    click.calls.length ? table(click.calls) : h("p", { class: "dim" }, t("free")));
  return h("li", { class: click.lost ? "click was-lost" : click.again ? "click was-again" : "click" }, details,
    h("p", { class: "dim brief" }, `${t("requests", cost.requests)} · ${units(cost.read)} RCU · ${units(cost.write)} WCU`));
}

// table lists operations with their cost for a thousand.
const table = (calls) => h("table", {},
  h("thead", {}, h("tr", {}, [t("operation"), t("req"), t("rcu"), t("wcu"), t("dollars")].map((text) => h("th", { scope: "col" }, text)))),
  h("tbody", {}, calls.map((c) => h("tr", {}, h("th", { scope: "row" }, broken(c.operation || t("other"))), h("td", {}, String(c.requests)), h("td", {}, units(c.read)), h("td", {}, units(c.write)), h("td", {}, money(1000 * c.dollars))))));

// broken lets a long name break after its dots.
const broken = (name) => name.split(/(?<=[./])/).flatMap((part) => [part, h("wbr")]);

function inBackground({ background, since, now }) {
  const dollars = background.reduce((sum, c) => sum + c.dollars, 0), seconds = Math.max(1, (new Date(now) - new Date(since)) / 1000);
  const cost = plus(background);
  return [h("summary", {}, h("span", { class: "what" }, t("background", clock(since))), h("span", { class: "price" }, money(dollars))),
    h("p", { class: "dim" }, `${t("requests", cost.requests)} · ${units(cost.read)} RCU · ${units(cost.write)} WCU. ${seconds > 60 ? t("month", money(dollars / seconds * 30 * 86400)) : ""}`),
    h("table", {}, h("thead", {}, h("tr", {}, [t("operation"), t("req"), t("rcu"), t("wcu")].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, background.map((c) => h("tr", {}, h("th", { scope: "row" }, broken(c.operation || t("other"))), h("td", {}, String(c.requests)), h("td", {}, units(c.read)), h("td", {}, units(c.write))))))];
}
