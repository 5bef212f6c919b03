// Tests texts against regular expressions. The page ends this worker if it takes too long.
let compiled = [], of = "";

addEventListener("message", ({ data: { patterns, texts } }) => {
  if (of !== patterns.join("\n")) {
    compiled = patterns.map(compile);
    of = patterns.join("\n");
  }
  const blocked = texts.map(() => false);
  compiled.forEach((pattern, i) => {
    postMessage({ trying: i });
    texts.forEach((text, j) => { blocked[j] ||= matches(pattern, text); });
  });
  postMessage({ blocked });
});

function compile(pattern) {
  try {
    return new RegExp(pattern, "iu");
  } catch {
    return new RegExp(pattern, "i"); // without u, more is allowed
  }
}

// Some expressions turn out to be too large only now.
function matches(pattern, text) {
  try {
    return pattern.test(text);
  } catch {
    return false;
  }
}
