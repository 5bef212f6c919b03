import { byId, icon } from "./dom.js";
import { writeText } from "./storage.js";
import { words } from "./words.js";

const t = words({
  en: { system: "system", light: "light", dark: "dark", theme: (now) => `Theme: ${now}`, change: (now, next) => `Theme: ${now}. Change to ${next}` },
  zh: { system: "跟随系统", light: "浅色", dark: "深色", theme: (now) => `主题：${now}`, change: (now, next) => `主题：${now}。切换为${next}` },
});

const all = ["system", "light", "dark"];

// themes is the button that changes the theme. theme.js shows the one that was chosen before.
export function themes() {
  const { dataset } = document.documentElement, button = byId("theme");
  const next = () => all[(all.indexOf(dataset.theme) + 1) % all.length];
  const show = () => {
    icon("theme", dataset.theme);
    button.title = t("theme", t(dataset.theme));
    button.ariaLabel = t("change", t(dataset.theme), t(next()));
  };
  button.addEventListener("click", () => {
    dataset.theme = next();
    show();
    writeText("plaza.theme", dataset.theme);
  });
  show();
}
