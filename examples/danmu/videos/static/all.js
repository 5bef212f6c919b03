import { Collection } from "./collection.js";
import { byId, element, put, spell } from "./dom.js";
import { VirtualList } from "./list.js";
import { count, exact, short, words } from "./words.js";

const t = words({
  en: {
    now: "Back to now", newest: "Back to the newest",
    failing: (n) => `${count(n)} danmu. The others could not be read yet.`, reading: (n, of) => `${count(n)}${of ? ` of ${count(of)}` : ""} danmu so far …`,
    found: (n, all) => `${count(n)} of ${count(all)} danmu`, listed: (n) => `${count(n)} danmu`, part: (n) => `${count(n)} danmu, and there are more`,
    hidden: (n) => `${count(n)} hidden`, without: "No danmu has this in it.", hideAll: "You have hidden them all.", none: "Nobody has said anything yet.",
    saidFound: (n) => `${count(n)} found`, saidListed: (n) => `${count(n)} danmu are listed`, likes: (n) => `${count(n)} likes`, isHidden: "hidden", about: (text) => `More about “${text}”`, more: "More",
  },
  zh: {
    now: "回到当前进度", newest: "回到最新弹幕",
    failing: (n) => `${count(n)} 条弹幕，其余的暂时无法读取。`, reading: (n, of) => `已读取 ${count(n)}${of ? ` / ${count(of)}` : ""} 条弹幕…`,
    found: (n, all) => `${count(n)} / ${count(all)} 条弹幕`, listed: (n) => `${count(n)} 条弹幕`, part: (n) => `显示 ${count(n)} 条，还有更多弹幕`,
    hidden: (n) => `已屏蔽 ${count(n)} 条`, without: "没有包含这些文字的弹幕。", hideAll: "弹幕都被你屏蔽了。", none: "还没有弹幕，来发第一条吧。",
    saidFound: (n) => `找到 ${count(n)} 条`, saidListed: (n) => `列出了 ${count(n)} 条弹幕`, likes: (n) => `${count(n)} 个赞`, isHidden: "已屏蔽", about: (text) => `“${text}”的更多操作`, more: "更多",
  },
});

const pause = 200; // milliseconds that what happens live waits for more
const before = 0.2; // seconds before a comment, so that it is seen to come
const slice = 12; // milliseconds at once for finding out what is blocked
const positioned = 7; // and greater positions: the text is an array, or a program

