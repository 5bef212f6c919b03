import * as api from "./api.js";
import { byId, put } from "./dom.js";
import { notice } from "./notice.js";
import { imageOf } from "./sprite.js";
import { count, words } from "./words.js";

const t = words({
  en: {
    like: "Like", liked: (n) => `Like, ${count(n)} so far`, hide: (user) => `Hide everything that ${user} sends`, gone: "This danmu is gone.", much: "That was too much at once. Wait a moment.",
    failed: "That did not work. Please try again.", none: "No danmu is flying.", copied: "Copied.", uncopied: "Your browser does not let pages copy.",
    reported: "Thank you. You will not see it again.", hidden: (user) => `You no longer see what ${user} sends.`, recalled: "Taken back.",
  },
  zh: {
    like: "点赞", liked: (n) => `点赞，已有 ${count(n)} 个`, hide: (user) => `屏蔽 ${user} 的所有弹幕`, gone: "这条弹幕已不存在。", much: "操作太频繁，请稍等。",
    failed: "操作失败，请重试。", none: "画面上没有弹幕。", copied: "已复制。", uncopied: "浏览器不允许页面复制。",
    reported: "感谢举报，你不会再看到它。", hidden: (user) => `已屏蔽 ${user} 的弹幕。`, recalled: "已撤回。",
  },
});

const dwell = 120; // milliseconds that the mouse rests on a comment before it stops
const grace = 400; // milliseconds until a comment that the mouse has left flies on
const finger = 12; // pixels that a finger may miss by
const gap = 6; // pixels between the menu and the edges

