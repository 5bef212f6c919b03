import * as blocklists from "./blocklists.js";
import { Blocks, kinds, reasonOf } from "./blocks.js";
import { byId, element, put } from "./dom.js";
import { words } from "./words.js";

const t = words({
  en: {
    hints: { words: "Block a word …", patterns: "Such as ^哈+$", users: "Block a sender …" },
    labels: { words: "A word to block", patterns: "A regular expression to block", users: "A sender to block" },
    marks: { words: "", patterns: "Expression", users: "Sender" },
    resting: "Your expressions are off, because several take too long. Remove the marked ones.",
    slow: "This takes too long, so it is not used.", tooSlow: "too slow, off", again: (rule) => `Show ${rule} again`,
    refused: (reason) => `Not blocked: ${reason}.`, gone: (user) => `You no longer see danmu from ${user}.`,
    clear: "Remove all", sure: "Really remove all?", nothing: "Nothing is blocked any more.", large: "This file is larger than 4 MB.",
    empty: "it is empty", invalid: "it is not a regular expression", present: "you block it already",
  },
  zh: {
    hints: { words: "屏蔽关键词…", patterns: "例如 ^哈+$", users: "屏蔽用户…" },
    labels: { words: "要屏蔽的关键词", patterns: "要屏蔽的正则表达式", users: "要屏蔽的用户" },
    marks: { words: "", patterns: "正则", users: "用户" },
    resting: "多个正则表达式耗时过长，已全部停用。请删除标出的表达式。",
    slow: "耗时过长，未启用。", tooSlow: "太慢，已停用", again: (rule) => `取消屏蔽 ${rule}`,
    refused: (reason) => `未屏蔽：${reason}。`, gone: (user) => `你不会再看到 ${user} 的弹幕。`,
    clear: "清空", sure: "确定全部清空？", nothing: "已清空屏蔽列表。", large: "文件超过 4 兆字节。",
    empty: "内容为空", invalid: "不是正则表达式", present: "已经屏蔽过了",
  },
});

// blocking is the card of the blocks. Changed is called after each change.
export function blocking({ rules, changed, decided }) {
  const blocks = new Blocks({ changed: () => { show(); changed(); }, decided });
  const form = byId("filter"), kind = byId("kind"), word = byId("word"), list = byId("words"), clear = byId("clear");
  const buttons = [...byId("modes").children];

  const show = () => {
    const n = Object.keys(kinds).reduce((sum, name) => sum + blocks[name].length, 0);
    put("blocked", n > 0 ? String(n) : "");
    for (const b of buttons) {
      const { mode } = b.dataset;
      b.setAttribute("aria-pressed", String(mode === "colored" ? blocks.colored : blocks.modes.includes(mode)));
    }
    clear.hidden = n === 0 && blocks.modes.length === 0 && !blocks.colored;
    disarm();
    showRules();
    if (blocks.tester.resting) note(t("resting"));
  };

  const showRules = () => {
    const rows = new Map([...list.children].map((row) => [`${row.dataset.kind} ${row.dataset.rule}`, row]));
    for (const name of Object.keys(kinds)) {
      for (const rule of blocks[name]) {
        const key = `${name} ${rule}`;
        const row = rows.get(key) ?? list.appendChild(rowOf(name, rule));
        rows.delete(key);
        const slow = name === "patterns" && blocks.slow.includes(rule);
        row.classList.toggle("slow", slow);
        row.title = slow ? t("slow") : "";
        row.querySelector(".slow").hidden = !slow;
      }
    }
    for (const row of rows.values()) row.remove();
  };

  const rowOf = (name, rule) => {
    const mark = t("marks")[name];
    const row = element("li", {},
      element("small", { hidden: !mark }, mark),
      element("span", { className: "rule" }, rule),
      element("small", { className: "slow", hidden: true }, t("tooSlow")),
      element("button", {
        ariaLabel: t("again", rule),
        onclick: () => {
          const next = (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("button") ?? word;
          blocks.remove(name, rule);
          next.focus();
        },
      }, "×"));
    Object.assign(row.dataset, { kind: name, rule });
    return row;
  };

  const note = (text) => put("block-note", text);

  const hide = (name, rule) => {
    const refused = blocks.add(name, rule);
    note(refused ? t("refused", t(reasons[refused]) ?? reasonOf(refused)) : name === "users" ? t("gone", rule) : "");
    return !refused;
  };

  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const rule = kind.value === "patterns" ? word.value : word.value.trim();
    if (rule && hide(kind.value, rule)) word.value = "";
  });
  const prompt = () => {
    word.placeholder = t("hints")[kind.value];
    word.setAttribute("aria-label", t("labels")[kind.value]);
  };
  kind.addEventListener("input", prompt);
  prompt();

  for (const b of buttons) {
    b.addEventListener("click", () => {
      const blocked = b.getAttribute("aria-pressed") !== "true";
      if (b.dataset.mode === "colored") blocks.setColored(blocked);
      else blocks.setMode(b.dataset.mode, blocked);
    });
  }

  // A second click removes all.
  let armed = false;
  const disarm = () => {
    armed = false;
    clear.textContent = t("clear");
  };
  clear.addEventListener("click", () => {
    if (armed) {
      blocks.clear();
      note(t("nothing"));
      word.focus();
      return;
    }
    armed = true;
    clear.textContent = t("sure");
  });
  clear.addEventListener("blur", disarm);

  byId("export").addEventListener("click", () => {
    const href = URL.createObjectURL(new Blob([blocklists.exported(blocks)], { type: "application/json" }));
    element("a", { href, download: "danmu-blocks.json" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  });
  const file = byId("import-file");
  byId("import").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    try {
      if (chosen.size > blocklists.largest) throw new Error(t("large"));
      const found = blocklists.read(await chosen.text());
      note(blocklists.spell(blocks.take(found.rules), found));
    } catch (error) {
      note(error.message);
    }
  });

  const load = (stored) => {
    blocks.load(stored);
    show();
  };
  load(rules);
  return { blocks, hide, load };
}

const reasons = { empty: "empty", "no regular expressions": "invalid", "there already": "present" };
