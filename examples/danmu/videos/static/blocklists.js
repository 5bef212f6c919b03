// Files of block lists: ours, and the two that Bilibili's player exports.

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

const unknown = () => new Error("This file is no block list that can be read here.");

function fromJSON(text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw unknown();
  }
  if (Array.isArray(json)) return gather(json, (e) => ({ kind: kindOf[e?.type], rule: e?.filter, on: e?.opened !== false }));
  if (json?.format !== mark) throw unknown();
  if (json.version !== 1) throw new Error("This block list was written by a newer player.");
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
  const parts = [taken === 1 ? "1 rule was added" : `${taken} rules were added`];
  if (present > 0) parts.push(`${present} ${present === 1 ? "was" : "were"} there already`);
  if (off > 0) parts.push(`${off} ${off === 1 ? "is" : "are"} switched off in the file`);
  for (const [reason, n] of refused) parts.push(`${n} left out: ${reason}`);
  if (unknown > 0) parts.push(`${unknown} left out: of an unknown kind`);
  return `${parts.join(" · ")}.`;
}