// touch stops a comment under the mouse or a finger, and shows what can be done with it.
// The keyboard reaches comments through a button that only the keyboard finds.
export function touch(stage, video, { user, reactions, hideSender, removed }) {
  const { canvas } = stage, picture = canvas.parentElement;
  const root = byId("touched"), menu = part(".menu"), sure = part(".sure");
  const like = part(".like"), choose = byId("choose");
  let now = null; // the comment that is held
  let by = ""; // mouse, touch, keys or list
  let before = null; // the element that had the focus
  let resting = null, restTimer, leaveTimer, recallTimer;
  let wasOpen = false; // when the pointer went down
  let pointer = "mouse";
  let mouse = null; // its place in the window

  function part(selector) { return root.querySelector(selector); }

  function open(c, x, way) {
    if (now) end();
    else before = document.activeElement;
    const { left, top } = stage.hold(c);
    show(c.comment, way, picturing(c));
    const low = top + c.height + menu.offsetHeight + gap > canvas.clientHeight;
    const middle = x ?? (Math.max(left, 0) + Math.min(left + c.width, canvas.clientWidth)) / 2;
    const most = canvas.clientWidth - menu.offsetWidth - gap;
    const start = Math.max(Math.min(middle - menu.offsetWidth / 2, most), gap);
    root.classList.toggle("low", low);
    set(root, { left, top, width: c.width, height: c.height });
    root.style.setProperty("--start", `${start - left}px`);
    if (way === "mouse") leave();
  }

  // beside shows the menu of a comment beside the button of a list.
  function beside(comment, button) {
    if (now) end();
    before = button;
    show(comment, "list", comment.content.text);
    const { bottom, top, right } = button.getBoundingClientRect(), { offsetWidth, offsetHeight } = root;
    const below = bottom + offsetHeight <= innerHeight;
    set(root, { left: Math.max(right - offsetWidth, gap), top: below ? bottom : Math.max(top - offsetHeight, 0) });
    like.focus({ preventScroll: true });
  }

  function show(comment, way, content) {
    [now, by] = [comment, way];
    const parent = way === "list" ? document.body : picture;
    if (root.parentElement !== parent) parent.append(root);
    root.classList.toggle("listed", way === "list");
    root.classList.remove("low");
    root.style = "";
    part(".text").replaceChildren(content);
    root.hidden = false;
    ask(false);
    draw();
  }

  // close lets the comment fly on. The focus returns to where it was.
  function close() {
    if (!now) return;
    const inside = root.contains(document.activeElement);
    end();
    root.hidden = true;
    if (inside) (by === "keys" ? choose : before)?.focus({ preventScroll: true });
  }

  function end() {
    clearTimeout(leaveTimer);
    clearTimeout(recallTimer);
    now = null;
    stage.release();
  }

  function draw() {
    if (!now) return;
    const { content: { text }, userId } = now;
    const likes = reactions.likes(now), own = userId === user();
    root.ariaLabel = text;
    like.ariaPressed = String(reactions.liked(now.id));
    like.ariaLabel = likes ? t("liked", likes) : t("like");
    part(".likes").textContent = likes || "";
    part(".report").hidden = own;
    part(".hide").hidden = own || !userId || !hideSender;
    part(".hide").title = t("hide", userId);
    const left = own ? api.recallLeft(now) : 0;
    part(".recall").hidden = !(left > 0);
    clearTimeout(recallTimer);
    if (left > 0) recallTimer = setTimeout(draw, left);
  }

  // ask shows the question whether to report, or the menu.
  function ask(asks) {
    const focused = root.contains(document.activeElement);
    menu.hidden = asks;
    sure.hidden = !asks;
    if (focused) part(asks ? ".yes" : ".report").focus();
  }

  function refused(error, { id }) {
    if (error.status === 404 || error.status === 410) {
      notice(t("gone"));
      removed(id);
    } else {
      notice(t(error.status === 429 ? "much" : "failed"));
    }
  }

  // leave closes what the mouse has left. Browsers may be late with :hover.
  function leave() {
    clearTimeout(leaveTimer);
    leaveTimer = setTimeout(() => {
      if (by === "mouse" && !(mouse && root.contains(document.elementFromPoint(...mouse)))) close();
    }, grace);
  }

  const moved = (e) => { mouse = e.pointerType === "touch" ? null : [e.clientX, e.clientY]; };
  addEventListener("pointermove", moved, { capture: true, passive: true });
  document.documentElement.addEventListener("pointerleave", () => { mouse = null; });

  const pointOf = (e) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [e.clientX - left, e.clientY - top];
  };

  canvas.addEventListener("pointermove", (e) => {
    if (e.pointerType === "touch" || e.buttons) return;
    const point = pointOf(e);
    const id = stage.hit(...point)?.comment.id;
    if (id === resting?.id) {
      if (resting) resting.point = point;
      return;
    }
    clearTimeout(restTimer);
    const rests = resting = id === undefined ? null : { id, point };
    if (rests) {
      restTimer = setTimeout(() => {
        resting = null;
        const c = stage.hit(...rests.point);
        if (c?.comment.id === id) open(c, rests.point[0], "mouse");
      }, dwell);
    }
  });
  canvas.addEventListener("pointerleave", () => {
    clearTimeout(restTimer);
    resting = null;
  });

  addEventListener("pointerdown", (e) => {
    pointer = e.pointerType;
    moved(e);
    wasOpen = Boolean(now);
    if (!root.contains(e.target)) close();
  }, true);

  // A click on a comment, or with a finger beside one that stands still, does not count as
  // a click on the picture.
  const clicked = (e) => {
    if (e.target !== canvas) return;
    const byFinger = pointer === "touch", [x, y] = pointOf(e);
    const c = stage.hit(x, y, byFinger ? finger : 0);
    if (!c && !(byFinger && wasOpen)) return;
    e.stopPropagation();
    e.preventDefault();
    if (c && e.type === "click") open(c, x, byFinger ? "touch" : "mouse");
  };
  picture.addEventListener("click", clicked, true);
  picture.addEventListener("dblclick", clicked, true);
  canvas.addEventListener("contextmenu", (e) => { if (pointer === "touch") e.preventDefault(); });

  for (const kind of ["click", "dblclick"]) root.addEventListener(kind, (e) => e.stopPropagation());
  root.addEventListener("pointerenter", () => clearTimeout(leaveTimer));
  root.addEventListener("pointerleave", leave);
  root.addEventListener("focusout", (e) => {
    if ((by === "keys" || by === "list") && now && e.relatedTarget && !root.contains(e.relatedTarget)) close();
  });

  // walk goes from comment to comment in the order in which they came.
  function walk(step) {
    const all = [...stage.flight.aloft].sort((a, b) => a.start - b.start || a.top - b.top);
    const at = all.findIndex((c) => c.comment.id === now?.id);
    const c = at < 0 ? all.at(step < 0 ? -1 : 0) : all[(at + step + all.length) % all.length];
    if (!c || !stage.visible) {
      notice(t("none"));
      return;
    }
    const { activeElement } = document;
    open(c, undefined, "keys");
    (menu.contains(activeElement) && !activeElement.hidden ? activeElement : like).focus({ preventScroll: true });
    put("walked", c.comment.content.text);
  }

  choose.addEventListener("click", (e) => {
    e.stopPropagation();
    walk(1);
  });
  root.addEventListener("keydown", (e) => {
    if (by === "list") return;
    if (e.key === "ArrowRight" || e.key === "ArrowDown") walk(1);
    else if (e.key === "ArrowLeft" || e.key === "ArrowUp") walk(-1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !now) return;
    close();
    e.preventDefault(); // it does nothing else
    e.stopPropagation();
  }, true);
  new ResizeObserver(close).observe(canvas);

  const act = (selector, does) => part(selector).addEventListener("click", async () => {
    const touched = now;
    try {
      await does(touched);
    } catch (error) {
      refused(error, touched);
    }
  });
  act(".like", (comment) => reactions.toggle(comment));
  act(".copy", async ({ content: { text } }) => {
    notice(t(await copy(text) ? "copied" : "uncopied"));
  });
  act(".report", () => ask(true));
  act(".no", () => ask(false));
  act(".yes", async (comment) => {
    await reactions.report(comment);
    notice(t("reported"));
  });
  act(".hide", ({ userId }) => {
    close();
    hideSender(userId);
    notice(t("hidden", userId));
  });
  act(".recall", async ({ id }) => {
    await api.recall(video.id, id, user());
    removed(id);
    notice(t("recalled"));
  });

  return {
    close,
    beside,

    // remove is called when a comment is gone.
    remove(id) { if (now?.id === id) close(); },

    // changed is called when the likes of a comment have changed.
    changed(id) { if (now?.id === id) draw(); },
  };
}

// picturing is a copy of the picture of a comment, which may still return to the stage.
function picturing(c) {
  const image = imageOf(c), { width, height } = c;
  const copied = document.createElement("canvas");
  copied.width = image.width;
  copied.height = image.height;
  copied.getContext("2d").drawImage(image, 0, 0);
  set(copied, { width, height });
  return copied;
}

function set({ style }, pixels) {
  for (const [name, value] of Object.entries(pixels)) style[name] = `${value}px`;
}

// copy reports whether the clipboard has the text. Pages that are not encrypted have only
// the old way.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const area = document.createElement("textarea"), { activeElement } = document;
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  activeElement?.focus({ preventScroll: true });
  return done;
}
