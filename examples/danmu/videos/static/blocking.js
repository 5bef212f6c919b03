import * as blocklists from "./blocklists.js";
import { Blocks, kinds } from "./blocks.js";
import { byId, element, put } from "./dom.js";

const hints = { words: "Block a word …", patterns: "Such as ^哈+$", users: "Block a sender …" };
const labels = { words: "A word to block", patterns: "A regular expression to block", users: "A sender to block" };
const marks = { words: "", patterns: "Expression", users: "Sender" };

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
    if (blocks.tester.resting) note("Your expressions rest, because several take too long. Remove those that are marked.");
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
        row.title = slow ? "This takes too long, so it is not used." : "";
        row.querySelector(".slow").hidden = !slow;
      }
    }
    for (const row of rows.values()) row.remove();
  };

  const rowOf = (name, rule) => {
    const row = element("li", {},
      element("small", { hidden: !marks[name] }, marks[name]),
      element("span", { className: "rule" }, rule),
      element("small", { className: "slow", hidden: true }, "too slow, off"),
      element("button", {
        ariaLabel: `Show ${rule} again`,
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
    note(refused ? `Not blocked: ${reasons[refused] ?? refused}.` : name === "users" ? `You do not see danmu of ${rule} any more.` : "");
    return !refused;
  };

  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const rule = kind.value === "patterns" ? word.value : word.value.trim();
    if (rule && hide(kind.value, rule)) word.value = "";
  });
  const prompt = () => {
    word.placeholder = hints[kind.value];
    word.setAttribute("aria-label", labels[kind.value]);
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
    clear.textContent = "Remove all";
  };
  clear.addEventListener("click", () => {
    if (armed) {
      blocks.clear();
      note("Nothing is blocked any more.");
      word.focus();
      return;
    }
    armed = true;
    clear.textContent = "Really remove all?";
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
      if (chosen.size > blocklists.largest) throw new Error("This file is larger than 4 MB.");
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

const reasons = { empty: "it is empty", "no regular expressions": "it is not a regular expression", "there already": "you block it already" };
