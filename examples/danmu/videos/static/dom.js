export const byId = (id) => document.getElementById(id);

// put changes a text only if it differs: it is called for each frame.
export function put(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

// icon changes the icon of a button.
export function icon(id, name) {
  const use = byId(id).querySelector("use"), href = `icons.svg#${name}`;
  if (use.getAttribute("href") !== href) use.setAttribute("href", href);
}

// element creates an element. Strings in it are text, never markup.
export function element(name, attributes = {}, ...children) {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(...children);
  return e;
}

export function spell(seconds) {
  const s = Math.floor(seconds);
  const two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}
