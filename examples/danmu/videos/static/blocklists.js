// Files of block lists: ours, and the two that Bilibili's player exports.
import { reasonOf } from "./blocks.js";
import { words } from "./words.js";

const t = words({
  en: {
    unread: "This file is not a block list that can be read here.", newer: "This block list was written by a newer player.",
    taken: (n) => (n === 1 ? "1 rule was added" : `${n} rules were added`), present: (n) => `${n} ${n === 1 ? "was" : "were"} there already`,
    off: (n) => `${n} ${n === 1 ? "is" : "are"} switched off in the file`, left: (n, reason) => `${n} left out: ${reason}`, unknown: (n) => `${n} left out: of an unknown kind`,
    all: (parts) => `${parts.join(" · ")}.`,
  },
  zh: {
    unread: "无法识别这个屏蔽列表文件。", newer: "这个屏蔽列表来自更新版本的播放器。",
    taken: (n) => `已添加 ${n} 条规则`, present: (n) => `${n} 条已存在`,
    off: (n) => `${n} 条在文件中已关闭`, left: (n, reason) => `${n} 条未添加：${reason}`, unknown: (n) => `${n} 条未添加：类型未知`,
    all: (parts) => `${parts.join("；")}。`,
  },
});

export const largest = 4 << 20; // bytes
const mark = "plaza-danmu-blocks";

const kindOf = ["words", "patterns", "users"]; // by Bilibili's types
const letterOf = { t: "words", r: "patterns", u: "users" };

export function exported({ words, patterns, users, modes, colored }) {
  return JSON.stringify({ format: mark, version: 1, words, patterns, users, modes, colored }, null, 2);
}

// read returns the rules of a file, {words, patterns, users, modes, colored}, and how
// many of its entries were off or are of no kind that is known here. Another file is an
// Error with a reason for people.
export function read(text) {
  const trimmed = text.replace(/^\uFEFF/, "").trimStart();
  return trimmed.startsWith("<") ? fromXML(trimmed) : fromJSON(trimmed);
}

const unknown = () => new Error(t("unread"));

function fromJSON(text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw unknown();
  }
  if (Array.isArray(json)) return gather(json, (e) => ({ kind: kindOf[e?.type], rule: e?.filter, on: e?.opened !== false }));
  if (json?.format !== mark) throw unknown();
  if (json.version !== 1) throw new Error(t("newer"));
  const { words, patterns, users, modes, colored } = json;
  return { rules: { words, patterns, users, modes, colored }, off: 0, unknown: 0 };
}

// The XML is flat, so it takes no parser, whose entities may grow without bound and whose
// errors are pages of their own.
function fromXML(text) {
  if (!/<filters\b[^>]*>.*<\/filters>\s*$/s.test(text)) throw unknown();
  return gather(text.matchAll(/<item\b([^<>]*)>([^<]*)<\/item>/g), ([, attributes, content]) => {
    const [, letter, rule] = plain(content).trim().match(/^(\w)=(.*)$/s) ?? [];
    return { kind: letterOf[letter], rule, on: !/\benabled\s*=\s*["']false["']/.test(attributes) };
  });
}

const entities = { lt: "<", gt: ">", amp: "&", quot: "\"", apos: "'" };

function plain(xml) {
  return xml.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (all, hex, decimal, name) => {
    if (name) return entities[name] ?? all;
    const code = hex ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

function gather(entries, read) {
  const found = { rules: { words: [], patterns: [], users: [] }, off: 0, unknown: 0 };
  for (const entry of entries) {
    const { kind, rule, on } = read(entry);
    if (!kind || typeof rule !== "string") found.unknown++;
    else if (!on) found.off++;
    else found.rules[kind].push(kind === "patterns" ? bare(rule) : rule);
  }
  return found;
}

// bare takes the slashes off an expression.
const bare = (pattern) => pattern.match(/^\/(.+)\/[a-z]*$/s)?.[1] ?? pattern;

// spell says what became of a file, for people.
export function spell({ taken, present, refused }, { off, unknown }) {
  const parts = [t("taken", taken)];
  if (present > 0) parts.push(t("present", present));
  if (off > 0) parts.push(t("off", off));
  for (const [reason, n] of refused) parts.push(t("left", n, reasonOf(reason)));
  if (unknown > 0) parts.push(t("unknown", unknown));
  return t("all", parts);
}
