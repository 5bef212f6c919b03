import { byId, element } from "./dom.js";
import { read, write } from "./storage.js";

const key = "plaza.danmu.keys";
const far = 5; // seconds
const louder = 0.1;

const boxes = "input:not([type=range], [type=radio], [type=checkbox], [type=color]), textarea, select, [contenteditable]";
const moving = new Set([" ", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

// keys are the shortcuts, and the list of them. They can be turned off, for those who
// speak to their browser. No key acts while the viewer writes, or where it has another use.
export function keys(player, act) {
  const list = [
    { on: [" ", "k"], named: "Space", does: "Play or pause", run: act.toggle, once: true },
    { on: ["ArrowLeft"], named: "←", does: `Back ${far} seconds`, run: () => act.skip(-far) },
    { on: ["ArrowRight"], named: "→", does: `Forward ${far} seconds`, run: () => act.skip(far) },
    { on: ["ArrowUp"], named: "↑", does: "Volume up", run: () => act.louder(louder) },
    { on: ["ArrowDown"], named: "↓", does: "Volume down", run: () => act.louder(-louder) },
    { on: ["m"], named: "M", does: "Mute", run: act.mute, once: true },
    { on: ["d"], named: "D", does: "Show or hide the danmu", run: act.danmu, once: true },
    { on: ["f"], named: "F", does: "Full screen", run: act.full, once: true },
    { on: ["t"], named: "T", does: "Theatre mode", run: act.theatre, once: true },
    { on: ["<"], named: "<", does: "Slower", run: () => act.faster(-1) },
    { on: [">"], named: ">", does: "Faster", run: () => act.faster(1) },
    { on: [..."0123456789"], named: "0 – 9", does: "Jump to 0 % – 90 %", run: (digit) => act.to(digit / 10) },
    { on: ["Home"], named: "Home", does: "To the beginning", run: () => act.to(0) },
    { on: ["End"], named: "End", does: "To the end", run: () => act.to(1) },
    { on: ["?"], named: "?", does: "Show the keys", run: show, once: true },
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