// All lists all comments of the video and follows the playing time, until the viewer
// scrolls. Open, if it is given, is called with a comment and the button of its row that
// was pressed; likes returns how many a comment has now.
export class All {
  #orders = {
    time: null, // as they are
    likes: (a, b) => this.likes(b) - this.likes(a),
    sent: (a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0),
  };
  #found = [];
  #order = "time";
  #text = ""; // that is looked for
  #following = true;
  #open = false;
  #blocks = () => false;
  #rules = null; // their version
  #verdicts = new WeakMap(); // comment to whether it is blocked, and by which rules
  #sifted = true; // whether all are known
  #timer = null;
  #told = false; // to a screen reader, once after a change by the viewer

  constructor(video, user, { seek, open, likes = (comment) => comment.likes ?? 0 }) {
    Object.assign(this, { user, seek, open, likes });
    this.panel = byId("panel-all");
    this.panel.classList.toggle("acting", Boolean(open));
    this.collection = new Collection(video, { changed: () => this.#soon() });
    this.list = new VirtualList(byId("all-rows"), {
      fill: (row, comment) => this.#fill(row, comment),
      chosen: (comment) => {
        this.#follow(true);
        this.seek(Math.max(comment.content.time - before, 0));
      },
      scrolled: () => this.#follow(false),
    });
    for (const button of this.panel.querySelectorAll("[data-order]")) {
      button.addEventListener("click", () => this.#sort(button.dataset.order));
    }
    byId("all-find").addEventListener("input", () => this.#find(byId("all-find").value));
    byId("all-find").addEventListener("keydown", (e) => {
      if (e.key !== "Escape" || !byId("all-find").value) return;
      e.stopPropagation();
      byId("all-find").value = "";
      this.#find("");
    });
    byId("all-hidden").addEventListener("click", () => {
      byId("all-hidden").ariaPressed = String(!this.#showing);
      this.#redo();
    });
    byId("all-back").addEventListener("click", () => {
      const focus = document.activeElement === byId("all-back");
      this.#follow(true);
      this.list.to(Math.max(this.#now(), 0), { focus });
    });
    new IntersectionObserver((seen) => {
      this.#open = seen.at(-1).isIntersecting;
      this.collection.open(this.#open);
      if (this.#open) this.#redo();
    }).observe(this.panel);
  }

  // at is called for each frame.
  at(seconds) {
    this.seconds = seconds;
    this.collection.at(seconds);
    if (!this.#open) return;
    const now = this.#now();
    this.list.mark(this.#found[now]);
    if (!this.#following || this.list.held) return;
    if (this.#order === "time") this.list.follow(Math.max(now, 0));
    else if (this.#order === "sent" && this.list.top > 0) this.list.to(0);
  }

  // join, expect, add and remove are the collection's.
  join() { this.collection.join(); }

  expect(counts) { this.collection.expect(counts); }

  add(comment) { this.collection.add(comment); }

  remove(id) { this.collection.remove(id); }

  // choose takes what reports whether a comment is blocked, and the version of its rules.
  // That returns undefined while a comment is tested; decided is called after it.
  choose(blocks, version) {
    if (version === this.#rules) return;
    this.#blocks = blocks;
    this.#rules = version;
    this.#soon();
  }

  decided() { if (!this.#sifted) this.#soon(); }

  // changed is called with the id of a comment that has other likes.
  changed(id) {
    const comment = this.collection.get(id);
    if (!comment) return;
    this.list.refresh(comment);
    if (this.#order === "likes") this.#soon();
  }

  // become is called when the viewer has another name.
  become() { this.list.refreshAll(); }

  // #blocked is the verdict on a comment. Many comments are judged over several frames, so
  // that the page stays quick. Meanwhile their verdicts from before count, and comments
  // without one are left out.
  #blocked(comment, until) {
    const known = this.#verdicts.get(comment);
    if (known?.rules === this.#rules) return known.blocked;
    const blocked = performance.now() < until ? this.#blocks(comment) : undefined;
    if (blocked !== undefined) this.#verdicts.set(comment, { blocked, rules: this.#rules });
    else this.#sifted = false;
    return blocked ?? known?.blocked;
  }

  // #now is the index of the last comment that has come by now, or -1.
  #now() {
    if (this.#order !== "time") return -1;
    const at = this.seconds + before + 0.05; // a video does not seek exactly
    let low = 0, high = this.#found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#found[middle].content.time <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #follow(following) {
    this.#following = following;
    const home = { time: "now", sent: "newest" }[this.#order];
    byId("all-back").hidden = following || !home;
    put("all-back", home ? t(home) : "");
  }

  #sort(order) {
    this.#order = order;
    for (const button of this.panel.querySelectorAll("[data-order]")) {
      const chosen = button.dataset.order === order;
      button.parentElement.ariaSort = !chosen ? "none" : order === "time" ? "ascending" : "descending";
    }
    this.#follow(true);
    this.#redo();
    this.list.to(Math.max(this.#now(), 0));
  }

  #find(text) {
    this.#text = text.trim().toLowerCase();
    this.#follow(true);
    this.#redo();
    this.list.to(Math.max(this.#now(), 0));
    this.#told = false;
    this.#soon();
  }

  #soon(wait = pause) {
    this.#timer ??= setTimeout(() => { if (this.#open) this.#redo(); else this.#timer = null; }, wait);
  }

  get #showing() { return byId("all-hidden").ariaPressed === "true"; }

  #redo() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#sifted = true;
    const all = this.collection.list;
    const until = performance.now() + slice;
    let hidden = 0;
    const found = all.filter((comment) => {
      const blocked = this.#blocked(comment, until);
      if (blocked) hidden++;
      return (blocked === false || (blocked && this.#showing)) && (!this.#text || textOf(comment).toLowerCase().includes(this.#text));
    });
    if (performance.now() >= until && !this.#sifted) this.#soon(0);
    const order = this.#orders[this.#order];
    if (order) found.sort(order);
    this.#found = found;
    this.list.show(found);
    this.#say(all.length, found.length, hidden);
  }

  // #say says how many there are, and how many of them the list has.
  #say(all, found, hidden) {
    const { reading, part, total, failing } = this.collection;
    byId("all").ariaBusy = String(reading);
    put("all-listed", failing ? t("failing", all)
      : reading ? t("reading", all, total > all ? total : 0)
      : this.#text ? t("found", found, all)
      : !part ? t("listed", all)
      : total > all ? t("found", all, total) : t("part", all));
    byId("all-hidden").hidden = hidden === 0;
    put("all-hidden", t("hidden", hidden));
    byId("all-none").hidden = found > 0 || reading;
    put("all-none", this.#text ? t("without") : hidden > 0 ? t("hideAll") : t("none"));
    if (!this.#told && !reading && !failing) {
      this.#told = true;
      put("all-said", this.#text ? t("saidFound", found) : t("saidListed", all));
    }
  }

  #fill(row, comment) {
    if (!row.firstChild) row.append(...this.#cells(comment));
    const [at, text, likes, sent] = row.children;
    const hidden = this.#verdicts.get(comment)?.blocked ?? false;
    const liked = this.likes(comment);
    const written = textOf(comment);
    row.classList.toggle("hides", hidden);
    row.classList.toggle("own", comment.userId === this.user());
    at.textContent = spell(comment.content.time);
    text.textContent = text.title = written;
    likes.textContent = liked > 0 ? short(liked) : "";
    likes.ariaLabel = liked > 0 ? t("likes", liked) : null;
    const when = new Date(comment.createdAt ?? NaN);
    sent.textContent = hidden ? t("isHidden") : dateOf(when);
    sent.title = Number.isNaN(when.getTime()) ? "" : exact(when);
  }

  #cells(comment) {
    const cells = ["at", "text", "likes", "sent"].map((name) => element("span", { className: name, role: "gridcell" }));
    if (this.open) {
      const button = element("button", { type: "button", ariaLabel: t("about", textOf(comment)), title: t("more"), tabIndex: -1 }, "⋯");
      button.addEventListener("click", () => this.open(comment, button));
      cells.push(element("span", { className: "acts", role: "gridcell" }, button));
    }
    return cells;
  }
}

// textOf is the text that is shown of a comment: one that is positioned has more in it.
function textOf({ content: { text, position } }) {
  if (!(position >= positioned) || !text.startsWith("[")) return text;
  try {
    const shown = JSON.parse(text)[4];
    return typeof shown === "string" ? shown.replaceAll("/n", " ") : text;
  } catch {
    return text;
  }
}

// dateOf is a date as short as can be: the time of today, the day of this year, or the
// month.
function dateOf(date) {
  if (Number.isNaN(date.getTime())) return "";
  const now = new Date();
  const two = (n) => String(n).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (date.toDateString() === now.toDateString()) return `${two(date.getHours())}:${two(date.getMinutes())}`;
  return date.getFullYear() === now.getFullYear() ? day : `${date.getFullYear()}-${two(date.getMonth() + 1)}`;
}
