export const byId = (id) => document.getElementById(id);

// element creates an element. Strings in it are text, never markup.
export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(key, value);
    else if (value !== undefined && value !== false) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.filter((child) => child !== undefined));
  return e;
}

export const button = (text, click, attributes = {}) => element("button", { type: "button", click, ...attributes }, text);
