import { element } from "./dom.js";

// face is a circle with an initial, in a colour of the name's own.
export function face(name) {
  const e = element("span", { class: "face", "aria-hidden": "true" }, [...name][0].toUpperCase());
  let hue = 0;
  for (const c of name) hue = (hue * 31 + c.codePointAt(0)) % 360;
  e.style.setProperty("--hue", hue);
  return e;
}
