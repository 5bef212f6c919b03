import { crossings } from "./lanes.js";
import { read, write } from "./storage.js";

const key = "plaza.danmu.display";
const version = 2; // the first had no number, and its blocks were only words

// densities are what a viewer can choose: a sample of all danmu, as an exponent, and
// how many a second.
const densities = ["0,0", "0,10", "0,3", "1,0", "3,0"];
export const areas = { quarter: 0.25, half: 0.5, full: 1 };

const number = (least, most) => (v) => typeof v === "number" && v >= least && v <= most;
const oneOf = (values) => (v) => values.includes(v);

// What each setting may be, and what it is if the browser keeps none that is valid.
const valid = {
  density: [oneOf(densities), "0,0"],
  area: [oneOf(Object.keys(areas)), "full"],
  font: [number(0.5, 2), 1],
  speed: [(v) => Number.isInteger(v) && v >= 1 && v <= crossings.length, 3],
  opacity: [number(0.1, 1), 0.9],
  merge: [(v) => typeof v === "boolean", false],
};

// load returns the settings that the browser keeps, and the rules of the blocks as
// they were found.
export function load() {
  const found = read(key);
  const stored = found !== null && typeof found === "object" ? found : {};
  const settings = {};
  for (const [name, [fits, usual]] of Object.entries(valid)) settings[name] = fits(stored[name]) ? stored[name] : usual;
  return { settings, blocks: stored.version === undefined ? { words: stored.words } : stored.blocks };
}

// save reports whether the browser keeps them.
export function save(settings, blocks) {
  const stored = Object.fromEntries(Object.keys(valid).map((name) => [name, settings[name]]));
  return write(key, { version, ...stored, blocks });
}

// onOther calls do_ when another tab has saved.
export function onOther(do_) {
  addEventListener("storage", (e) => { if (e.key === key && e.newValue !== null) do_(); });
}
