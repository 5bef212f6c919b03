// fill makes the children of a list those of items, which are { key, was, content, make }.
// An element stays as it is while its key and content do. The focus and an open menu stay
// if the content changes, and the focus if the item's key was another one before.
export function fill(list, items) {
  const before = new Map([...list.children].map((e) => [e.dataset.key, e]));
  const held = document.activeElement, row = list.contains(held) && held !== list ? held.closest("[data-key]") : null;
  const rows = items.map(({ key, content, make }) => {
    const same = before.get(key);
    if (same && contents.get(same) === content) return same;
    const e = make();
    if (same?.querySelector("details[open]")) e.querySelector("details")?.toggleAttribute("open", true);
    e.dataset.key = key;
    contents.set(e, content);
    return e;
  });
  const kept = new Set(rows);
  for (const e of before.values()) if (!kept.has(e)) e.remove();
  rows.forEach((e, i) => list.children[i] !== e && list.insertBefore(e, list.children[i] ?? null));
  if (!row || list.contains(held)) return;
  const same = rows[items.findIndex(({ key, was }) => key === row.dataset.key || was === row.dataset.key)];
  (same?.querySelector(`[data-part="${held.dataset.part}"]`) ?? same?.querySelector("[data-part]"))?.focus();
}

const contents = new WeakMap();
