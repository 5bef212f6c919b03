import { modes } from "./lanes.js";

// What a viewer sees of many comments, by the rules of package danmu. They are applied
// here and not by the service, because what is blocked must take no place, what came
// live counts too, and the viewer's own always show.

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; // of ids
const together = 5000; // milliseconds within which repeats are merged

const standard = new Set(Object.values(modes));
const moment = (c) => Math.round(c.content.time * 1000);

// inSample reports whether a comment is in the sample of 1/2^sample. The last character
// of an id is its hash.
export const inSample = (id, sample) => (alphabet.indexOf(id.at(-1)) & ((1 << sample) - 1)) === 0;

// sameness is what equal comments have in common; of others it is the id.
export function sameness({ id, content }) {
  return standard.has(content.position) ? `${content.position} ${content.text.trim()}` : id;
}

// thin chooses from comments in playing order. Those that stay are neither merged into
// others nor dropped by the cap.
export function thin(comments, { merge, cap }, stays) {
  const single = merge ? merged(comments, stays) : comments;
  return cap ? capped(single, cap, stays) : single;
}

function merged(comments, stays) {
  const firsts = new Map(); // sameness to an index in kept
  const kept = [];
  for (const c of comments) {
    const same = sameness(c);
    const first = kept[firsts.get(same)];
    if (first && moment(c) - moment(first) <= together && !stays(c)) {
      kept[firsts.get(same)] = { ...first, repeats: (first.repeats ?? 0) + 1 };
      continue;
    }
    firsts.set(same, kept.length);
    kept.push(c);
  }
  return kept;
}

// capped keeps n comments of each second, or more if more of them stay.
function capped(comments, n, stays) {
  const kept = [];
  for (let begin = 0, end; begin < comments.length; begin = end) {
    const second = Math.floor(moment(comments[begin]) / 1000);
    for (end = begin + 1; end < comments.length && Math.floor(moment(comments[end]) / 1000) === second;) end++;
    const all = comments.slice(begin, end);
    kept.push(...all.length > n ? best(all, n, stays) : all);
  }
  return kept;
}

function best(all, n, stays) {
  const candidates = all.map((c, at) => ({ c, at, stays: stays(c), weight: c.weight ?? 0, lot: lot(c.id) }));
  candidates.sort((a, b) => b.stays - a.stays || b.weight - a.weight || (a.lot < b.lot ? -1 : a.lot > b.lot ? 1 : a.at - b.at));
  const most = Math.max(n, candidates.filter((one) => one.stays).length);
  return candidates.slice(0, most).sort((a, b) => a.at - b.at).map(({ c }) => c);
}

const low = (1n << 64n) - 1n;
const lots = new Map();

// lot breaks ties as package danmu does: always in the same way, and not by age.
function lot(id) {
  if (lots.has(id)) return lots.get(id);
  let bits = 0n;
  for (const letter of id) bits = (bits << 5n) | BigInt(alphabet.indexOf(letter));
  let x = (((bits >> 5n) & (low >> 1n)) * 0x9E3779B97F4A7C15n) & low;
  x = ((x ^ (x >> 32n)) * 0xD6E8FEB86659FD93n) & low;
  x ^= x >> 32n;
  if (lots.size > 20_000) lots.clear();
  lots.set(id, x);
  return x;
}
