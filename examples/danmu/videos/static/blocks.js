import { modes } from "./lanes.js";
import { Patterns } from "./patterns.js";
import { words } from "./words.js";

export const kinds = { words: "word", patterns: "expression", users: "sender" };
export const most = 500; // rules of each kind
export const longest = 200; // code points of a rule

const t = words({
  en: { reason: (reason) => reason },
  zh: {
    reason: (reason) => ({
      empty: "内容为空", unknown: "类型未知", "there already": "已经屏蔽过", "no regular expressions": "不是正则表达式",
      [long]: `超过 ${longest} 个字`, [full("words")]: `关键词超过 ${most} 个`, [full("patterns")]: `正则表达式超过 ${most} 个`, [full("users")]: `用户超过 ${most} 个`,
    })[reason],
  },
});

const long = `longer than ${longest} characters`;
const full = (kind) => `more than ${most} ${kinds[kind]}s`;

// reasonOf says why a rule is refused, for people.
export const reasonOf = (reason) => t("reason", reason);

const plain = new Set(["", "white", "#fff", "#ffffff"]);

// Blocks are the rules for what a viewer does not want to see.
export class Blocks {
  words = [];
  patterns = [];
  users = [];
  modes = [];
  colored = false;
  slow = []; // patterns that take too long, and are not used
  version = 0; // another one after each change

  #lower = [];
  #users = new Set();
  #modes = new Set();
  #texts = new WeakMap(); // comment to its text in lower case

  // changed is called after each change, and decided when comments have been tested.
  constructor({ changed = () => {}, decided = () => {} } = {}) {
    this.changed = changed;
    this.tester = new Patterns({
      decided: () => decided(),
      slow: (pattern) => {
        this.slow.push(pattern);
        this.changed();
      },
    });
  }

  // load takes what is valid of stored rules.
  load(stored) {
    const lists = Object.keys(kinds);
    for (const kind of lists) this[kind] = [];
    for (const kind of lists) {
      for (const rule of listOf(stored?.[kind]).slice(0, most)) if (!this.#refusal(kind, rule)) this[kind].push(rule);
    }
    this.slow = listOf(stored?.slow).filter((p) => this.patterns.includes(p));
    this.modes = Object.keys(modes).filter((name) => listOf(stored?.modes).includes(name));
    this.colored = stored?.colored === true;
    this.#use();
  }

  stored() {
    const { words, patterns, users, modes, colored, slow } = this;
    return { words, patterns, users, modes, colored, slow };
  }

  // add returns why a rule is refused, or nothing.
  add(kind, rule) {
    const refused = this.#refusal(kind, rule);
    if (!refused) this.#set(() => { this[kind] = [...this[kind], rule]; });
    return refused;
  }

  // take adds rules, {words, patterns, users, modes, colored}, and returns how many it
  // took, which were there, and why others were refused: a reason to a number.
  take(rules) {
    const result = { taken: 0, present: 0, refused: new Map() };
    const refuse = (reason) => result.refused.set(reason, (result.refused.get(reason) ?? 0) + 1);
    this.#set(() => {
      for (const kind of Object.keys(kinds)) {
        const present = new Set(this[kind]);
        for (const rule of listOf(rules[kind])) {
          if (present.has(rule)) {
            result.present++;
            continue;
          }
          const reason = this.#refusal(kind, rule, present);
          if (reason) {
            refuse(reason);
            continue;
          }
          present.add(rule);
          result.taken++;
        }
        this[kind] = [...present];
      }
      for (const name of listOf(rules.modes)) {
        if (!Object.hasOwn(modes, name)) refuse("unknown");
        else if (this.modes.includes(name)) result.present++;
        else {
          this.modes = [...this.modes, name];
          result.taken++;
        }
      }
      if (rules.colored === true && !this.colored) {
        this.colored = true;
        result.taken++;
      }
    });
    return result;
  }

  remove(kind, rule) {
    this.#set(() => {
      this[kind] = this[kind].filter((other) => other !== rule);
      this.slow = this.slow.filter((other) => kind !== "patterns" || other !== rule);
    });
  }

  clear() {
    this.#set(() => Object.assign(this, { words: [], patterns: [], users: [], modes: [], colored: false, slow: [] }));
  }

  setMode(name, blocked) {
    this.#set(() => { this.modes = Object.keys(modes).filter((other) => (other === name ? blocked : this.modes.includes(other))); });
  }

  setColored(blocked) { this.#set(() => { this.colored = blocked; }); }

  // blocks reports whether a comment is blocked. It is undefined while that is being
  // tested.
  blocks(comment) {
    const { userId, content } = comment;
    if (this.#users.has(userId) || this.#modes.has(content.position)) return true;
    if (this.colored && !plain.has((content.color ?? "").toLowerCase())) return true;
    if (this.#lower.length > 0) {
      let text = this.#texts.get(comment);
      if (text === undefined) this.#texts.set(comment, text = content.text.toLowerCase());
      if (this.#lower.some((word) => text.includes(word))) return true;
    }
    return this.tester.blocks(comment);
  }

  #set(change) {
    change();
    this.#use();
    this.changed();
  }

  #use() {
    this.version++;
    this.#lower = this.words.map((word) => word.toLowerCase());
    this.#users = new Set(this.users);
    this.#modes = new Set(this.modes.map((name) => modes[name]));
    this.tester.use(this.patterns.filter((p) => !this.slow.includes(p)));
  }

  #refusal(kind, rule, present = this[kind]) {
    if (typeof rule !== "string" || rule.trim() === "") return "empty";
    if (rule.length > 2 * longest || [...rule].length > longest) return long;
    if ((present.size ?? present.length) >= most) return full(kind);
    if (present.has ? present.has(rule) : present.includes(rule)) return "there already";
    if (kind === "patterns" && !isPattern(rule)) return "no regular expressions";
    return "";
  }
}

function isPattern(text) {
  try {
    new RegExp(text, "i");
    return true;
  } catch {
    return false;
  }
}

const listOf = (value) => (Array.isArray(value) ? value : []);
