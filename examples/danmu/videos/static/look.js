import { byId, element } from "./dom.js";
import { imageOf, sprite } from "./sprite.js";
import { read, write } from "./storage.js";
import { words } from "./words.js";

const t = words({
  en: { white: "White", red: "Red", orange: "Orange", yellow: "Yellow", lime: "Lime", green: "Green", blue: "Blue", purple: "Purple", pink: "Pink", black: "Black", danmu: "Danmu" },
  zh: { white: "白色", red: "红色", orange: "橙色", yellow: "黄色", lime: "黄绿色", green: "绿色", blue: "蓝色", purple: "紫色", pink: "粉色", black: "黑色", danmu: "弹幕" },
});

const key = "plaza.danmu.look";

const colors = {
  white: "#ffffff", red: "#fe0302", orange: "#ff7204", yellow: "#ffd302",
  lime: "#a0ee00", green: "#00cd00", blue: "#4dabff", purple: "#c25bff", pink: "#ff7db8", black: "#222222",
};

// look is the choice of a danmu's colour, size and position. It opens below the text.
// The returned function reads it.
export function look() {
  const form = byId("send"), panel = byId("look"), button = byId("style"), own = byId("own"), free = byId("free");
  byId("colors").prepend(...Object.entries(colors).map(([name, color], i) => {
    const input = element("input", { type: "radio", name: "color", value: color, checked: i === 0, ariaLabel: t(name), title: t(name) });
    input.style.setProperty("--color", color);
    return input;
  }));
  restore(read(key) ?? {});

  const chosen = () => {
    const { color, size, position } = Object.fromEntries(new FormData(form));
    return { color, size, position: Number(position) };
  };

  const preview = () => {
    button.style.setProperty("--color", chosen().color);
    if (panel.hidden) return;
    const shown = sprite({ content: { text: byId("text").value || t("danmu"), ...chosen() } }, { scale: 1, ratio: devicePixelRatio, fit: byId("preview").clientWidth });
    const image = imageOf(shown);
    image.style.aspectRatio = shown.width / shown.height;
    image.style.height = `${shown.height}px`;
    byId("preview").replaceChildren(image);
  };

  const open = (on) => {
    panel.hidden = !on;
    button.ariaExpanded = on;
    preview();
  };
  button.addEventListener("click", () => open(panel.hidden));
  form.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || panel.hidden) return;
    e.preventDefault(); // it leaves no full window
    open(false);
    button.focus();
  });
  free.addEventListener("input", () => {
    own.value = free.value;
    own.checked = true;
  });
  form.addEventListener("input", preview);
  panel.addEventListener("change", () => write(key, chosen()));
  preview();
  return chosen;
}

function restore({ color, size, position }) {
  const inputs = [...byId("look").querySelectorAll("input[type=radio]")];
  const select = (name, value) => inputs.find((input) => input.name === name && input.value === String(value));
  if (!select("color", color) && /^#[0-9a-f]{6}$/.test(color)) byId("own").value = byId("free").value = color;
  for (const input of [select("color", color), select("size", size), select("position", position)]) {
    if (input) input.checked = true;
  }
}
