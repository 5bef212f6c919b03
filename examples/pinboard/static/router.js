// The page's addresses. Each screen is a module in screens/ with show(main, params), which
// may return what to call when the screen is left.
import { traffic } from "./api.js";
import { failure } from "./parts.js";

const screens = [
  [/^\/$/, "home"],
  [/^\/tags\/(?<tag>[^/]+)$/, "tag"],
  [/^\/pins\/(?<picture>[^/]+)$/, "pin"],
  [/^\/people\/(?<person>[^/]+)$/, "profile"],
  [/^\/boards\/(?<board>[^/]+)$/, "board"],
  [/^\/bell$/, "bell"],
  [/^\/messages(?:\/(?<conversation>[^/]+))?$/, "messages"],
  [/^\/weekly$/, "weekly"],
  [/^\/clips$/, "clips"],
  [/^\/moderation$/, "moderation"],
  [/^\/settings$/, "settings"],
];

let leave = null, turn = 0;

export function go(path) {
  history.pushState(null, "", path);
  show();
}

// start shows the screen of the address, now and whenever it changes.
export function start() {
  addEventListener("popstate", show);
  document.addEventListener("click", (e) => {
    const link = e.target.closest?.("a[href]");
    if (!link || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || link.target || link.origin !== location.origin || link.hash || link.hasAttribute("data-outside")) return;
    e.preventDefault();
    go(link.pathname + link.search);
  });
  show();
}

// load returns the module of a screen. If the service cannot be reached, it shows that, and
// shows the screen once it can be. A module that failed needs another address.
let failed = 0;
async function load(name, main, mine) {
  try {
    return await import(`./screens/${name}.js${failed ? `?${failed}` : ""}`);
  } catch (error) {
    failed++;
    if (mine !== turn) return null;
    main.replaceChildren(failure(error, show));
    traffic.dispatchEvent(new Event("unreachable"));
    traffic.addEventListener("reached", () => { if (mine === turn) show(); }, { once: true });
    return null;
  }
}

// matching returns the name of a path's screen, and its parameters.
function matching(path) {
  for (const [pattern, name] of screens) {
    const match = path.match(pattern);
    if (!match) continue;
    try {
      return [name, Object.fromEntries(Object.entries(match.groups ?? {}).map(([k, v]) => [k, v && decodeURIComponent(v)]))];
    } catch { /* it is not UTF-8 */ }
  }
  return ["missing", {}];
}

async function show() {
  const mine = ++turn, main = document.getElementById("main");
  leave?.();
  leave = null;
  const [name, params] = matching(location.pathname);
  const screen = await load(name, main, mine);
  if (mine !== turn || !screen) return;
  main.className = `screen-${name}`;
  main.replaceChildren();
  scrollTo(0, 0);
  document.dispatchEvent(new CustomEvent("screen", { detail: name }));
  leave = await screen.show(main, params) ?? null;
  if (mine !== turn) leave?.();
}
