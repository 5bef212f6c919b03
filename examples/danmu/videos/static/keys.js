import { byId, element } from "./dom.js";
import { read, write } from "./storage.js";
import { words } from "./words.js";

const t = words({
  en: {
    space: "Space", toggle: "Play or pause", back: (n) => `Back ${n} seconds`, forward: (n) => `Forward ${n} seconds`, louder: "Volume up", softer: "Volume down", mute: "Mute",
    danmu: "Show or hide the danmu", full: "Full screen", theatre: "Theatre mode", slower: "Slower", faster: "Faster", jump: "Jump to 0 % – 90 %", begin: "To the beginning", end: "To the end", keys: "Show the keys",
  },
  zh: {
    space: "空格", toggle: "播放或暂停", back: (n) => `后退 ${n} 秒`, forward: (n) => `前进 ${n} 秒`, louder: "增大音量", softer: "减小音量", mute: "静音",
    danmu: "开启或关闭弹幕", full: "全屏", theatre: "宽屏模式", slower: "减速", faster: "加速", jump: "跳到 0% – 90%", begin: "跳到开头", end: "跳到结尾", keys: "显示快捷键",
  },
});

const key = "plaza.danmu.keys";
const far = 5; // seconds
const louder = 0.1;

const boxes = "input:not([type=range], [type=radio], [type=checkbox], [type=color]), textarea, select, [contenteditable]";
const moving = new Set([" ", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

// keys are the shortcuts, and the list of them. They can be turned off, for those who
// speak to their browser. No key acts while the viewer writes, or where it has another use.
export function keys(player, act) {
  const list = [
    { on: [" ", "k"], named: t("space"), does: t("toggle"), run: act.toggle, once: true },
    { on: ["ArrowLeft"], named: "←", does: t("back", far), run: () => act.skip(-far) },
    { on: ["ArrowRight"], named: "→", does: t("forward", far), run: () => act.skip(far) },
    { on: ["ArrowUp"], named: "↑", does: t("louder"), run: () => act.louder(louder) },
    { on: ["ArrowDown"], named: "↓", does: t("softer"), run: () => act.louder(-louder) },
    { on: ["m"], named: "M", does: t("mute"), run: act.mute, once: true },
    { on: ["d"], named: "D", does: t("danmu"), run: act.danmu, once: true },
    { on: ["f"], named: "F", does: t("full"), run: act.full, once: true },
    { on: ["t"], named: "T", does: t("theatre"), run: act.theatre, once: true },
    { on: ["<"], named: "<", does: t("slower"), run: () => act.faster(-1) },
    { on: [">"], named: ">", does: t("faster"), run: () => act.faster(1) },
    { on: [..."0123456789"], named: "0 – 9", does: t("jump"), run: (digit) => act.to(digit / 10) },
    { on: ["Home"], named: "Home", does: t("begin"), run: () => act.to(0) },
    { on: ["End"], named: "End", does: t("end"), run: () => act.to(1) },
    { on: ["?"], named: "?", does: t("keys"), run: show, once: true },
  ];
  const dialog = byId("keys"), using = byId("using");
  using.checked = read(key) !== false;
  using.addEventListener("change", () => write(key, using.checked));
  byId("shortcuts").append(...list.flatMap(({ named, does }) => [element("dt", {}, element("kbd", {}, named)), element("dd", {}, does)]));
  byId("help").addEventListener("click", show);
  dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); }); // beside it

  function show() { dialog.showModal(); }

  addEventListener("keydown", (e) => {
    if (!using.checked || dialog.open || e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || e.isComposing) return;
    const pressed = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const entry = list.find(({ on }) => on.includes(pressed));
    if (!entry || taken(e.target, pressed)) return;
    if ((!entry.once || !e.repeat) && entry.run(pressed) === false) return;
    e.preventDefault();
  });

  // taken reports whether a key has a use of its own where the focus is.
  function taken(at, pressed) {
    if (!at.matches || at === document.body || at.id === "seek") return false;
    if (at.matches(boxes)) return true;
    if (!moving.has(pressed)) return false;
    if (at.matches("button, summary, a") && player.contains(at)) return pressed === " " || pressed === "Enter";
    return at.matches("input, button, summary, a") || !player.contains(at);
  }
}
