// h makes an element. Properties beginning with "on" are listeners, "class" and those
// with a hyphen are attributes, and texts are texts: nothing is ever parsed as HTML.
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class" || key === "for" || key === "role" || key === "href" || key.includes("-")) element.setAttribute(key, value === true ? "" : value);
    else element[key] = value;
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

// glyph draws a symbol of icons.svg. It is hidden from screen readers: label its parent.
export function glyph(name, full = false) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("class", full ? "glyph full" : "glyph");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", `/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

// sheet loads a style sheet once, and resolves when it holds.
const sheets = new Map();
export function sheet(href, into = document.head) {
  if (!sheets.has(href)) {
    sheets.set(href, new Promise((resolve) => {
      into.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve }));
    }));
  }
  return sheets.get(href);
}
