// What the browser keeps for this page. Storage may be forbidden, full, or damaged by
// others: nothing here throws.

// read returns the JSON of a key, or null.
export function read(key) {
  try {
    return JSON.parse(readText(key));
  } catch {
    return null;
  }
}

export function readText(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// write reports whether the value is kept.
export const write = (key, value) => writeText(key, JSON.stringify(value));

export function writeText(key, text) {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

export function remove(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // then nothing is kept
  }
}

// keysOf are the keys that begin with a prefix, in their order.
export function keysOf(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).sort();
  } catch {
    return [];
  }
}
