import { put } from "./dom.js";

const shown = 1500; // milliseconds at least
const reading = 60; // milliseconds for each letter

let timer;

// notice says over the picture, and to screen readers, what the viewer has just done.
export function notice(text) {
  put("notice", text);
  clearTimeout(timer);
  timer = setTimeout(() => put("notice", ""), Math.max(shown, text.length * reading));
}
