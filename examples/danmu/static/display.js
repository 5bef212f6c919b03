import { byId, element } from "./dom.js";

const key = "plaza.danmu.display";

// display calls changed now and whenever the viewer chooses anew what to see.
export function display(changed) {
  const chosen = { density: "0,0", opacity: 0.9, merge: false, words: [], ...stored() };
  const density = byId("density"), opacity = byId("opacity"), merge = byId("merge"), visible = byId("visible");

  density.value = chosen.density;
  opacity.value = chosen.opacity;
  merge.checked = chosen.merge;

  const tell = () => {
    chosen.density = density.value;
    chosen.opacity = opacity.valueAsNumber;
    chosen.merge = merge.checked;
    localStorage.setItem(key, JSON.stringify(chosen));
    const [sample, cap] = chosen.density.split(",").map(Number);
    changed({ ...chosen, sample, cap, visible: visible.checked });
  };
  for (const input of [density, opacity, merge, visible]) input.addEventListener("input", tell);

  const list = () => byId("words").replaceChildren(...chosen.words.map((word) => element("li", {}, word,
    element("button", {
      ariaLabel: `Show ${word} again`,
      onclick: () => { chosen.words = chosen.words.filter((w) => w !== word); list(); tell(); },
    }, "×"))));
  byId("filter").addEventListener("submit", (e) => {
    e.preventDefault();
    const word = byId("word").value.trim();
    byId("word").value = "";
    if (!word || chosen.words.includes(word)) return;
    chosen.words = [...chosen.words, word];
    list();
    tell();
  });
  list();
  tell();
}

function stored() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}
